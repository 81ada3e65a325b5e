"""What the demo shows while its recording is replayed: calls as they arrive, findings where they fire."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from toolscore_otel.cli.demo_replay import Recorded, Step
from toolscore_otel.model import Finding, FindingKind, Severity, ToolCall
from toolscore_otel.report.redaction import redacted
from toolscore_otel.report.terminal import (
    SEVERITY_STYLES,
    UNKNOWN,
    Column,
    Marks,
    in_columns,
    offset,
    plain,
    print_wrapped,
    short_args,
    some,
    status_mark,
    took,
)
from toolscore_otel.secrets import Scanner

BEFORE_FINDING = 9
"""Columns left of a finding: those of the time."""


class Screen:
    """Prints the steps of a replay.

    Args:
        console: where to.
        marks: the signs it can print.
        width: columns.
    """

    def __init__(self, console: Console, marks: Marks, width: int) -> None:
        self._console = console
        self._marks = marks
        self._width = width
        self._scanner = Scanner()
        time, took_ = Column(BEFORE_FINDING - 1, right=True), Column(7, right=True)
        args = width - BEFORE_FINDING - 11 - 2 - 16 - 8
        self._columns = (time, Column(10), Column(1), Column(15), Column(args), took_)

    def introduce(self, what: Recorded) -> None:
        """Say what is replayed, and what it is held against."""
        scope = what.spans[0].scope
        rules = [rule.record.id or "" for rule in what.contract.rules]
        story = Text.assemble(
            "The support desk of a shop answers a customer: three agents built with ",
            (f"{scope.name} {scope.version}", "bold"),
            f", recorded as {some(len(what.spans), 'OpenTelemetry span')}.",
        )
        held = Text.assemble(
            "The spans now arrive again, and are held against the contract ",
            (what.contract.id, "bold"),
            f": {', '.join(rules)}.",
        )
        for text in (story, held):
            print_wrapped(self._console, text, width=self._width)
        self._console.print()

    def head(self) -> None:
        """Name the columns of the calls that follow."""
        header = ("at", "agent", "", "tool", "arguments", "took")
        self._print_row(*(Text(name, "underline") for name in header))

    def show(self, step: Step) -> None:
        """Print a call, and right under it what was found."""
        if step.call is not None:
            self.call(step.call, step.after_s)
        for finding in step.findings:
            self._finding(finding, None if step.call else step.after_s)

    def call(self, call: ToolCall, after_s: float) -> None:
        """Print a call, without the secrets in it."""
        call = redacted(call, self._scanner)
        self._print_row(
            Text(offset(after_s)),
            Text(plain(call.agent or UNKNOWN)),
            status_mark(call, self._marks),
            Text(plain(call.tool), "bold"),
            short_args(call),
            Text(took(call.duration_s)),
        )

    def _print_row(self, *cells: Text) -> None:
        self._console.print(in_columns(cells, self._columns))

    def _finding(self, finding: Finding, after_s: float | None) -> None:
        self.told(
            rule=finding.rule,
            severity=finding.severity,
            kind=finding.kind,
            explanation=_said(finding),
            after_s=after_s,
        )

    def told(
        self,
        *,
        rule: str,
        severity: Severity,
        kind: FindingKind,
        explanation: str,
        after_s: float | None = None,
    ) -> None:
        """Print a finding as a block with an edge; with the time where no call stands above it."""
        style = SEVERITY_STYLES[severity]
        head = Text.assemble(
            (severity.upper(), style),
            "  ",
            (plain(rule), "bold"),
            f"  {kind.replace('_', ' ')}",
        )
        room = self._width - BEFORE_FINDING - 2
        lines = [head, *Text(plain(explanation)).wrap(self._console, room)]
        for number, line in enumerate(lines):
            at = offset(after_s) if after_s is not None and number == 0 else ""
            edge = Text.assemble(
                f"{at:>{BEFORE_FINDING - 1}} ", (f"{self._marks.edge} ", style.split(" on ")[-1])
            )
            line.rstrip()
            self._console.print(edge.append_text(line))


def _said(finding: Finding) -> str:
    kept = (
        f" (fingerprint {finding.fingerprint}, the value is shown nowhere)"
        if finding.fingerprint
        else ""
    )
    return finding.explanation + kept
