"""Entries in order, of which late ones wait where they would cost much."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from msgspec import Struct

from tests.unit.rules.conftest import Watched
from toolscore_otel.model import ContentState, ToolCall, Trajectory
from toolscore_otel.rules.forbid import Forbid
from toolscore_otel.rules.in_order import AT_ONCE, PER_CHANGE, InOrder
from toolscore_otel.rules.intake import OrderKey
from toolscore_otel.rules.limit import Limit
from toolscore_otel.rules.loop import Loop
from toolscore_otel.rules.order import Order

MANY = 3 * AT_ONCE


class Entry(Struct):
    order: OrderKey


class Line:
    """A line whose automaton counts what it is told."""

    def __init__(self) -> None:
        self.told = 0
        self.line: InOrder[Entry] = InOrder(self._tell, self._tell)

    def _tell(self, entry: Entry) -> None:
        self.told += 1
        self.line.touched.add(entry.order[2])

    def feed(self, *places: int) -> Line:
        for place in places:
            self.line.insert(entry(place))
            self.line.advance()
        return self

    @property
    def places(self) -> list[int]:
        return [each.order[0] for each in self.line.entries]


def entry(place: int) -> Entry:
    return Entry((place, 0, f"c{place}"))


def test_one_that_comes_in_order_counts_at_once() -> None:
    line = Line().feed(*range(MANY))
    assert (line.places, line.told) == (list(range(MANY)), MANY)


def test_a_late_one_counts_at_once_where_little_stands_behind_it() -> None:
    line = Line().feed(*range(1, AT_ONCE + 1), 0)
    assert line.places == list(range(AT_ONCE + 1))


def test_a_late_one_counts_at_once_where_enough_came_in_order_before() -> None:
    assert Line().feed(*range(1, MANY), 0).places == list(range(MANY))


def backwards(count: int) -> Line:
    return Line().feed(*range(count, 0, -1))


def test_of_those_that_come_backwards_few_wait() -> None:
    line = backwards(1_000)
    assert 1_000 * (1 - 1 / PER_CHANGE) <= len(line.places) < 1_000
    assert "c1" in line.line.settle()
    assert line.places == list(range(1, 1_001))
    assert line.line.settle() == set()


def test_those_that_come_backwards_cost_a_few_times_what_they_cost_in_order() -> None:
    few, many = backwards(1_000).told / 1_000, backwards(9_000).told / 9_000
    assert many <= 1.1 * few
    assert many <= 2 * PER_CHANGE + 1


def test_one_that_goes_waits_too_and_may_come_again() -> None:
    line = backwards(MANY)
    line.line.settle()
    line.line.remove(entry(1).order)
    line.line.insert(entry(1))
    line.line.settle()
    assert line.places == list(range(1, MANY + 1))


@given(st.permutations(range(120)), st.sets(st.integers(0, 119)))
def test_what_stands_in_the_end_is_what_came_and_did_not_go(places, gone) -> None:
    line = Line().feed(*places)
    for place in gone:
        line.line.remove(entry(place).order)
        line.line.advance()
    line.line.settle()
    assert line.places == [place for place in range(120) if place not in gone]


RULES: Sequence[Any] = (
    Loop(key="same_call", n=3),
    Loop(key="retry_after_error", n=1),
    Loop(key="no_progress", n=3),
    Loop(key="cycle", n=2),
    Limit(tool="a", max=9, sum="n"),
    Limit(tool="a", max=3, per="1ms"),
    Forbid(tool="a", unless={"before": {"tool": "b", "args": {"n": 1}}}),
    Order(never="a", after={"tool": "b", "args": {"n": 1}}, until="c"),
    Order(first={"tool": "b", "args": {"n": 1}}, then="a"),
)


def call(number: int, said: tuple[str, int | None, str, int], invocation: str) -> ToolCall:
    tool, n, status, took = said
    start = number * 100_000
    return ToolCall(
        tool=tool,
        args={"n": n} if n else None,
        result=n,
        status=status,  # type: ignore[arg-type]
        start_ns=start,
        end_ns=start + took * 70_000 if took else None,
        invocation_id=invocation,
        key=f"c{number}",
    )


said = st.tuples(
    st.sampled_from(["a", "a", "b", "c"]),
    st.sampled_from([1, 2, None]),
    st.sampled_from(["ok", "error", "unknown"]),
    st.sampled_from([0, 1, 1, 3]),
)


def closed(rule: Any, calls: Sequence[ToolCall], moved: Sequence[int] = ()) -> dict[str, Any]:
    watched = Watched(rule)
    for each in calls:
        watched.put(each)
    for number in moved:
        there = next(each for each in calls if each.key == f"c{number}")
        watched.replace(there, status="ok", args={"n": 1}, args_state=ContentState.OBSERVED)
        watched.replace(there)
    return watched.note(watched.state.close(Trajectory())).stands


@pytest.mark.parametrize("rule", RULES, ids=str)
@settings(max_examples=12)
@given(
    made=st.lists(st.tuples(said, st.sampled_from(["x", "x", "y"])), min_size=60, max_size=110),
    data=st.data(),
)
def test_verdicts_of_long_trajectories_do_not_hang_on_the_order_of_arrival(
    rule: Any, made: list[Any], data: st.DataObject
) -> None:
    calls = [call(number, *each) for number, each in enumerate(made)]
    moved = data.draw(st.lists(st.integers(0, len(calls) - 1), max_size=5))
    expected = closed(rule, calls)
    assert closed(rule, calls[::-1], moved) == expected
    assert closed(rule, data.draw(st.permutations(calls))) == expected


def test_a_loop_that_moves_to_another_invocation_stands_there(
    made: Callable[..., ToolCall],
) -> None:
    others = [made("other", {"n": number}, invocation_id="x") for number in range(2 * MANY)]
    same = [made("a", {"n": 1}, result=1, invocation_id="x", at=number) for number in range(3)]
    watched = Watched(Loop(key="same_call", n=3)).put(*others)
    watched.put(*same)
    for each in same:
        watched.replace(each, invocation_id="y")
    watched.close()
    assert [verdict.count for verdict in watched.fails] == [3]
