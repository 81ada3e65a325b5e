"""Traces -> a contract that is known to load, and to hold on them: what does not hold is taken out again."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct, structs

from toolscore_otel.contracts import Contract, load_text
from toolscore_otel.engine import Report
from toolscore_otel.learning.evidence import evidence_of
from toolscore_otel.learning.proposal import Proposal, Rule, propose
from toolscore_otel.learning.text import flow, text_of
from toolscore_otel.model import Label
from toolscore_otel.secrets import Scanner

MAX_NAME = 200
"""Longest name that is repeated, in characters."""

Hold = Callable[[tuple[Contract, ...]], Report]
"""Holds the telemetry that is learned from against contracts."""


class Learned(Struct, frozen=True):
    """A contract that was learned.

    Attributes:
        text: YAML.
        contract: the same, loaded.
        dropped: rules that did not hold, or of which nothing was observed; they stand in the text as comments.
    """

    text: str
    contract: Contract
    dropped: int


def learn(hold: Hold, *, name: str = "learned", min_traces: int = 5) -> Learned | None:
    """Propose a contract that holds on some telemetry.

    Args:
        hold: holds that telemetry against contracts; called without any first, and then with what is proposed until no
            rule fails.
        name: id of the contract.
        min_traces: in how many traces something must have been so before it is taken for a habit.

    Returns:
        The contract; None where there is nothing to learn from.
    """
    trajectories = hold(()).trajectories
    seen = evidence_of(trajectories)
    may_say = _Names().may_say
    proposal = propose(trajectories, seen, name=name, min_traces=min_traces, may_say=may_say)
    with_calls = sum(1 for one in trajectories if one.calls)
    proposed = len(proposal.rules)
    while proposal.rules:
        text = text_of(proposal)
        (contract,) = load_text(text, f"{name}.yaml")
        wrong = _wrong(hold((contract,)), with_calls)
        if not wrong:
            return Learned(text, contract, proposed - len(proposal.rules))
        proposal = _without(proposal, wrong)
    return None


class _Names:
    """Which names may be repeated: texts of ordinary length that hold no secret."""

    def __init__(self) -> None:
        self._scanner = Scanner()
        self._known: dict[str, bool] = {}

    def may_say(self, name: str) -> bool:
        if name not in self._known:
            self._known[name] = self._is_ordinary(name)
        return self._known[name]

    def _is_ordinary(self, name: str) -> bool:
        is_text = 0 < len(name) <= MAX_NAME and not any("\ud800" <= c <= "\udfff" for c in name)
        return is_text and not self._scanner.scan_text(name)


def _wrong(report: Report, with_calls: int) -> dict[str, str]:
    """Rule id -> why it cannot stay: it fails, or could be checked nowhere."""
    traces: dict[tuple[str, Label], set[str]] = {}
    for finding in report.findings:
        if finding.contract:
            traces.setdefault((finding.rule, finding.label), set()).add(finding.trace_id)
    wrong: dict[str, str] = {}
    for (rule, label), where in sorted(traces.items()):
        if label is Label.FAIL:
            wrong[rule] = f"does not hold in {len(where)} of them"
        elif label is Label.CANNOT_CHECK and len(where) >= with_calls:
            wrong.setdefault(rule, "what it looks at was not observed")
    return wrong


def _without(proposal: Proposal, wrong: dict[str, str]) -> Proposal:
    """The proposal with some rules taken out, and a note of each."""
    kept: list[Rule] = []
    notes = list(proposal.notes)
    for rule_id, rule in _by_id(proposal):
        if rule_id in wrong:
            data = flow(rule.data if rule.key is None else {rule.key: rule.data})
            what = f"`{rule.clause}`" + ("" if rule.clause == "allow_only" else f" {data}")
            notes.append(f"{what}: {wrong[rule_id]}")
        else:
            kept.append(rule)
    return structs.replace(proposal, rules=tuple(kept), notes=tuple(notes))


def _by_id(proposal: Proposal) -> Iterator[tuple[str, Rule]]:
    """The rules, each with the id that it has in the contract."""
    numbers: dict[str, int] = {}
    for rule in proposal.rules:
        if rule.clause in ("allow_only", "arguments"):
            yield rule.clause, rule
        elif rule.key is not None:
            yield f"{rule.clause}.{rule.key}", rule
        else:
            numbers[rule.clause] = numbers.get(rule.clause, 0) + 1
            yield f"{rule.clause}.{numbers[rule.clause]}", rule
