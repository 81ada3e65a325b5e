"""Waivers: calls for which a rule fails nothing until some day."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

import pytest
from inline_snapshot import snapshot

from toolscore_otel.contracts import Contract, load_text
from toolscore_otel.engine import judge_calls
from toolscore_otel.errors import ContractError
from toolscore_otel.model import Stage, ToolCall

HELD = {"owner": "sec", "until": "2026-03-31"}


def contract(waive: Sequence[dict[str, Any]], **clauses: Any) -> Contract:
    waived = [{**HELD, **entry} for entry in waive]
    return Contract.from_dict({"contract": "a", "language": 1, **clauses, "waive": waived})


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1e9)


def call(tool: str, when: str | None = "2026-03-01", **fields: Any) -> ToolCall:
    start_ns = None if when is None else at(when)
    return ToolCall(tool=tool, start_ns=start_ns, end_ns=start_ns, **fields)


def found(judged: Contract, *calls: ToolCall) -> list[tuple[str, str, bool, int]]:
    return [(f.rule, f.label.value, f.shadow, f.count) for f in judge_calls(judged, calls)]


def test_a_waived_call_is_still_a_finding_and_stands_in_shadow():
    judged = contract([{"rule": "forbid.1", "tool": "x", "agent": "j"}], forbid=["x"])
    assert found(judged, call("x", agent="j")) == [("forbid.1", "fail", True, 1)]
    assert found(judged, call("x", agent="k")) == [("forbid.1", "fail", False, 1)]
    (finding,) = judge_calls(judged, [call("x", agent="j")])
    assert (
        finding.explanation
        == "agent `j` called `x`, which is forbidden (waived by `sec` until 2026-03-31)"
    )


@pytest.mark.parametrize(
    ("shadow", "when"),
    [
        (True, "2025-01-01"),
        (True, "2026-03-31T23:59:59.999999"),
        (False, "2026-04-01"),
        (False, "2027-01-01"),
    ],
)
def test_a_waiver_holds_for_calls_that_began_until_the_end_of_its_last_day(shadow, when):
    judged = contract([{"rule": "forbid.1", "tool": "x"}], forbid=["x"])
    assert [("forbid.1", "fail", shadow, 1)] == found(judged, call("x", when))


def test_whether_a_call_of_unknown_time_is_waived_cannot_be_checked():
    judged = contract([{"rule": "forbid.1", "tool": "x"}], forbid=["x"])
    (finding,) = judge_calls(judged, [call("x", None)])
    assert (finding.label.value, finding.shadow) == ("cannot_check", False)
    assert "times not observed" in finding.explanation


def test_what_would_tell_whether_a_call_is_waived_is_said():
    judged = contract([{"rule": "forbid.1", "args": {"a": 1}}], forbid=["x"])
    (finding,) = judge_calls(judged, [call("x")])
    assert "arguments not observed" in finding.explanation


def test_a_call_that_was_only_asked_for_can_be_waived():
    judged = contract([{"rule": "forbid.1", "tool": "x"}], forbid=["x"])
    assert found(judged, call("x", stage=Stage.REQUESTED)) == [("forbid.1", "fail", True, 1)]


def test_waived_calls_are_not_counted_and_what_they_would_make_stands_in_shadow():
    judged = contract([{"rule": "limit.1", "args": {"q": "a"}}], limit=[{"tool": "x", "max": 1}])
    a, b = {"q": "a"}, {"q": "b"}
    assert found(judged, call("x", args=a), call("x", args=b)) == [("limit.1", "fail", True, 2)]
    assert found(judged, call("x", args=a), call("x", args=b), call("x", args=b)) == [
        ("limit.1", "fail", False, 2)
    ]
    assert found(judged, call("x", args=a)) == []


def test_one_waiver_is_enough_and_all_are_named():
    judged = contract(
        [
            {"rule": "forbid.1", "agent": "j"},
            {"rule": "forbid.1", "agent": "k", "owner": " dba ", "until": "2026-12-31"},
        ],
        forbid=["x"],
    )
    for agent in ("j", "k"):
        (finding,) = judge_calls(judged, [call("x", agent=agent)])
        assert finding.shadow
        assert finding.explanation.endswith(
            "(waived by `sec` until 2026-03-31 or by `dba` until 2026-12-31)"
        )


def test_what_cannot_be_checked_of_a_waived_call_is_not_said():
    judged = contract([{"rule": "forbid.1", "tool": "x"}], forbid=[{"tool": "x", "args": {"a": 1}}])
    assert found(judged, call("x")) == []
    assert found(judged, call("x", args={"a": 1})) == [("forbid.1", "fail", True, 1)]


def test_a_rule_keeps_its_own_excuses():
    judged = contract(
        [{"rule": "forbid.1", "agent": "j"}],
        forbid=[{"tool": "x", "unless": [{"agent": "k"}, {"before": "y"}]}],
    )
    assert found(judged, call("x", agent="k")) == []
    assert found(judged, call("y", "2026-02-01"), call("x", agent="j")) == []
    assert found(judged, call("x", agent="j")) == [("forbid.1", "fail", True, 1)]
    assert found(judged, call("x", agent="l")) == [("forbid.1", "fail", False, 1)]


def test_loops_secrets_and_other_rules_about_calls_can_be_waived():
    judged = contract(
        [{"rule": rule, "tool": "x"} for rule in ("loop.same_call", "allow_only", "budget.1")],
        loop={"same_call": 2},
        allow_only=["y"],
        budget=[{"of": "call", "cost_usd": 1}],
    )
    calls = [call("x", f"2026-03-0{day}", args={}, result=1, cost_usd=2.0) for day in (1, 2)]
    assert {("loop.same_call", True), ("allow_only", True), ("budget.1", True)} == {
        (rule, shadow) for rule, _, shadow, _ in found(judged, *calls)
    }


def test_a_contract_knows_its_waivers_and_when_they_end():
    judged = contract([{"rule": "forbid.1", "tool": "x", "reason": "until the move"}], forbid=["x"])
    (waiver,) = judged.waivers
    assert ("forbid.1", "sec", date(2026, 3, 31), "until the move") == (
        waiver.rule,
        waiver.owner,
        waiver.until,
        waiver.reason,
    )
    assert [waiver.has_ended(date(2026, month, 1)) for month in (3, 4)] == [False, True]
    assert not waiver.has_ended(waiver.until)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (
            "rule: forbid.2, tool: x, owner: a, until: 2026-01-01",
            snapshot(
                ["c.yaml:8: unknown rule `forbid.2` in this contract; did you mean `forbid.1`?"]
            ),
        ),
        (
            "rule: forbid.1, owner: a, until: 2026-01-01",
            snapshot(['c.yaml:8: a selector needs at least one key; `tool: "*"` is every tool']),
        ),
        (
            "rule: forbid.1, tool: x, owner: ' ', until: 2026-01-01",
            snapshot(["c.yaml:8: `owner` says who answers for the waiver"]),
        ),
        (
            "rule: forbid.1, tool: x, owner: a, until: soon",
            snapshot(["c.yaml:8: `until` is a date such as `2026-03-31`, not `soon`"]),
        ),
        (
            "rule: forbid.1, tool: x, owner: a, until: 2026-02-30",
            snapshot(["c.yaml:8: `until` is a date such as `2026-03-31`, not `2026-02-30`"]),
        ),
        (
            "rule: forbid.1, tool: x, owner: a, until: 20260101",
            snapshot(["c.yaml:8: `until` must be a text, not `20260101`: put it in quotes"]),
        ),
        (
            "rule: forbid.1, tool: x",
            snapshot(
                [
                    "c.yaml:8: an entry of `waive` needs the key `owner`",
                    "c.yaml:8: an entry of `waive` needs the key `until`",
                ]
            ),
        ),
        (
            "tool: x, owner: a, until: 2026-01-01",
            snapshot(["c.yaml:8: an entry of `waive` needs the key `rule`"]),
        ),
        (
            "rule: forbid.1, tol: x, owner: a, until: 2026-01-01",
            snapshot(["c.yaml:8: unknown key `tol` in an entry of `waive`; did you mean `tool`?"]),
        ),
        (
            "rule: forbid.1, stage: never, args: {a: {$regx: b}}, owner: a, until: 2026-01-01",
            snapshot(
                [
                    "c.yaml:8: `args.a.$regx`: unknown operator `$regx`; did you mean `$regex`?",
                    "c.yaml:8: `stage`: unknown stage `never`; known are any, executed, requested",
                ]
            ),
        ),
        (
            "rule: require.1, tool: x, owner: a, until: 2026-01-01",
            snapshot(
                [
                    "c.yaml:8: `waive` excuses calls as `unless` does: rules that judge or count single calls can excuse some, not this"
                ]
            ),
        ),
        (
            "rule: budget.1, tool: x, owner: a, until: 2026-01-01",
            snapshot(
                [
                    "c.yaml:8: `waive` excuses calls as `unless` does: `unless` excuses calls: it goes with `of: call` and `of: tool`"
                ]
            ),
        ),
        (
            "rule: limit.1, tool: x, owner: a, until: 2026-01-01, unless: y",
            snapshot(
                ["c.yaml:8: unknown key `unless` in an entry of `waive`; did you mean `rule`?"]
            ),
        ),
    ],
)
def test_what_is_wrong_with_a_waiver_is_said_at_its_line(entry, expected):
    text = f"""\
