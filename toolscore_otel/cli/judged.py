"""What commands that hold telemetry against contracts share: their options, and how they end."""

from __future__ import annotations

import json
from collections.abc import Sequence

import click

from toolscore_otel.cli.exits import Exit, complain, wrapped
from toolscore_otel.cli.reading import Reader
from toolscore_otel.contracts import Contract
from toolscore_otel.contracts.secret_patterns import scanner_of
from toolscore_otel.engine import Report
from toolscore_otel.model import Label, Severity

contracts_option = click.option(
    "--contracts",
    multiple=True,
    required=True,
    metavar="PATH",
    help="A contract, a folder of them, or pack:NAME; may be given more than once.",
)
format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["console", "json", "junit", "markdown", "html"]),
    default="console",
    show_default=True,
    help="What to print.",
)
fail_on_option = click.option(
    "--fail-on",
    type=click.Choice([severity.value for severity in Severity]),
    default=Severity.ERROR.value,
    show_default=True,
    help="Findings of this severity or worse end with exit code 1.",
)
strict_option = click.option(
    "--strict", is_flag=True, help="Exit code 3 where anything could not be judged."
)


def end_with(
    report: Report,
    reader: Reader,
    contracts: Sequence[Contract],
    *,
    form: str,
    fail_on: Severity,
    strict: bool,
    to_stderr: bool = False,
) -> Exit:
    """Print a report, and say how the command ends.

    Args:
        report: of everything that was read.
        reader: counted what was read.
        contracts: that it was held against; what they describe as secrets is shown nowhere.
        form: one of those that `format_option` offers.
        fail_on: from which severity on a finding fails.
        strict: whatever was not judged counts.
        to_stderr: print where nothing that is piped is disturbed.
    """
    if form == "console":
        _print(report, fail_on, to_stderr=to_stderr)
    else:
        click.echo(_written(report, contracts, form, fail_on), nl=False, err=to_stderr)
    why_not = why_not_judged(report, reader, strict=strict)
    if report.failing(fail_on):
        return Exit.FINDINGS
    if why_not is not None:
        complain(wrapped(f"toolscore-otel: {why_not}", ""))
        return Exit.NOT_JUDGED
    return Exit.PASS


def _print(report: Report, fail_on: Severity, *, to_stderr: bool) -> None:
    from rich.console import Console

    from toolscore_otel.report.console import print_report

    print_report(report, Console(highlight=False, stderr=to_stderr), fail_on=fail_on)


def _written(report: Report, contracts: Sequence[Contract], form: str, fail_on: Severity) -> bytes:
    """A report for a program or a browser, in UTF-8; half surrogate pairs, which telemetry may hold, as `?`."""
    if form == "json":
        from toolscore_otel.report.score_json import report_object

        text = json.dumps(report_object(report), indent=2) + "\n"
    elif form == "markdown":
        from toolscore_otel.report.markdown import report_markdown

        text = report_markdown(report, fail_on=fail_on)
    elif form == "junit":
        from toolscore_otel.report.junit import report_junit

        return report_junit(report, scanner_of(contracts), fail_on=fail_on)
    else:
        from toolscore_otel.report.html import report_html

        text = report_html(report, scanner_of(contracts), fail_on=fail_on)
    return text.encode(errors="replace")


def why_not_judged(report: Report, reader: Reader, *, strict: bool) -> str | None:
    """Why nothing (or, with `strict`, not everything) was judged, as a sentence; None where it was."""
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
