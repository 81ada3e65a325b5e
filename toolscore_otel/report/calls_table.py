"""The `calls` table for people: one heading per trace, one row per call, and what was not observed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from toolscore_otel.model import ContentState, Stage, Status, ToolCall
from toolscore_otel.report.terminal import (
    NARROWEST,
    UNKNOWN,
    Marks,
    legend,
    marks_of,
    money,
    offset,
    plain,
    short_args,
    some,
    status_mark,
    stdout_console,
    took,
)

WIDEST_AGENT, WIDEST_TOOL = 12, 18
"""Columns after which the name of an agent or a tool is cut."""


def print_calls(
    found: Sequence[tuple[str, ToolCall]], *, each: bool, console: Console | None = None
) -> None:
    """Print calls as a table, trace by trace in the order of their first calls.

    Args:
        found: recording and call; the recording is empty where all are one.
        each: whether the recording stands in the headings.
        console: standard output if left out.
    """
    console = console or stdout_console()
    marks = marks_of(console)
    traces: dict[tuple[str, str], list[ToolCall]] = {}
    for recording, call in found:
        traces.setdefault((recording, call.trace_id), []).append(call)
    for (recording, _), calls in traces.items():
        console.print(_heading(recording if each else "", calls, marks))
        console.print(_table(calls, marks, max(console.width, NARROWEST)))
        if (missing := _missing(calls)) is not None:
            console.print(missing)
        console.print()
    if found:
        console.print(legend([call for _, call in found], marks))


def _heading(recording: str, calls: Sequence[ToolCall], marks: Marks) -> Text:
    services = sorted({plain(call.service) for call in calls if call.service})
    parts = [*([plain(recording)] if recording else []), *services]
    parts += [
        f"trace {calls[0].trace_id}" if calls[0].trace_id else "no trace id",
        some(len(calls), "call"),
    ]
    if failed := sum(call.status is Status.ERROR for call in calls):
        parts.append(some(failed, "error"))
    return Text(marks.between.join(parts), "bold")


def _table(calls: Sequence[ToolCall], marks: Marks, width: int) -> Table:
    begin = min((call.start_ns for call in calls if call.start_ns is not None), default=None)
    table = Table.grid(padding=(0, 1, 0, 0), collapse_padding=True)
    table.width = width
    table.add_column(justify="right", no_wrap=True, min_width=8)
    table.add_column(no_wrap=True, width=_width((call.agent for call in calls), WIDEST_AGENT))
    table.add_column(no_wrap=True, width=1)
    table.add_column(no_wrap=True, width=_width((call.tool for call in calls), WIDEST_TOOL))
    table.add_column(no_wrap=True, ratio=1, overflow="ellipsis")
    table.add_column(justify="right", no_wrap=True, min_width=7)
    if any(call.cost_usd is not None for call in calls):
        table.add_column(justify="right", no_wrap=True, min_width=7)
    for call in calls:
        table.add_row(*_row(call, begin, marks)[: len(table.columns)])
    return table


def _width(names: Iterable[str | None], widest: int) -> int:
    return min(widest, max((Text(plain(name or UNKNOWN)).cell_len for name in names), default=1))


def _row(call: ToolCall, begin: int | None, marks: Marks) -> list[Text]:
    since = None if begin is None or call.start_ns is None else (call.start_ns - begin) / 1e9
    return [
        Text(offset(since)),
        Text(plain(call.agent or UNKNOWN)),
        status_mark(call, marks),
        Text(plain(call.tool or UNKNOWN)),
        _details(call),
        Text(took(call.duration_s)),
        Text(money(call.cost_usd)),
    ]


def _details(call: ToolCall) -> Text:
    lines = [short_args(call)]
    if call.status is Status.ERROR:
        said = plain(call.error_message or call.error_type or "")
        lines.append(Text(f"error: {said}" if said else "error, no message recorded", "red"))
    return Text("\n").join(lines)


def _missing(calls: Sequence[ToolCall]) -> Text | None:
    """What was not observed, and of how many calls."""
    lacking: Counter[str] = Counter()
    for call in calls:
        ran = call.stage is Stage.EXECUTED
        lacking["arguments"] += call.args_state is ContentState.NOT_OBSERVED
        lacking["results"] += ran and call.result_state is ContentState.NOT_OBSERVED
        lacking["status"] += ran and call.status is Status.UNKNOWN
        lacking["agent"] += call.agent is None
        lacking["times"] += ran and call.duration_s is None
        lacking["cost"] += call.cost_usd is None
    said = [f"{what} {count}" for what, count in lacking.items() if count]
    return Text(f"not recorded, of {some(len(calls), 'call')}: {', '.join(said)}") if said else None
