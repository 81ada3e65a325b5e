"""Spans of many traces in, calls and closed trajectories out."""

from __future__ import annotations

import pytest

from toolscore_otel.assembly import Assembler, Limits
from toolscore_otel.model import ClosedBy, Gap, Span

TRACE = "a" * 32
LIMITS = Limits(settle_ns=2, idle_ns=60, max_age_ns=1000)


def span(
    span_id: str,
    parent: str | None = None,
    *,
    trace_id: str = TRACE,
    end_ns: int | None = 9,
    tool: str | None = None,
    call_id: str | None = None,
) -> Span:
    named = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool} if tool else {}
    return Span(
        trace_id=trace_id,
        span_id=span_id,
        parent_span_id=parent,
        start_ns=1,
        end_ns=end_ns,
        attributes=named | ({"gen_ai.tool.call.id": call_id} if call_id else {}),
    )


def test_a_span_is_read_placed_and_told(say):
    assembler = Assembler()
    fed = assembler.feed(span("s", "p", tool="search"), now=0)
    assert (fed.trace_id, fed.closed, fed.forgotten) == (TRACE, (), ())
    assert [change.after.tool for change in fed.changes if change.after] == ["search"]
    assert assembler.feed(span("p"), now=0).changes[0].before == "s"
    trajectory = assembler.trajectory(TRACE)
    assert (len(trajectory.calls), trajectory.closed_by) == (1, None)
    assert list(assembler.trace(TRACE).nodes) == ["s"]


def test_what_is_not_known_is_a_key_error():
    with pytest.raises(KeyError):
        Assembler().trajectory(TRACE)
    with pytest.raises(KeyError):
        Assembler().trace(TRACE)


# closing


def test_a_trace_whose_root_has_ended_closes_when_it_has_settled():
    assembler = Assembler(LIMITS)
    assembler.feed(span("root"), now=0)
    assert assembler.tick(now=1) == []
    assembler.feed(span("s", "root", tool="search"), now=1)
    assert assembler.tick(now=2) == []
    assert assembler.tick(now=3) == [TRACE]
    assert assembler.trajectory(TRACE).closed_by is ClosedBy.ROOT_ENDED
    assert assembler.tick(now=99) == []
    assert assembler.open_trajectories == 0


@pytest.mark.parametrize("root", [span("root", end_ns=None), span("s", "missing")])
def test_a_trace_whose_root_has_not_ended_closes_when_it_was_silent(root):
    assembler = Assembler(LIMITS)
    assembler.feed(root, now=0)
    assembler.feed(span("t", "root", tool="search"), now=10)
    assert assembler.tick(now=69) == []
    assert assembler.tick(now=70) == [TRACE]
    assert assembler.trajectory(TRACE).closed_by is ClosedBy.IDLE


def test_a_trace_that_never_falls_silent_closes_at_its_greatest_age():
    assembler = Assembler(LIMITS)
    for now in range(0, 1000, 50):
        assembler.feed(span(str(now), "missing"), now=now)
        assert assembler.tick(now) == []
    assembler.feed(span("last", "missing"), now=999)
    assert assembler.tick(now=1000) == [TRACE]
    assert assembler.trajectory(TRACE).closed_by is ClosedBy.MAX_AGE


def test_past_the_cap_of_open_ones_the_one_that_was_silent_longest_is_closed():
    assembler = Assembler(Limits(open_trajectories=2))
    for now, trace_id in enumerate("abab"):
        assembler.feed(span("s", trace_id=trace_id), now=now)
    fed = assembler.feed(span("s", trace_id="c"), now=9)
    assert fed.closed == ("a",)
    assert assembler.trajectory("a").closed_by is ClosedBy.EVICTED
    assert assembler.counters["evicted"] == 1
    assert list(assembler.trace_ids()) == ["a", "b", "c"]


def test_the_caller_ends_all_that_is_open():
    assembler = Assembler()
    for trace_id in "ab":
        assembler.feed(span("s", trace_id=trace_id), now=0)
    assert assembler.close(ClosedBy.SHUTDOWN) == ["a", "b"]
    assert assembler.close(ClosedBy.SHUTDOWN) == []
    assert assembler.trajectory("b").closed_by is ClosedBy.SHUTDOWN


