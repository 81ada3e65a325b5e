"""The whole of a trace in one picture: the calls of each agent as bars, and those that ran at once below each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush

from toolscore_otel.model import Severity, ToolCall
from toolscore_otel.report.html_text import Html, tag
from toolscore_otel.report.html_time import Axis
from toolscore_otel.report.terminal import some, took

WIDE, HIGH, LEAST = 1000, 15, 3
"""Units of the picture: its width, the height of a lane, the width of the shortest bar."""

MOST = 16
"""Lanes of one agent; what else ran at once shares the last."""

Member = tuple[str, ToolCall, Severity | None]
"""The id of the element of a call, the call, and the worst finding on it."""


def lanes(agents: Mapping[str, Sequence[Member]], axis: Axis) -> Html:
    """The picture.

    Args:
        agents: calls by agent, in order of start.
        axis: that all share.
    """
    rows = [row for name, members in agents.items() for row in _row(name, members, axis)]
    ticks = tag("div", tag("span"), tag("span", *axis.ticks(), class_="track"), class_="axis")
    return tag("div", *rows, ticks, class_="lanes")


def _row(name: str, members: Sequence[Member], axis: Axis) -> Iterator[Html]:
    yield tag("span", name, class_="who")
    placed = list(in_lanes([(axis.bar(member[1]), member) for member in members]))
    count = max((lane for lane, _, _ in placed), default=0) + 1
    bars = [bar for lane, at, member in placed for bar in _bar(lane, at, member)]
    untimed = len(members) - len(placed)
    said = f"{some(len(placed), 'call')} of {name}, at most {count} at once"
    if untimed:
        said += f"; of {some(untimed, 'call')} no times were recorded"
    yield tag(
        "svg",
        *bars,
        viewBox=f"0 0 {WIDE} {count * HIGH}",
        preserveAspectRatio="none",
        role="img",
        aria_label=said,
        style=f"height:{count * HIGH}px",
    )


def _bar(lane: int, at: tuple[float, float], member: Member) -> Iterator[Html]:
    element, call, worst = member
    left, width = at
    wide = max(LEAST, width * WIDE)
    left = min(left * WIDE, WIDE - wide)
    told = f"{call.tool}, {took(call.duration_s)}" + (f", {worst} finding" if worst else "")
    place = {"x": f"{left:.1f}", "width": f"{wide:.1f}", "data_c": element}
    shape = tag("rect", y=lane * HIGH + 4, height=HIGH - 6, class_=call.status.value, **place)
    yield tag("g", tag("title", told), shape, _flag(lane, worst, place))


def _flag(lane: int, worst: Severity | None, place: Mapping[str, str]) -> Html:
    if worst is None:
        return Html()
    return tag("rect", y=lane * HIGH, height=3, class_=f"flag {worst}", **place)


def in_lanes(
    bars: Sequence[tuple[tuple[float, float] | None, Member]],
) -> Iterator[tuple[int, tuple[float, float], Member]]:
    """Each bar that has a place with the first lane that is free there; bars are in order of start."""
    ends: list[tuple[float, int]] = []
    free: list[int] = []
    count = 0
    for at, member in bars:
        if at is None:
            continue
        left, width = at
        while ends and ends[0][0] <= left:
            heappush(free, heappop(ends)[1])
        if free:
            lane = heappop(free)
        else:
            lane, count = min(count, MOST - 1), count + 1
        heappush(ends, (left + width, lane))
        yield lane, at, member
