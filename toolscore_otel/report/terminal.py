"""What all output for people has in common: the console, marks, colours, and short numbers.

Colours are named ones that read on dark and on light terminals, and never the only carrier of a meaning. A number that is
not known is `?`: never 0, never blank. Text from telemetry is shown on one line and without control characters, so that it
cannot steer a terminal.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import cast

from msgspec import Struct
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from toolscore_otel.model import ContentState, Json, Severity, Stage, Status, ToolCall

NARROWEST = 60
"""Columns below which nothing gets narrower; lines are then cut by the terminal."""

UNKNOWN = "?"
"""Stands for every number that was not observed."""


class Marks(Struct, frozen=True, kw_only=True):
    """The signs in use: `UNICODE`, or `ASCII` where the output cannot encode those.

    Attributes:
        whole: a cell of a bar; `left` and `right` are its halves.
        line: joins first and last call of an agent.
        axis: line, start, tick and end of an axis.
        edge: left edge of a finding.
        points: from a finding to its call.
    """

    ok: str
    error: str
    unknown: str
    requested: str
    whole: str
    left: str
    right: str
    line: str
    axis: tuple[str, str, str, str]
    edge: str
    points: str


UNICODE = Marks(
    ok="✓",
    error="✗",
    unknown="?",
    requested="○",
    whole="█",
    left="▌",
    right="▐",
    line="·",
    axis=("─", "└", "┴", "┘"),
    edge="┃",
    points="◄",
)
ASCII = Marks(
    ok="+",
    error="x",
    unknown="?",
    requested="o",
    whole="#",
    left="#",
    right="#",
    line=".",
    axis=("-", "+", "+", "+"),
    edge="|",
    points="<",
)

SEVERITY_STYLES = {
    Severity.CRITICAL: "bold white on red",
    Severity.ERROR: "bold red",
    Severity.WARNING: "bold magenta",
    Severity.INFO: "bold",
}

STATUS_STYLES = {Status.OK: "green", Status.ERROR: "red", Status.UNKNOWN: "default"}


def stdout_console() -> Console:
    """A console on standard output; what its encoding lacks is printed as `?` and raises nothing."""
    out: object = sys.stdout
    if isinstance(out, TextIOWrapper):
        out.reconfigure(errors="replace")
    return Console(highlight=False, markup=False, emoji=False)


def marks_of(console: Console) -> Marks:
    """The signs that this console can print."""
    return ASCII if console.options.ascii_only else UNICODE


def status_mark(call: ToolCall, marks: Marks) -> Text:
    """How a call ended, as one sign."""
    if call.stage is Stage.REQUESTED:
        return Text(marks.requested, "bold")
    sign = {Status.OK: marks.ok, Status.ERROR: marks.error, Status.UNKNOWN: marks.unknown}
    return Text(sign[call.status], f"bold {STATUS_STYLES[call.status]}")


def legend(calls: list[ToolCall], marks: Marks) -> str:
    """What the signs of these calls mean."""
    ran = {call.status for call in calls if call.stage is Stage.EXECUTED}
    asked = any(call.stage is Stage.REQUESTED for call in calls)
    words = [
        (Status.OK in ran, f"{marks.ok} ok"),
        (Status.ERROR in ran, f"{marks.error} error"),
        (asked, f"{marks.requested} asked for, not seen to run"),
        (True, f"{marks.unknown} not known"),
    ]
    return "   ".join(text for used, text in words if used)


def took(seconds: float | None) -> str:
    """A duration in at most seven columns: "54 ms", "5.02 s", "14.5 s", "3 m 05 s", "2 h 07 m"."""
    if seconds is None:
        return UNKNOWN
    if seconds < 0.9995:  # noqa: PLR2004 - else "1000 ms"
        return f"{seconds * 1000:.0f} ms"
    if seconds < 59.95:  # noqa: PLR2004 - else "60.0 s"
        return f"{seconds:.2f} s" if seconds < 9.995 else f"{seconds:.1f} s"  # noqa: PLR2004 - else "10.00 s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:  # noqa: PLR2004 - minutes of an hour
        return f"{minutes} m {rest:02} s"
    return f"{minutes // 60} h {minutes % 60:02} m"


def offset(seconds: float | None) -> str:
    """A time since some start, in at most eight columns: "0.05 s", "14.47 s", "3 m 05 s"."""
    if seconds is None:
        return UNKNOWN
    return f"{seconds:.2f} s" if seconds < 59.995 else took(seconds)  # noqa: PLR2004 - else "60.00 s"


def money(usd: float | None) -> str:
    """An amount in at most eight columns: "$0.2208", "$12.30", "<$0.0001"."""
    if usd is None:
        return UNKNOWN
    if 0 < usd < 0.0001:  # noqa: PLR2004 - what four digits cannot show
        return "<$0.0001"
    return f"${usd:.4f}" if usd < 1 else f"${usd:,.2f}"


def number(count: int | None) -> str:
    """A count with its thousands apart."""
    return UNKNOWN if count is None else f"{count:,}"


def some(count: int, noun: str) -> str:
    """A count with its noun: "1 call", "3 calls", "2 trajectories"."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number(count)} {noun if count == 1 else plural}"


def plain(text: str) -> str:
    """Text of others as one line that cannot steer a terminal."""
    return "".join(
        sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}"
        for sign in " ".join(text.split())
    )


class Column(Struct, frozen=True):
    """A column of a table whose rows are printed one by one.

    Attributes:
        right: whether its cells stand at the right edge.
    """

    width: int
    right: bool = False


def in_columns(cells: Sequence[Text], columns: Sequence[Column]) -> Text:
    """One row, a blank between two cells, cells that are too long cut with an ellipsis."""
    row = Text()
    for cell, column in zip(cells, columns, strict=True):
        shown = cell.copy()
        shown.truncate(column.width, overflow="ellipsis")
        shown.align("right" if column.right else "left", column.width)
        row.append_text(shown).append(" ")
    row.rstrip()
    return row


def print_wrapped(
    console: Console, text: Text, *, indent: int = 0, width: int | None = None
) -> None:
    """Print a paragraph between an indent and a width, without blanks at the line ends."""
    for line in text.wrap(console, (width or console.width) - indent):
        line.rstrip()
        console.print(Text(" " * indent).append_text(line))


def print_packed(
    console: Console, parts: Sequence[str], *, indent: int = 0, style: str = ""
) -> None:
    """Print parts with commas between them, as many on a line as fit; only a part longer than a line is broken."""
    room = console.width - indent
    line = ""
    for part in parts:
        if line and cell_len(f"{line}, {part},") > room:
            print_wrapped(console, Text(f"{line},", style), indent=indent)
            line = part
        else:
            line = f"{line}, {part}" if line else part
    print_wrapped(console, Text(line, style), indent=indent)


def short_args(call: ToolCall) -> Text:
    """The arguments on one line, or in words why they cannot be shown."""
    if call.args_state is ContentState.NOT_OBSERVED:
        return Text("not recorded", "italic")
    if call.args_state is ContentState.OBSERVED:
        return Text(plain(_pairs(call.args)))
    why = "cut: " if call.args_state is ContentState.TRUNCATED else "no JSON: "
    return Text.assemble((why, "italic"), plain(call.args_text or ""))


def _pairs(args: Json) -> str:
    if not isinstance(args, dict) or not args:
        return _json(args)
    named = cast("dict[str, Json]", args)
    return ", ".join(f"{key}={_json(value)}" for key, value in named.items())


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
