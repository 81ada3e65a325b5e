"""`toolscore-otel score`: hold recorded telemetry against contracts."""

from __future__ import annotations

import secrets

import click

from toolscore_otel import engine
from toolscore_otel.cli.exits import Exit, warn
from toolscore_otel.cli.judged import (
    contracts_option,
    end_with,
    fail_on_option,
    format_option,
    strict_option,
)
from toolscore_otel.cli.reading import Reader, each_option, recordings
from toolscore_otel.contracts import load
from toolscore_otel.model import Severity


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@contracts_option
@format_option
@fail_on_option
@strict_option
@each_option
def score(
    files: tuple[str, ...],
    contracts: tuple[str, ...],
    form: str,
    fail_on: str,
    *,
    strict: bool,
    each: bool,
) -> Exit:
    """Hold the tool calls of recorded telemetry against contracts.

    Prints every finding: what was forbidden, leaked, repeated, missing or over budget, with agent, trace and call. What
    could not be checked, because it was not recorded, is said apart and is never a failure.

    \b
    Examples:
      toolscore-otel score traces.jsonl --contracts contracts/
      toolscore-otel score run-*.jsonl --contracts support.yaml --each
      toolscore-otel score run-*.jsonl --contracts support.yaml --format json
    """
    loaded = load(contracts, warn=warn)
    reader = Reader(files)
    with reader.progress():
        reports = [
            engine.score(
                reader.read(paths),
                loaded,
                fingerprint_key=secrets.token_bytes(32),
                scenario=name or None,
            )
            for name, paths in recordings(files, each=each).items()
        ]
    report = engine.merged(reports)
    return end_with(report, reader, loaded, form=form, fail_on=Severity(fail_on), strict=strict)
