"""Loops, limits and requirements say the same in whatever order calls come, and see what may hide.

What each rule finds is held against another evaluator elsewhere; here calls come in any order, some known otherwise before,
and what was not observed is filled in in every way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import example, given, strategies as st
from msgspec import structs

from toolscore_otel.engine.presenting import Presenting
from toolscore_otel.matchers import Answer, JudgedCall, before
from toolscore_otel.model import ContentState, Label, Stage, Status, ToolCall, Trajectory
from toolscore_otel.rules import RunContext, Verdict
from toolscore_otel.rules.ended import Ended, Span
from toolscore_otel.rules.limit import Limit
from toolscore_otel.rules.loop import Loop
from toolscore_otel.rules.require import By, Require

Stands = dict[str, Any]

RULES: list[Any] = [
    Require(tool="a", min=2, by=By(before="b")),
    Require(tool="a", args={"q": 1}, by=By(before={"tool": "b", "args": {"q": 1}})),
    Require(tool="a", stage="any", min=2, by=By(before="a")),
    Require(tool="a", min=2, by=By(within_ms=2)),
    Require(tool="a", max=1, if_={"tool": "b", "args": {"q": 1}}),
    Limit(tool="a", args={"q": 1}, max=1),
    Limit(tool="*", max=2, per="1ms"),
    Limit(tool="*", args={"q": {"$gt": -5}}, sum="q", max=1, per="3ms"),
    Limit(tool="a", sum="args.q", max=2),
    Limit(tool="a", sum="q", max=1, unless={"before": "b"}),
    Limit(tool="*", distinct="q", max=1),
    Limit(tool="*", distinct="q", max=1, per="2ms", unless={"before": "b"}),
    *(Loop(key=key, n=2, window=4) for key in ("same_call", "no_progress", "cycle")),
    Loop(key="retry_after_error", n=1, only=[{"tool": "a"}], unless={"before": "b"}),
    Loop(key="cycle", n=2, ignore=[{"tool": "a", "args": {"q": 2}}]),
    Loop(key="no_progress", n=2, ignore=[{"tool": "b", "args": {"q": 2}}]),
]


def one_call(
    tool: str,
    q: int | None,
    result: int | None,
    status: Status,
    times: tuple[int | None, int | None],
) -> ToolCall:
    start, took = times
    begin = None if start is None else start * 1_000_000
    return ToolCall(
        tool=tool,
        args=None if q is None else {"q": q} if q else {},
        result=result,
        status=status,
        start_ns=begin,
        end_ns=None if begin is None or took is None else begin + took,
        agent="desk",
        invocation_id="i",
    )


some_call = st.builds(
    one_call,
    tool=st.sampled_from(["a", "a", "b"]),
    q=st.sampled_from([None, 0, 1, 2, -1]),
    result=st.sampled_from([None, 1, 2]),
    status=st.sampled_from(Status),
    times=st.tuples(
        st.sampled_from([None, 0, 1, 2, 3, 5]), st.sampled_from([None, 0, 1, 1_000_000])
    ),
)
any_call = st.tuples(some_call, st.sampled_from([Stage.EXECUTED] * 3 + [Stage.REQUESTED])).map(
    lambda pair: structs.replace(pair[0], stage=pair[1])
)


def keyed(calls: Sequence[ToolCall]) -> list[ToolCall]:
    return [structs.replace(call, key=str(n), position=n) for n, call in enumerate(calls)]


def started(rule: Any) -> Any:
    return rule.compile().start(RunContext(None, Presenting([])))


def standing(found: dict[str, Verdict | None]) -> Stands:
    return {s: v for s, v in found.items() if v is not None}


def plainly(rule: Any, calls: Sequence[ToolCall]) -> Stands:
    """What stands where calls come one by one, in order."""
    state = started(rule)
    found: dict[str, Verdict | None] = {}
    for call in sorted(calls, key=lambda c: (c.start_ns is None, c.start_ns, c.position)):
        state.put(JudgedCall(call))
        found |= state.changes()
    return standing(found | state.close(Trajectory(start_ns=0)))


def anyhow(rule: Any, calls: Sequence[ToolCall], data: st.DataObject) -> Stands:
    """What stands where they come in any order, and were known otherwise, or by another agent, before."""
    state = started(rule)
    found: dict[str, Verdict | None] = {}
    for call in data.draw(st.permutations(calls), "order of arrival"):
        if data.draw(st.booleans(), "known otherwise before"):
            state.put(JudgedCall(structs.replace(data.draw(any_call), key=call.key)))
            if data.draw(st.booleans(), "said in between"):
                found |= state.changes()
            state.drop(call.key)
        judged = JudgedCall(structs.replace(call, agent=None, invocation_id=None))
        state.put(judged)
        if data.draw(st.booleans(), "said without agent"):
            found |= state.changes()
        judged.call = call
        state.renew(judged)
        if data.draw(st.booleans(), "closed and opened again"):
            found |= state.changes()
            found |= state.close(Trajectory(start_ns=0))
    found |= state.changes()
    return standing(found | state.close(Trajectory(start_ns=0)))


@pytest.mark.parametrize("rule", RULES, ids=range(len(RULES)))
@given(calls=st.lists(any_call, max_size=8).map(keyed), data=st.data())
def test_what_stands_does_not_hang_on_the_order_of_arrival(
    rule: Any, calls: list[ToolCall], data: st.DataObject
) -> None:
    assert anyhow(rule, calls, data) == plainly(rule, calls)


@given(st.lists(any_call, max_size=6).map(keyed), any_call)
def test_as_many_calls_are_before_another_as_each_by_itself_is(
    calls: list[ToolCall], call: ToolCall
) -> None:
    ended = Ended()
    for each in calls:
        ended.put(each.key, Span(each.start_ns, each.end_ns), Answer.YES)
    for asked in (structs.replace(call, key="x"), *calls):
        answers = [before(each, asked) for each in calls if each.key != asked.key]
        sure, maybe = answers.count(Answer.YES), answers.count(Answer.UNKNOWN)
        assert ended.before(asked) == (sure, maybe, maybe)


few = st.lists(
    st.builds(
        one_call,
        tool=st.sampled_from(["a", "a", "a", "b"]),
        q=st.sampled_from([None, 5, 6]),
        result=st.sampled_from([None, None, 5, 6]),
        status=st.just(Status.OK),
        times=st.just((None, None)),
    ),
    max_size=6,
).map(keyed)


@given(few)
@example(keyed([one_call("a", q, 1, Status.OK, (None, None)) for q in (5, 6, None, 6)]))
def test_a_cycle_cannot_be_checked_where_some_arguments_would_complete_one(
    calls: list[ToolCall],
) -> None:
    assert hides(Loop(key="cycle", n=2), calls) is could_hide(Loop(key="cycle", n=2), calls, "args")


@given(few, st.integers(2, 3))
def test_progress_cannot_be_checked_where_some_results_would_show_that_there_is_none(
    calls: list[ToolCall], n: int
) -> None:
    rule = Loop(key="no_progress", n=n)
    assert hides(rule, calls) is could_hide(rule, calls, "result")


def hides(rule: Loop, calls: Sequence[ToolCall]) -> bool:
    return any(v.label is Label.CANNOT_CHECK for v in plainly(rule, calls).values())


def could_hide(rule: Loop, calls: Sequence[ToolCall], what: str) -> bool:
    """Whether some way to fill in what was not observed gives a run of which no call is in a known one of such blocks."""
    known: dict[str, set[int]] = {}
    for block, places in runs(rule, calls):
        known.setdefault(block, set()).update(places)
    return any(
        known.get(block, set()).isdisjoint(places)
        for filled in fillings(calls, what)
        for block, places in runs(rule, filled)
    )


def runs(rule: Loop, calls: Sequence[ToolCall]) -> list[tuple[str, range]]:
    """Length of the block and places of each run."""
    found = [(s, v) for s, v in plainly(rule, calls).items() if v.label is Label.FAIL]
    return [
        (subject.partition("\x1f")[2], range(int(v.first.key), int(v.last.key) + 1))
        for subject, v in found
    ]


def fillings(calls: Sequence[ToolCall], what: str) -> Iterator[list[ToolCall]]:
    def ways(place: int, call: ToolCall) -> list[ToolCall]:
        if getattr(call, what) is not None:
            return [call]
        values: list[Any] = [5, 6, 7, -place]
        state = {f"{what}_state": ContentState.OBSERVED}
        filled = [{"q": value} if what == "args" else value for value in values]
        return [structs.replace(call, **{what: value}, **state) for value in filled]

    for filled in product(*(ways(place, call) for place, call in enumerate(calls))):
        yield list(filled)
