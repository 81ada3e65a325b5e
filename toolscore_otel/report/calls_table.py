"""The `calls` table for people: one heading per trace, one row per call, and what was not observed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from toolscore_otel.model import ContentState, Stage, Status, Tokens, ToolCall
from toolscore_otel.report.sums import Sum, count
from toolscore_otel.report.terminal import (
    NARROWEST,
    UNKNOWN,
    Column,
    Marks,
    in_columns,
    legend,
    marks_of,
    money,
    offset,
    plain,
    print_packed,
    print_wrapped,
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
        print_packed(console, _heading(recording if each else "", calls), style="bold")
        _print_rows(calls, console, marks)
        for said in (_asked_by(calls), _missing(calls)):
            if said is not None:
                print_wrapped(console, said)
        console.print()
    if found:
        console.print(legend([call for _, call in found], marks))


def _heading(recording: str, calls: Sequence[ToolCall]) -> list[str]:
    trace = f"trace {calls[0].trace_id}" if calls[0].trace_id else "no trace id"
    services = sorted({plain(call.service) for call in calls if call.service})
    failed = sum(call.status is Status.ERROR for call in calls)
    parts = (
        plain(recording),
        *services,
        trace,
        some(len(calls), "call"),
        failed and some(failed, "error"),
    )
    return [part for part in parts if part]


def _print_rows(calls: Sequence[ToolCall], console: Console, marks: Marks) -> None:
    begin = min((call.start_ns for call in calls if call.start_ns is not None), default=None)
    costs = any(call.cost_usd is not None for call in calls)
    columns = _columns(calls, max(console.width, NARROWEST), costs=costs)
    before_tool = sum(column.width + 1 for column in columns[:3])
    for call in calls:
        row = in_columns(_cells(call, begin, marks)[: len(columns)], columns)
        console.print(row, no_wrap=True, overflow="ellipsis")
        if call.status is Status.ERROR:
            said = plain(call.error_message or call.error_type or "")
            error = Text(f"error: {said}" if said else "error, no message recorded", "red")
            error.truncate(console.width - before_tool, overflow="ellipsis")
            console.print(Text(" " * before_tool).append_text(error))


def _columns(calls: Sequence[ToolCall], width: int, *, costs: bool) -> list[Column]:
    agent = _width((call.agent for call in calls), WIDEST_AGENT)
    tool = _width((call.tool for call in calls), WIDEST_TOOL)
    numbers = [Column(8, right=True)] * (2 if costs else 1)
    args = max(10, width - 8 - agent - 1 - tool - 5 - 9 * len(numbers))
    return [Column(8, right=True), Column(agent), Column(1), Column(tool), Column(args), *numbers]


def _width(names: Iterable[str | None], widest: int) -> int:
    return min(widest, max((Text(plain(name or UNKNOWN)).cell_len for name in names), default=1))


def _cells(call: ToolCall, begin: int | None, marks: Marks) -> list[Text]:
    since = None if begin is None or call.start_ns is None else (call.start_ns - begin) / 1e9
    return [
        Text(offset(since)),
        Text(plain(call.agent or UNKNOWN)),
        status_mark(call, marks),
        Text(plain(call.tool or UNKNOWN)),
        short_args(call),
        Text(took(call.duration_s)),
        Text(money(call.cost_usd)),
    ]


def _asked_by(calls: Sequence[ToolCall]) -> Text | None:
    """The model calls that asked for them, each once: how many of which models, and what these used and cost."""
    turns = {call.turn_id: call for call in calls if call.turn_id}
    if not turns:
        return None
    asking = turns.values()
    models = ", ".join(sorted({plain(call.model or "a model not recorded") for call in asking}))
    tokens = [call.turn_tokens or Tokens() for call in asking]
    given, made = Sum.of(each.input for each in tokens), Sum.of(each.output for each in tokens)
    cost = Sum.of(call.turn_cost_usd for call in asking)
    used = f"tokens in {given.said(count)}, out {made.said(count)}, cost {cost.said(money)}"
    return Text(f"asked for in {some(len(turns), 'turn')} of {models}: {used}")


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