# late spans


def test_a_late_span_reopens_its_trajectory_and_settles_anew():
    assembler = Assembler(LIMITS)
    assembler.feed(span("root"), now=0)
    assembler.tick(now=2)
    fed = assembler.feed(span("s", "root", tool="search"), now=5000)
    assert len(fed.changes) == 1
    assert assembler.trajectory(TRACE).closed_by is None
    assert assembler.counters["late"] == 1
    assert assembler.tick(now=5001) == []
    assert assembler.tick(now=5002) == [TRACE]
    trajectory = assembler.trajectory(TRACE)
    assert (len(trajectory.calls), trajectory.gaps) == (1, ())


def test_a_trajectory_that_was_closed_to_make_room_says_so_when_it_reopens():
    assembler = Assembler(Limits(open_trajectories=1))
    for trace_id in "aba":
        assembler.feed(span("s", trace_id=trace_id), now=0)
    assert assembler.trajectory("a").gaps == (Gap.REOPENED_AFTER_EVICTION,)
    assert assembler.trajectory("b").gaps == ()


def test_what_was_closed_is_forgotten_past_its_cap_and_never_before_it_was_told():
    assembler = Assembler(Limits(open_trajectories=1, closed_trajectories=0))
    assembler.feed(span("s", trace_id="a"), now=0)
    fed = assembler.feed(span("s", trace_id="b"), now=1)
    assert (fed.closed, fed.forgotten) == (("a",), ())
    assert assembler.trajectory("a").closed_by is ClosedBy.EVICTED
    fed = assembler.feed(span("s", trace_id="c"), now=2)
    assert (fed.closed, fed.forgotten) == (("b",), ("a",))
    assert assembler.counters["forgotten"] == 1
    with pytest.raises(KeyError):
        assembler.trajectory("a")


# the cap of spans


def test_past_its_cap_of_spans_a_trace_gives_calls_that_stand_alone():
    assembler = Assembler(Limits(spans_per_trajectory=2))
    assembler.feed(span("root"), now=0)
    assembler.feed(span("s", "root", tool="search"), now=0)
    late = span("t", "root", tool="refund", call_id="x")
    change = assembler.feed(late, now=0).changes[0]
    assert (change.before, change.alone) == (None, True)
    assert change.after is not None
    assert (change.after.key, change.after.call_id, change.after.tool) == ("t", "x", "refund")
    assert Gap.SPAN_LIMIT in change.after.gaps
    assert assembler.feed(late, now=0).changes == ()
    assert assembler.feed(span("plain", "root"), now=0).changes == ()
    assert assembler.counters["span_limit"] == 3
    trajectory = assembler.trajectory(TRACE)
    assert [call.tool for call in trajectory.calls] == ["search", "refund"]
    assert trajectory.incomplete
    assert Gap.SPAN_LIMIT in trajectory.gaps


def test_a_span_that_is_placed_may_say_more_past_the_cap():
    assembler = Assembler(Limits(spans_per_trajectory=1))
    assembler.feed(span("s", tool="search", end_ns=None), now=0)
    changes = assembler.feed(span("s", tool="search"), now=0).changes
    assert [change.alone for change in changes] == [False]
    assert assembler.counters["span_limit"] == 0


def test_calls_that_stand_alone_are_remembered_up_to_the_same_cap(say):
    assembler = Assembler(Limits(spans_per_trajectory=2))
    for number in range(6):
        fed = assembler.feed(span(str(number), "root", tool="search"), now=0)
        assert len(fed.changes) == 1
    assert assembler.counters["span_limit"] == 4
    assert len(assembler.trajectory(TRACE).calls) == 4


def test_each_message_past_the_cap_stands_alone(say):
    assembler = Assembler(Limits(spans_per_trajectory=1))
    assembler.feed(span("root"), now=0)
    place, reading = say.model("m", "root", say.request(), say.request("refund"))
    changes = assembler.add(place, reading, now=0).changes
    assert [change.after.key for change in changes if change.after] == ["m#0", "m#1"]
