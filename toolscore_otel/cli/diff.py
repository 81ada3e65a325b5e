"""`toolscore-otel diff`: what agents do differently between two sets of recordings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from toolscore_otel import engine
from toolscore_otel.cli.exits import Exit, complain, wrapped
from toolscore_otel.cli.reading import Reader
from toolscore_otel.diffing import Run, ScenarioDiff, compare, noting_ends, scenarios
from toolscore_otel.model import Status
from toolscore_otel.report.redaction import redacted_trajectory
from toolscore_otel.secrets import Scanner, redact_text
from toolscore_otel.wire.recordings import recording_name

SUFFIXES = frozenset({".jsonl", ".ndjson", ".json", ".otlp", ".pb", ".bin", ".gz"})
"""Files of a folder that are recordings."""


@click.command()
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option(
    "--format",
    "form",
    type=click.Choice(["console", "json", "markdown"]),
    default="console",
    show_default=True,
    help="What to print.",
)
def diff(old: str, new: str, form: str) -> int:
    """Compare the tool calls of two sets of recordings.

    OLD and NEW are a file or a folder each, with one run or many. Runs are compared by scenario: the one that a trace names
    (toolscore.scenario), else the name of its file in the folder. Says which tools and arguments appeared or are gone, which
    types, orders and parallel calls are others, how runs and calls end, and what runs cost and take. What the old runs show
    differently among themselves is no change; what one side does not show is not gone. Differences are no failure.

    \b
    Examples:
      toolscore-otel diff before.jsonl after.jsonl
      toolscore-otel diff runs/main runs/branch --format markdown
    """
    sides = [_runs(path) for path in (old, new)]
    for path, runs in zip((old, new), sides, strict=True):
        if not runs:
            complain(wrapped(f"toolscore-otel: could not compare: no agent, model or tool span in {path}", ""))  # fmt: skip
            return Exit.NOT_JUDGED
    if not sides[0].keys() & sides[1].keys():
        complain(wrapped("toolscore-otel: could not compare: no scenario is in both", ""))
        return Exit.NOT_JUDGED
    _print(compare(*sides), form)
    return Exit.PASS


def _runs(path: str) -> dict[str, list[Run]]:
    """The runs of one side by scenario, without secrets."""
    recordings = _recordings(path)
    reader = Reader(str(file) for files in recordings.values() for file in files)
    scanner = Scanner()
    with reader.progress():
        return scenarios(
            (redact_text(name, scanner), _read(reader, files, scanner))
            for (_, name), files in recordings.items()
        )


def _read(reader: Reader, files: Sequence[Path], scanner: Scanner) -> list[Run]:
    ends: dict[str, Status] = {}
    report = engine.score(noting_ends(reader.read(files), ends))
    return [
        Run(redacted_trajectory(run, scanner), ends.get(run.trace_id, Status.UNKNOWN))
        for run in report.trajectories
    ]


def _recordings(path: str) -> dict[tuple[str, str], list[Path]]:
    """Folder and name of each recording, and its files; a file that was named is all, and has no name."""
    root = Path(path)
    if not root.is_dir():
        return {("", ""): [root]}
    found: dict[tuple[str, str], list[Path]] = {}
    for file in sorted(root.rglob("*")):
        if file.is_file() and file.suffix in SUFFIXES and not file.name.startswith("."):
            found.setdefault((str(file.parent), recording_name(file)), []).append(file)
    return found


def _print(diffs: Sequence[ScenarioDiff], form: str) -> None:
    if form == "console":
        from toolscore_otel.report.diff_console import print_diff
        from toolscore_otel.report.terminal import stdout_console

        print_diff(diffs, stdout_console())
    elif form == "markdown":
        from toolscore_otel.report.diff_markdown import diff_markdown

        click.echo(diff_markdown(diffs).encode(errors="replace"), nl=False)
    else:
        from toolscore_otel.report.diff_json import diff_object
        from toolscore_otel.report.json_line import json_line

        click.echo(json_line(diff_object(diffs)))