contract: a
language: 1
forbid: [x]
require: [x]
limit: [{{tool: x, max: 1}}]
budget: [{{of: trace, calls: 3}}]
waive:
  - {{{entry}}}
"""
    with pytest.raises(ContractError) as caught:
        load_text(text, "c.yaml")
    assert expected == str(caught.value).splitlines()


def test_an_inherited_waiver_goes_with_its_rule(tmp_path):
    (tmp_path / "base.yaml").write_text(
        "contract: base\nlanguage: 1\nforbid: [x, y]\nloop: {same_call: 2}\n"
        "waive:\n"
        "  - {rule: forbid.2, tool: y, owner: b, until: 2026-03-31}\n"
        "  - {rule: forbid.1, tool: x, owner: b, until: 2026-03-31}\n"
        "  - {rule: loop.same_call, tool: x, owner: b, until: 2026-03-31}\n"
    )
    own = """\
contract: own
language: 1
extends: [pack:loops, base.yaml]
forbid: [z]
loop: {same_call: 3}
override: {forbid.1: {disabled: true}}
waive: [{rule: forbid.3, tool: z, owner: o, until: 2026-03-31}]
"""
    (judged,) = load_text(own, folder=tmp_path)
    assert [(waiver.rule, waiver.owner) for waiver in judged.waivers] == [
        ("forbid.2", "b"),
        ("forbid.3", "o"),
    ]
    assert found(judged, call("x"), call("y"), call("z")) == [
        ("forbid.2", "fail", True, 1),
        ("forbid.3", "fail", True, 1),
    ]


def test_a_disabled_rule_cannot_be_waived(tmp_path):
    own = """\
contract: own
language: 1
extends: pack:loops
override: {loop.same_call: {disabled: true}}
waive: [{rule: loop.same_call, tool: z, owner: o, until: 2026-03-31}]
"""
    with pytest.raises(ContractError, match=r"`loop\.same_call` is disabled: nothing of it can be"):
        load_text(own, folder=tmp_path)
