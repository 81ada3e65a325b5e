"""The cases beside contracts: run, and held against what they say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from toolscore_otel.cli.exits import complain, wrapped
from toolscore_otel.cli.reading import Reader
from toolscore_otel.contracts import Case, Contract
from toolscore_otel.contracts.notes import unknown
from toolscore_otel.contracts.usage import Usage
from toolscore_otel.engine import judge_calls, score
from toolscore_otel.model import Finding, Label, ToolCall


def differs(case: Case, contracts: Mapping[str, Contract], usages: Mapping[str, Usage]) -> bool:
    """Run one case; says in one line what is the first difference, and returns whether there is any.

    Args:
        case: to run.
        contracts: of its file, by id.
        usages: of them, told what was seen.
    """
    said = _first_difference(case, contracts, usages)
    if said is not None:
        complain(wrapped(f"{case.where}: case `{case.name}`: {said}", ""))
    return said is not None


def _first_difference(
    case: Case, contracts: Mapping[str, Contract], usages: Mapping[str, Usage]
) -> str | None:
    rules = _rules(contracts.values())
    for name in (*case.fails, *case.cannot_check):
        if len(owners := rules.get(name, ())) != 1:
            several = " and ".join(f"`{owner}/{name}`" for owner in owners)
            return f"`{name}` may be {several}" if owners else unknown("rule", name, rules)
    findings: list[Finding] = []
    for contract in contracts.values():
        ours, calls = _run(case, contract)
        findings += ours
        for finding in ours:
            usages[contract.id].spoke(finding.rule)
        for call in calls:
            usages[contract.id].see(call, is_recorded=False)
    for label, wanted in ((Label.FAIL, case.fails), (Label.CANNOT_CHECK, case.cannot_check)):
        asked = {(rules[name][0], name.removeprefix(f"{rules[name][0]}/")) for name in wanted}
        got = {(f.contract, f.rule) for f in findings if f.label is label}
        if got != asked:
            word = "fail" if label is Label.FAIL else "be `cannot_check`"
            return f"{_words(asked)} should {word}, {_words(got)} did"
    return None


def _rules(contracts: Iterable[Contract]) -> dict[str, tuple[str, ...]]:
    """What a rule may be called -> ids of the contracts that have it."""
    found: dict[str, tuple[str, ...]] = {}
    for contract in contracts:
        for rule in contract.rules:
            name = rule.record.id or ""
            found[name] = (*found.get(name, ()), contract.id)
            found[f"{contract.id}/{name}"] = (contract.id,)
    return found


def _words(rules: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"`{rule}`" for _, rule in sorted(rules)) or "no rule"


def _run(case: Case, contract: Contract) -> tuple[Sequence[Finding], Sequence[ToolCall]]:
    if case.spans is None:
        return judge_calls(contract, case.calls, agents=case.agents), case.calls
    report = score(Reader([str(case.spans)]).read([Path(case.spans)]), [contract])
    calls = [call for trajectory in report.trajectories for call in trajectory.calls]
    return [finding for finding in report.findings if finding.contract], calls
