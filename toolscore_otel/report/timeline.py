"""Calls on a shared time axis, by agent: who called what when, for how long, and which finding sits on which call.

One row per call under its agent. An agent that worked inside a call stands under that call, where the nesting is known.
A bar is as long as the call took, in half columns, and never shorter than one; a call whose times were not recorded has no
bar, and one that was not seen to end has only its beginning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from toolscore_otel.model import EMPTY, Finding, Label, Severity, ToolCall
from toolscore_otel.report.terminal import (
    NARROWEST,
    SEVERITY_STYLES,
    STATUS_STYLES,
    UNKNOWN,
    Marks,
    marks_of,
    money,
    plain,
    status_mark,
    took,
)

WIDEST_NAME = 24
"""Columns after which a name is cut, its indent counted."""

INDENT = 2

DEEPEST = 20
"""Indents after which an agent is not shown inside its call any more but by itself."""


def timeline(
    calls: Sequence[ToolCall],
    findings: Sequence[Finding],
    width: int,
    *,
    begin_ns: int | None = None,
    parents: Mapping[str, str | None] = EMPTY,
) -> Timeline:
    """The timeline of one trajectory.

    Args:
        calls: in order of start.
        findings: those at `fail` are marked on their rows by their number, counted from 1 in this order.
        width: columns.
        begin_ns: the left edge; the start of the first call if left out.
        parents: span id -> parent span id, of as many spans of the trace as are known. Without them no agent is shown
            inside the call that started it.
    """
    return Timeline(tuple(calls), tuple(findings), max(width, NARROWEST), begin_ns, parents)


class Timeline(Struct, frozen=True):
    """A rich renderable; see `timeline`."""

    calls: tuple[ToolCall, ...]
    findings: tuple[Finding, ...]
    width: int
    begin_ns: int | None
    parents: Mapping[str, str | None]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The lines, heading by heading and row by row."""
        marks = marks_of(console)
        rows = list(_rows(self.calls, self.parents))
        if not rows:
            return
        axis = _Axis.of(self, rows, marks)
        sits = _numbers(self.findings)
        for row in rows:
            yield axis.agent(row) if row.call is None else axis.call(row.call, row, sits)
        yield from axis.ticks()


class _Row(Struct, frozen=True):
    """One call, or the heading of an agent over its calls."""

    name: str
    depth: int
    call: ToolCall | None = None
    below: tuple[ToolCall, ...] = ()


def _rows(calls: Sequence[ToolCall], parents: Mapping[str, str | None]) -> Iterator[_Row]:
    groups: dict[str, list[ToolCall]] = {}
    for call in calls:
        groups.setdefault(call.invocation_id or call.agent or "", []).append(call)
    spans = {call.span_id for call in calls if call.span_id}
    inside: dict[str | None, list[str]] = {}
    for group in groups:
        inside.setdefault(_around(group, spans, parents), []).append(group)
    for group in [*inside.get(None, ()), *groups]:  # what goes round in a circle comes last
        yield from _of_agent(group, 0, groups, inside)


def _of_agent(
    group: str,
    depth: int,
    left: dict[str, list[ToolCall]],
    inside: Mapping[str | None, list[str]],
) -> Iterator[_Row]:
    """The rows of one agent invocation, once: it is taken out of what is left."""
    calls = left.pop(group, None)
    if calls is None:
        return
    yield _Row(calls[0].agent or "agent not recorded", depth, below=tuple(calls))
    for call in calls:
        yield _Row(call.tool or UNKNOWN, depth + 1, call)
        if call.span_id and depth < DEEPEST:
            for inner in inside.get(call.span_id, ()):
                yield from _of_agent(inner, depth + 2, left, inside)


def _around(group: str, spans: set[str], parents: Mapping[str, str | None]) -> str | None:
    """The nearest call around an agent invocation, or None where none is known."""
    seen = {group}
    at = parents.get(group)
    while at is not None and at not in seen:
        if at in spans:
            return at
        seen.add(at)
        at = parents.get(at)
    return None


def _numbers(findings: Iterable[Finding]) -> dict[str | None, list[tuple[int, Severity]]]:
    """Span id -> numbers and severities of the findings that sit on it."""
    found: dict[str | None, list[tuple[int, Severity]]] = {}
    for count, finding in enumerate(findings, start=1):
        if finding.label is Label.FAIL and finding.span_id is not None:
            found.setdefault(finding.span_id, []).append((count, finding.severity))
    return found


