"""Sums of spans that come and go."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, strategies as st

from toolscore_otel.engine.shares import Share
from toolscore_otel.engine.tally import Tally

Stretch = tuple[int | None, int | None]

moments = st.one_of(st.none(), st.integers(0, 9))
steps = st.lists(st.tuples(st.integers(0, 4), st.one_of(st.none(), st.tuples(moments, moments))))


def share(start_ns: int | None, end_ns: int | None) -> Share:
    return Share(
        service=None,
        environment=None,
        attributes={},
        agent=None,
        invocation=None,
        conversation=None,
        is_agent=False,
        is_actor=True,
        start_ns=start_ns,
        end_ns=end_ns,
    )


def latency_of(tally: Tally) -> int | None:
    return tally.totals().latency_ns


@given(steps)
def test_the_length_is_that_of_the_spans_that_are_there(made: Sequence[tuple[int, Stretch | None]]):
    tally, there = Tally(own=False, active=False), dict[str, Stretch]()
    for number, stretch in made:
        place = str(number)
        if there.pop(place, None) is not None:
            tally.drop(place)
        if stretch is not None:
            tally.put(place, share(*stretch))
            there[place] = stretch
        known = [[t for t in stretch if t is not None] for stretch in there.values()]
        firsts = [start if start is not None else end for start, end in there.values()]
        lasts = [end if end is not None else start for start, end in there.values()]
        begins, ends = ([t for t in side if t is not None] for side in (firsts, lasts))
        expected = max(0, max(ends) - min(begins)) if any(known) else None
        assert latency_of(tally) == expected


def test_a_span_that_is_only_another_one_now_reaches_as_far_as_it_says() -> None:
    tally = Tally(own=False, active=False)
    for number in range(5):
        tally.put(str(number), share(number * 10, number * 10 + 10))
    for end_ns in (50, 60, 45):
        tally.drop("4")
        tally.put("4", share(40, end_ns))
        assert latency_of(tally) == end_ns
    tally.drop("4")
    assert latency_of(tally) == 40
