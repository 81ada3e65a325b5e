"""A report for people: findings worst first, then what could not be checked, then the sums and the means of scores."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from rich.console import Console
from rich.text import Text

from toolscore_otel.engine import Report
from toolscore_otel.model import Finding, Label, Severity
from toolscore_otel.report.scores import score_lines
from toolscore_otel.report.summary import by_rule, name_of, sums, verdict, where
from toolscore_otel.report.terminal import (
    SEVERITY_STYLES,
    number,
    plain,
    print_packed,
    print_wrapped,
    some,
)

SHOWN = 3
"""How many findings of one rule are written out; the rest is counted."""

INDENT = 2
NAMES = 8
"""Columns of the names of the sums."""


def print_report(report: Report, console: Console, *, fail_on: Severity) -> None:
    """Print a report; corrections are left out.

    Args:
        report: of an engine.
        console: where to.
        fail_on: severity at and above which a finding fails.
    """
    for findings in by_rule(report.findings, Label.FAIL).values():
        _print_rule(findings, console)
    if unseen := by_rule(report.findings, Label.CANNOT_CHECK):
        console.print(Text("Could not be checked", "bold"))
        for findings in unseen.values():
            _print_unseen(findings, console)
        console.print()
    _print_sums(report, console)
    console.print()
    style = "bold red" if report.failing(fail_on) else "bold"
    console.print(Text(verdict(report, fail_on), style))


def headline(finding: Finding) -> Text:
    """Severity, name and kind on one line."""
    style = SEVERITY_STYLES[finding.severity]
    line = Text.assemble(
        (finding.severity.upper(), style),
        "  ",
        (name_of(finding), "bold"),
        f"  {finding.kind.replace('_', ' ')}",
    )
    return line.append("  in shadow: fails nothing", "italic") if finding.shadow else line


def _print_rule(findings: Sequence[Finding], console: Console) -> None:
    print_wrapped(console, headline(findings[0]))
    said = None
    for finding in findings[:SHOWN]:
        if finding.explanation != said:
            print_wrapped(console, Text(plain(finding.explanation)), indent=INDENT)
            said = finding.explanation
        print_packed(console, list(where(finding)), indent=INDENT)
    if len(findings) > SHOWN:
        rest = f"and {number(len(findings) - SHOWN)} more of this rule; --format json has all"
        print_wrapped(console, Text(rest), indent=INDENT)
    if findings[0].runbook:
        print_wrapped(console, Text(f"what to do: {plain(findings[0].runbook)}"), indent=INDENT)
    console.print()


def _print_unseen(findings: Sequence[Finding], console: Console) -> None:
    calls = sum(finding.count for finding in findings)
    traces = len({finding.trace_id for finding in findings})
    line = f"{name_of(findings[0])}  {some(calls, 'call')} in {some(traces, 'trace')}"
    print_wrapped(console, Text(line), indent=INDENT)
    for text in dict.fromkeys(finding.explanation for finding in findings[:SHOWN]):
        print_wrapped(console, Text(plain(text)), indent=2 * INDENT)


def _print_sums(report: Report, console: Console) -> None:
    scores = (("scores", line) for line in score_lines(report.scores))
    for name, text in chain(sums(report), scores):
        lines = Text(text).wrap(console, console.width - NAMES)
        for count, line in enumerate(lines):
            line.rstrip()
            console.print(Text((name if count == 0 else "").ljust(NAMES)).append_text(line))
