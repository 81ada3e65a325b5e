"""The engine held against an evaluator written from the language alone, over random contracts and calls.

The evaluator (`tests/contracts/naive`) knows no order of arrival, keeps nothing, and takes all that was not observed for
all that it may have been.
"""

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, reject, strategies as st
from msgspec import structs

from tests.contracts.naive import made
from tests.contracts.naive.evaluate import evaluate
from tests.contracts.naive.logic import TooManyWorldsError
from tests.contracts.naive.said import TRAJECTORY, Said
from tests.contracts.naive.telling import spans_of
from toolscore_otel.contracts import Contract, load
from toolscore_otel.engine import Engine, judge_calls
from toolscore_otel.model import Finding, Label, Scope, Span, ToolCall

OF_CALLS = made.CLAUSES.keys() - {"budget"}
"""What the calls of a trajectory decide alone; the other budgets know of model calls."""
CHANGES: list[dict[str, Any]] = [
    {"disabled": True},
    {"shadow": True},
    {"unless": {"args": {"q": 1}}},
    {"unless": {"before": {"tool": "a"}}},
]
NEVER: dict[str, dict[str, Any]] = {
    "forbid": {"tool": "none"},
    "limit": {"tool": "none", "max": 0},
    "order": {"first": "none", "then": "none"},
    "require": {"tool": "none", "min": 0, "max": 0},
}
"""Rules that have nothing to say."""
Found = dict[tuple[str, str], tuple[frozenset[str], bool]]


def found(findings: Iterable[Finding]) -> Found:
    """Where each rule fails and whether something could not be checked, by rule and place."""
    fails: dict[tuple[str, str], set[str]] = defaultdict(set)
    blind: set[tuple[str, str]] = set()
    for finding in findings:
        place = finding.trace_id
        if finding.scope is Scope.SESSION and finding.conversation_id:
            place = finding.conversation_id
        if finding.label is Label.FAIL:
            fails[finding.rule, place].add(finding.call_id or finding.span_id or TRAJECTORY)
        elif finding.label is Label.CANNOT_CHECK:
            blind.add((finding.rule, place))
    return {key: (frozenset(fails[key]), key in blind) for key in {*fails, *blind}}


def agrees(expected: Said, fails: frozenset[str], *, blind: bool) -> bool:
    if expected.unchecked not in (None, blind):
        return False
    if not expected.loose:
        return fails == expected.fails
    return fails <= expected.fails and (bool(fails) or (expected.unchecked is None and blind))


def differences(
    said: dict[tuple[str, str], Said], got: Found, contract: dict[str, Any]
) -> list[Any]:
    """What differs: rule and place, what was expected, what was found."""
    wrong = []
    for key in {*said, *got}:
        expected, (fails, blind) = said.get(key, Said()), got.get(key, (frozenset(), False))
        if "budget" in contract and contract["budget"][0]["of"] != "call":
            fails = frozenset([TRAJECTORY]) if fails else fails
        if not agrees(expected, fails, blind=blind):
            wrong.append((key, expected, (fails, blind)))
    return wrong


def named(calls: list[ToolCall]) -> list[ToolCall]:
    return [
        structs.replace(call, call_id=f"c{at}", span_id=f"s{at}", position=at)
        for at, call in enumerate(calls)
    ]


def said_of(contract: dict[str, Any], calls: list[ToolCall]) -> dict[tuple[str, str], Said]:
    try:
        return evaluate(contract, calls)
    except TooManyWorldsError:
        reject()


@pytest.mark.parametrize("clause", made.CLAUSES)
@given(st.data())
def test_what_calls_are_judged_to_be_is_what_the_language_says(clause: str, data: Any) -> None:
    written = data.draw(made.contracts(clause), label="contract")
    calls = named(data.draw(made.calls(), label="calls"))
    got = found(judge_calls(Contract.from_dict(written), calls))
    assert differences(said_of(written, calls), got, written) == []


@pytest.mark.parametrize("clause", ["forbid", "limit", "first", "require", "sequence"])
@given(st.data())
def test_building_on_a_contract_is_writing_it_out(clause: str, data: Any) -> None:
    base = data.draw(made.contracts(clause), label="base")
    own = data.draw(made.contracts("budget_call"), label="own") | {"contract": "own"}
    (key,) = {"forbid", "limit", "order", "require"} & base.keys()
    first, *rest = base[key]
    change = data.draw(st.sampled_from(CHANGES), label="change")
    if "unless" in change and ("unless" in first or clause in ("require", "sequence")):
        change = {"severity": "info"}
    override = {f"{key}.1": change}
    changed = [{**first, **change}] if "disabled" not in change else [NEVER[key]]
    written_out = base | own | {key: [*changed, *rest]}
    calls = named(data.draw(made.calls(), label="calls"))
    with TemporaryDirectory() as folder:
        (Path(folder) / "base.yaml").write_text(json.dumps(base), encoding="utf-8")
        text = json.dumps(own | {"extends": "base.yaml", "override": override})
        (Path(folder) / "own.yaml").write_text(text, encoding="utf-8")
        (contract,) = load(Path(folder) / "own.yaml")
    got = found(judge_calls(contract, calls))
    assert differences(said_of(written_out, calls), got, {}) == []


def fed(engine: Engine, spans: list[Span], data: Any) -> None:
    """Spans in any order, some of them twice, in batches of any size, with closings between."""
    again = data.draw(st.lists(st.sampled_from(spans), max_size=2), label="again")
    rest = data.draw(st.permutations([*spans, *again]), label="order")
    while rest:
        size = data.draw(st.integers(1, len(rest)), label="batch")
        engine.feed_all(rest[:size], 0)
        rest = rest[size:]
        if data.draw(st.integers(0, 3), label="close") == 0:
            engine.close()
    engine.close()


@given(st.data())
def test_what_spans_are_judged_to_be_is_what_the_language_says_of_their_calls(data: Any) -> None:
    names = st.lists(st.sampled_from(sorted(OF_CALLS)), min_size=1, max_size=3, unique=True)
    written = [
        {**data.draw(made.contracts(name), label=name), "contract": name.replace("_", "-")}
        for name in data.draw(names, label="clauses")
    ]
    calls = named(data.draw(made.calls(4), label="calls"))
    engine = Engine([Contract.from_dict(contract) for contract in written])
    fed(engine, spans_of(calls), data)
    report = engine.report()
    assert engine.rule_errors == {}
    rebuilt = [call for trace in report.trajectories for call in trace.calls]
    for contract in written:
        got = found(f for f in report.findings if f.contract == contract["contract"])
        assert differences(said_of(contract, rebuilt), got, contract) == []
