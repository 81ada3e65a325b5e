"""A report as Markdown: short enough for the summary of a CI job or a comment. One row per rule, the worst first, then one per score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolscore_otel.engine import Report
from toolscore_otel.model import Finding, Label, Severity
from toolscore_otel.report.markdown_text import code, escaped, prose, table
from toolscore_otel.report.scores import Mean, means, value_of
from toolscore_otel.report.summary import by_rule, name_of, sums, verdict
from toolscore_otel.report.terminal import number

ROWS = 50
"""Rules that are written out; the rest is counted, since a summary may not be long."""

Rules = Sequence[Sequence[Finding]]


def report_markdown(report: Report, *, fail_on: Severity, title: str = "toolscore-otel") -> str:
    """A report as Markdown, with a line end; corrections are left out.

    Args:
        report: of an engine.
        fail_on: severity at and above which a finding fails.
        title: of its heading.
    """
    lines = [f"### {escaped(title)}: {escaped(verdict(report, fail_on))}", ""]
    if failed := list(by_rule(report.findings, Label.FAIL).values()):
        lines += [*_findings(failed), ""]
    if unseen := list(by_rule(report.findings, Label.CANNOT_CHECK).values()):
        lines += [*_unseen(unseen), ""]
    lines += table(("", ""), ((name, escaped(text)) for name, text in sums(report)))
    if scores := means(report.scores):
        lines += ["", *_scores(scores)]
    return "\n".join(lines) + "\n"


def _findings(rules: Rules) -> Iterator[str]:
    head = ("severity", "rule", "what", "where", "findings")
    yield from table(head, (_row(findings) for findings in rules[:ROWS]), right="findings")
    yield from _rest(rules)


def _row(findings: Sequence[Finding]) -> tuple[str, ...]:
    first = findings[0]
    severity = f"{first.severity}, in shadow" if first.shadow else f"**{first.severity}**"
    what = prose(first.explanation)
    if first.runbook:
        what += f"<br>What to do: {escaped(first.runbook)}"
    return (severity, code(name_of(first)), what, _where(first), number(len(findings)))


def _where(finding: Finding) -> str:
    known = (
        ("tool", finding.tool),
        ("agent", finding.agent),
        ("at", finding.path),
        ("trace", finding.trace_id),
    )
    return "<br>".join(f"{name} {code(value)}" for name, value in known if value)


def _unseen(rules: Rules) -> Iterator[str]:
    yield "**Could not be checked**"
    yield ""
    rows = (
        (
            code(name_of(findings[0])),
            prose(findings[0].explanation),
            number(sum(finding.count for finding in findings)),
        )
        for findings in rules[:ROWS]
    )
    yield from table(("rule", "why", "calls"), rows, right="calls")
    yield from _rest(rules)


def _scores(scores: Sequence[Mean]) -> Iterator[str]:
    rows = (
        (
            code(f"{one.contract}/{one.name}"),
            value_of(one.value),
            number(one.known),
            number(one.beyond),
        )
        for one in scores[:ROWS]
    )
    head = ("score", "mean", "traces", "beyond")
    yield from table(head, rows, right="mean traces beyond")
    if len(scores) > ROWS:
        yield ""
        yield f"and {number(len(scores) - ROWS)} more scores"


def _rest(rules: Rules) -> Iterator[str]:
    if len(rules) > ROWS:
        yield ""
        yield f"and {number(len(rules) - ROWS)} more rules"