class _Axis(Struct, frozen=True):
    """Turns times into columns, and rows into lines of the same columns.

    Attributes:
        begin: nanoseconds at the left edge.
        span: nanoseconds from edge to edge, at least 1.
        names: columns of the names.
        bars: columns of the bars.
    """

    begin: int
    span: int
    names: int
    bars: int
    marks: Marks

    @classmethod
    def of(cls, line: Timeline, rows: Sequence[_Row], marks: Marks) -> _Axis:
        times = _times(line.calls)
        begin = min(times, default=0) if line.begin_ns is None else line.begin_ns
        names = max(INDENT * row.depth + Text(plain(row.name)).cell_len for row in rows)
        names = min(names, WIDEST_NAME)
        span = max(1, max(times, default=0) - begin)
        return cls(begin, span, names, line.width - names - _RIGHT, marks)

    def agent(self, row: _Row) -> Text:
        """The heading of an agent, with a line from its first call to its last."""
        times = _times(row.below)
        line = self._name(row, "bold")
        if times:
            first, last = self._half(min(times)) // 2, (self._half(max(times)) - 1) // 2
            line.append(" " * first + self.marks.line * (max(first, last) - first + 1))
        return line

    def call(
        self, call: ToolCall, row: _Row, sits: Mapping[str | None, list[tuple[int, Severity]]]
    ) -> Text:
        """The row of a call."""
        line = self._name(row, "").append_text(self._bar(call)).append(" ")
        line.append_text(status_mark(call, self.marks))
        line.append(f"{took(call.duration_s):>8}{money(call.cost_usd):>9} ")
        numbers = sits.get(call.span_id, []) if call.span_id else []
        if numbers:
            worst = max((severity for _, severity in numbers), key=lambda severity: severity.rank)
            said = ",".join(str(count) for count, _ in numbers)
            line.append(f"{self.marks.points}{said}", SEVERITY_STYLES[worst])
        line.truncate(self.names + self.bars + _RIGHT)
        line.rstrip()
        return line

    def ticks(self) -> Iterator[Text]:
        """The axis and, below it, its numbers."""
        rule, start, tick, end = self.marks.axis
        step = _step(self.span / 1e9, self.bars)
        at = [n * step for n in range(int(self.span / 1e9 / step) + 1)]
        columns = [min(self._half(self.begin + round(s * 1e9)) // 2, self.bars - 1) for s in at]
        line = [rule] * self.bars
        numbers = [" "] * (self.bars + 8)
        for column, seconds in zip(columns, at, strict=True):
            line[column] = tick
            said = f"{seconds:g}" + (" s" if seconds == at[-1] else "")
            numbers[column : column + len(said)] = said
        line[0], line[-1] = start, end
        yield Text(" " * (self.names + 1) + "".join(line))
        yield Text((" " * (self.names + 1) + "".join(numbers)).rstrip())

    def _name(self, row: _Row, style: str) -> Text:
        name = Text(" " * (INDENT * row.depth)).append(plain(row.name), style)
        name.truncate(self.names, overflow="ellipsis", pad=True)
        return name.append(" ")

    def _bar(self, call: ToolCall) -> Text:
        if call.start_ns is None:
            return Text("times not recorded"[: self.bars].ljust(self.bars))
        first = min(self._half(call.start_ns), 2 * self.bars - 1)
        if call.end_ns is None:
            said = f"{self.marks.left}{UNKNOWN}"[: self.bars - first // 2]
            return Text((" " * (first // 2) + said).ljust(self.bars))
        last = max(first + 1, self._half(call.end_ns))
        cells = (self._cell(2 * n, first, last) for n in range(self.bars))
        return Text("".join(cells), STATUS_STYLES[call.status])

    def _cell(self, left: int, first: int, last: int) -> str:
        halves = (first <= left < last, first <= left + 1 < last)
        shown = {
            (True, True): self.marks.whole,
            (True, False): self.marks.left,
            (False, True): self.marks.right,
        }
        return shown.get(halves, " ")

    def _half(self, time_ns: int) -> int:
        """The half column of a time, counted from the left edge."""
        return round((time_ns - self.begin) * 2 * self.bars / self.span)


_RIGHT = 1 + 2 + 8 + 9 + 1 + 5
"""Columns beside names and bars: a blank, status, duration, cost, and the numbers of findings."""


def _times(calls: Iterable[ToolCall]) -> list[int]:
    return [t for call in calls for t in (call.start_ns, call.end_ns) if t is not None]


def _step(seconds: float, columns: int) -> float:
    """Seconds between ticks: the least of 1, 2 and 5 times a power of ten whose numbers have room."""
    for exponent in range(-6, 9):
        for factor in (1, 2, 5):
            step = factor * 10.0**exponent
            widest = max(len(f"{step:g}"), len(f"{int(seconds / step) * step:g}"))
            if step * columns / seconds >= widest + 2:
                return step
    return seconds
