"""`toolscore-otel score`: hold recorded telemetry against contracts."""

from __future__ import annotations

import json
import secrets

import click

from toolscore_otel import engine
from toolscore_otel.cli.exits import Exit, complain, warn, wrapped
from toolscore_otel.cli.reading import Reader, recordings
from toolscore_otel.contracts import load
from toolscore_otel.engine import Report
from toolscore_otel.model import Label, Severity


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--contracts",
    multiple=True,
    required=True,
    metavar="PATH",
    help="A contract, a folder of them, or pack:NAME; may be given more than once.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["console", "json"]),
    default="console",
    help="What to print.",
)
@click.option(
    "--fail-on",
    type=click.Choice([severity.value for severity in Severity]),
    default=Severity.ERROR.value,
    show_default=True,
    help="Findings of this severity or worse end with exit code 1.",
)
@click.option("--strict", is_flag=True, help="Exit code 3 where anything could not be judged.")
@click.option(
    "--each",
    is_flag=True,
    help="Each recording by itself: files that share their name up to the first dot.",
)
def score(
    files: tuple[str, ...],
    contracts: tuple[str, ...],
    form: str,
    fail_on: str,
    *,
    strict: bool,
    each: bool,
) -> int:
    """Hold the tool calls of recorded telemetry against contracts.

    Prints every finding: what was forbidden, leaked, repeated, missing or over budget, with agent, trace and call. What
    could not be checked, because it was not recorded, is said apart and is never a failure.

    \b
    Examples:
      toolscore-otel score traces.jsonl --contracts contracts/
      toolscore-otel score run-*.jsonl --contracts support.yaml --each --format json
    """
    loaded = load(contracts, warn=warn)
    reader = Reader(files)
    with reader.progress():
        reports = [
            engine.score(reader.read(paths), loaded, fingerprint_key=secrets.token_bytes(32))
            for paths in recordings(files, each=each).values()
        ]
    report = engine.merged(reports)
    _print(report, form, Severity(fail_on))
    why_not = _not_judged(report, reader, strict=strict)
    if report.failing(Severity(fail_on)):
        return Exit.FINDINGS
    if why_not is not None:
        complain(wrapped(f"toolscore-otel: {why_not}", ""))
        return Exit.NOT_JUDGED
    return Exit.PASS


def _print(report: Report, form: str, fail_on: Severity) -> None:
    if form == "json":
        from toolscore_otel.report.score_json import report_object

        click.echo(json.dumps(report_object(report), indent=2))
        return
    from rich.console import Console

    from toolscore_otel.report.console import print_report

    print_report(report, Console(highlight=False), fail_on=fail_on)


def _not_judged(report: Report, reader: Reader, *, strict: bool) -> str | None:
    """Why nothing (or, with `strict`, not everything) was judged; None where it was."""
    stats, outcomes = reader.stats, report.outcomes
    if not report.trajectories:
        return (
            f"could not judge: no agent, model or tool span in {stats.spans} spans and {stats.logs} "
            "log records. Check that the agent framework's instrumentation is switched on, and "
            "that this file holds its traces."
        )
    if report.unjudged == len(report.trajectories):
        return (
            "could not judge: no contract applies to any of the "
            f"{len(report.trajectories)} trajectories. Look at `applies_to`: is it these services, "
            "agents and environments?"
        )
    if report.coverage.requested and not report.coverage.executed:
        return (
            f"could not judge: {report.coverage.requested} tool calls were asked for and none was "
            "seen to run. This telemetry has no tool spans."
        )
    if outcomes and set(outcomes) == {Label.CANNOT_CHECK}:
        return (
            "could not judge: every rule lacks the evidence it needs. What to switch on stands "
            "with each rule above."
        )
    blind = outcomes.get(Label.CANNOT_CHECK, 0)
    if strict and (blind or report.unjudged):
        return f"strict: {blind} rules could not be checked, {report.unjudged} trajectories not judged."
    return None
