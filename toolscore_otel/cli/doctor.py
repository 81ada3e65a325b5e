"""`toolscore-otel doctor`: what telemetry shows, which rules can be checked on it, and what to switch on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from toolscore_otel.cli.exits import Exit, complain, warn, wrapped
from toolscore_otel.cli.reading import Reader
from toolscore_otel.contracts import Contract, load
from toolscore_otel.contracts.secret_patterns import scanner_of
from toolscore_otel.engine.diagnosis import Diagnosis, diagnose
from toolscore_otel.report.terminal import plain
from toolscore_otel.secrets import Scanner, redact_text

MOST_WRITERS = 5
"""How many instrumentations are named that say nothing of agents."""


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--contracts",
    multiple=True,
    metavar="PATH",
    help="Say of each rule of these contracts whether it can be checked on this telemetry.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="What to print.",
)
def doctor(files: tuple[str, ...], contracts: tuple[str, ...], form: str) -> Exit:
    """Say what telemetry shows and lacks; name the switch to turn.

    Per service and instrumentation: of how many calls the name, arguments, result, status, times, agent, call id,
    conversation and cost were recorded, and the setting of that very instrumentation that records more. With
    --contracts, each rule: whether it can be checked here, and what is missing where it cannot.

    Start here when a rule says "cannot check", or before contracts are written: what is not recorded cannot be judged.

    \b
    Examples:
      toolscore-otel doctor traces.jsonl
      toolscore-otel doctor traces.jsonl logs.jsonl --contracts contracts/
      toolscore-otel doctor traces.jsonl --format json | jq .coverage

    Ends with 0, also where much is missing; with 2 where input or contracts cannot be read; with 3 where there is no
    agent, model or tool span at all.
    """
    loaded = load(contracts, warn=warn) if contracts else ()
    reader, scanner = Reader(files), scanner_of(loaded)
    with reader.progress():
        diagnosis = diagnose(reader.read(Path(file) for file in files), loaded)
    _print(diagnosis, loaded, reader, scanner, form)
    if diagnosis.report.trajectories:
        return Exit.PASS
    writers = {plain(redact_text(origin.scope, scanner)) for origin in diagnosis.writers}
    complain(wrapped(_nothing(reader, sorted(writers - {""})), ""))
    return Exit.NOT_JUDGED


def _print(
    diagnosis: Diagnosis,
    contracts: Sequence[Contract],
    reader: Reader,
    scanner: Scanner,
    form: str,
) -> None:
    counts = {"spans": reader.stats.spans, "logs": reader.stats.logs}
    if form == "json":
        from toolscore_otel.report.doctor_json import diagnosis_object

        built = diagnosis_object(diagnosis, contracts, scanner, **counts)
        click.echo(json.dumps(built, indent=2))
    elif diagnosis.report.trajectories:
        from toolscore_otel.report.doctor_console import print_diagnosis
        from toolscore_otel.report.terminal import stdout_console

        def clean(text: str) -> str:
            return plain(redact_text(text, scanner))

        print_diagnosis(diagnosis, contracts, stdout_console(), clean, **counts)


def _nothing(reader: Reader, writers: Sequence[str]) -> str:
    """That there is nothing to look at, and who wrote what is there: it may be a dialect that is not known here."""
    stats, shown = reader.stats, ", ".join(writers[:MOST_WRITERS])
    more = " and others" if len(writers) > MOST_WRITERS else ""
    written = f" What is here was written by {shown}{more}." if shown else ""
    return (
        f"toolscore-otel: no agent, model or tool span in {stats.spans} spans and {stats.logs} log "
        f"records.{written} Check that the agent framework's instrumentation is switched on, and "
        "that this file holds its traces."
    )
