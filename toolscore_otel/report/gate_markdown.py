"""A gate as Markdown, for the summary of a CI job or a comment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolscore_otel.engine import Report
from toolscore_otel.gate import Comparison, Gate, Verdict
from toolscore_otel.model import Severity
from toolscore_otel.report.gate_words import (
    by_group,
    conclusion,
    drop_of,
    numbers_of,
    releases_of,
    runs_of,
    verdict_of,
    why_not,
)
from toolscore_otel.report.markdown import report_markdown
from toolscore_otel.report.markdown_text import code, escaped, prose, table
from toolscore_otel.report.terminal import number

ROWS = 100
"""Lines of what was not compared; the rest is counted."""


def gate_markdown(gate: Gate, report: Report, *, fail_on: Severity) -> str:
    """A gate as Markdown, with a line end; findings follow where some fail.

    Args:
        gate: held.
        report: of the same runs.
        fail_on: severity at and above which a finding fails.
    """
    lines = [f"### {escaped(conclusion(gate))}"]
    for (contract, model), comparisons in by_group(gate.comparisons).items():
        against = escaped(releases_of(comparisons[0]))
        lines += ["", f"{code(contract)}, model {code(model)}, against {against}", ""]
        lines += _scores(comparisons)
    if gate.not_compared:
        lines += ["", "**Not compared**", ""]
        lines += [f"- {prose(why_not(one))}" for one in gate.not_compared[:ROWS]]
        if len(gate.not_compared) > ROWS:
            lines += [
                f"- and {number(len(gate.not_compared) - ROWS)} more; `--format json` has all"
            ]
    text = "\n".join(lines) + "\n"
    if report.failing(fail_on):
        text += "\n" + report_markdown(report, fail_on=fail_on)
    return text


def _scores(comparisons: Sequence[Comparison]) -> Iterator[str]:
    rows = (
        (_verdict(one), code(one.score), escaped(numbers_of(one)), drop_of(one), runs_of(one))
        for one in comparisons
    )
    yield from table(("", "score", "before and now", "drop, in points; rise", "rests on"), rows)


def _verdict(one: Comparison) -> str:
    word = verdict_of(one)
    return f"**{word}**" if one.verdict is Verdict.FAIL else word
