"""`toolscore-otel calls`: the rebuilt calls, as a table or one JSON object a line."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolscore_otel.assembly import Assembler, in_lots, in_order
from toolscore_otel.cli.exits import Exit, complain, warn, wrapped
from toolscore_otel.cli.reading import Reader, each_option, recordings
from toolscore_otel.model import ClosedBy, ToolCall
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
    with reader.progress():
        for file, paths in recordings(files, each=each).items():
            name = redact_text(file, scanner) if scanner else file
            for call in _seen(_rebuilt(reader, paths), loaded, scanner):
                found.append((name, call))
                if form == "jsonl":
                    _write(call, name if each else None)
    if form == "table":
        from toolscore_otel.report.calls_table import print_calls

        print_calls(found, each=each)
    if not found:
        complain(wrapped(_nothing(reader), ""))
    return Exit.PASS if found else Exit.NOT_JUDGED


def _loaded(contracts: Sequence[str]) -> Sequence[Contract]:
    from toolscore_otel.contracts import load

    return load(contracts, warn=warn)


def _scanner(contracts: Sequence[Contract], *, much: bool) -> Scanner:
    if not contracts:  # re2 finds the same, and is ready half a second sooner
        return Scanner(engine="auto" if much else "re2")
    from toolscore_otel.contracts.secret_patterns import scanner_of

    return scanner_of(contracts)


def _rebuilt(reader: Reader, paths: Iterable[Path]) -> Iterator[ToolCall]:
    assembler = Assembler()
    for some in in_lots(reader.read(paths)):
        assembler.feed_all(some, 0)
    assembler.close(ClosedBy.END_OF_INPUT)
    trajectories = (assembler.trajectory(trace_id) for trace_id in assembler.trace_ids())
    yield from in_order(call for trajectory in trajectories for call in trajectory.calls)


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


def _nothing(reader: Reader) -> str:
    stats = reader.stats
    return (
        f"toolscore-otel: no tool call in {stats.spans} spans and {stats.logs} log records. "
        "The spans of your agent framework's instrumentation may be missing here: "
        "check that it is switched on and that this file holds its traces."
    )
