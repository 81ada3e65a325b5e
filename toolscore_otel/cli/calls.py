"""`toolscore-otel calls`: the rebuilt calls, as a table or one JSON object a line."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolscore_otel.assembly import Assembler, in_lots, in_order
from toolscore_otel.cli.exits import Exit, complain, warn, wrapped
from toolscore_otel.cli.reading import Reader, each_option, recordings
from toolscore_otel.model import ClosedBy, Gap, ToolCall
from toolscore_otel.report.calls_json import call_object
from toolscore_otel.report.json_line import json_line
from toolscore_otel.report.redaction import redacted
from toolscore_otel.secrets import Scanner, redact_text

if TYPE_CHECKING:
    from toolscore_otel.contracts import Contract


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "jsonl"]),
    default="table",
    show_default=True,
    help="What to print.",
)
@click.option(
    "--contracts",
    multiple=True,
    metavar="PATH",
    help="Use the tool registry of these contracts: aliases, dispatchers, prices, failure tests.",
)
@each_option
@click.option("--raw", is_flag=True, help="Print values as recorded, secrets included.")
def calls(
    files: tuple[str, ...], form: str, contracts: tuple[str, ...], *, each: bool, raw: bool
) -> int:
    """Rebuild the tool calls of recorded telemetry.

    Prints every call with its arguments, result, status, agent, times and cost, and says what was not observed.
    Secrets are redacted unless --raw is given.

    \b
    Examples:
      toolscore-otel calls traces.jsonl
      toolscore-otel calls --format jsonl traces.jsonl.gz | jq .tool
      kubectl exec ... -- cat /traces.jsonl | toolscore-otel calls -
    """
    loaded = _loaded(contracts) if contracts else ()
    reader = Reader(files)
    scanner = None if raw else _scanner(loaded, much=reader.has_much)
    found: list[tuple[str, ToolCall]] = []
    lacking: set[Gap] = set()
    with reader.progress():
        for file, paths in recordings(files, each=each).items():
            name = redact_text(file, scanner) if scanner else file
            for call in _seen(_rebuilt(reader, paths, lacking), loaded, scanner):
                found.append((name, call))
                if form == "jsonl":
                    _write(call, name if each else None)
    if form == "table":
        from toolscore_otel.report.calls_table import print_calls

        print_calls(found, each=each)
    if not found:
        complain(wrapped(_nothing(reader, lacking), ""))
    return Exit.PASS if found else Exit.NOT_JUDGED


def _loaded(contracts: Sequence[str]) -> Sequence[Contract]:
    from toolscore_otel.contracts import load

    return load(contracts, warn=warn)


def _scanner(contracts: Sequence[Contract], *, much: bool) -> Scanner:
    if not contracts:  # re2 finds the same, and is ready half a second sooner
        return Scanner(engine="auto" if much else "re2")
    from toolscore_otel.contracts.secret_patterns import scanner_of

    return scanner_of(contracts)


def _rebuilt(reader: Reader, paths: Iterable[Path], lacking: set[Gap]) -> Iterator[ToolCall]:
    """The calls in order; what their trajectories lack is added to `lacking`."""
    assembler = Assembler()
    for some in in_lots(reader.read(paths)):
        assembler.feed_all(some, 0)
    assembler.close(ClosedBy.END_OF_INPUT)
    yield from in_order(_calls_of(assembler, lacking))


def _calls_of(assembler: Assembler, lacking: set[Gap]) -> Iterator[ToolCall]:
    for trace_id in assembler.trace_ids():
        trajectory = assembler.trajectory(trace_id)
        lacking.update(trajectory.gaps)
        yield from trajectory.calls


def _seen(
    rebuilt: Iterable[ToolCall], contracts: Iterable[Contract], scanner: Scanner | None
) -> Iterator[ToolCall]:
    for call in rebuilt:
        for contract in contracts:
            call = contract.judge(call).call  # noqa: PLW2901 - one registry after the other
        yield redacted(call, scanner) if scanner else call


def _write(call: ToolCall, recording: str | None) -> None:
    line = call_object(call)
    if recording is not None:
        line["recording"] = recording
    sys.stdout.write(json_line(line) + "\n")


def _nothing(reader: Reader, lacking: Collection[Gap]) -> str:
    stats = reader.stats
    why = (
        "A model asked for tools, and nothing that is understood here says for which: the "
        "recording of content may be off, and tools may have no spans. `toolscore-otel doctor` "
        "names the setting where it is known."
        if Gap.TOOL_SPANS_MISSING in lacking
        else "The spans of your agent framework's instrumentation may be missing here: "
        "check that it is switched on and that this file holds its traces."
    )
    return (
        f"toolscore-otel: no tool call in {stats.spans} spans and {stats.logs} log records. {why}"
    )
