"""What the demo shows when its recording is over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from toolscore_otel.cli.demo_replay import Recorded
from toolscore_otel.cli.demo_sums import agents_table, tools_table
from toolscore_otel.engine import Engine
from toolscore_otel.model import Finding, Label, Severity
from toolscore_otel.report.terminal import (
    SEVERITY_STYLES,
    legend,
    marks_of,
    plain,
    print_wrapped,
    some,
)
from toolscore_otel.report.timeline import timeline

COST = "The cost of a tool is that of the model calls inside it; ? is not known, not 0."

NEXT = (
    ("what your agents call", "toolscore-otel calls traces.jsonl"),
    ("start a contract", "toolscore-otel demo --contract > desk.yaml"),
    ("hold it against them", "toolscore-otel score traces.jsonl --contracts desk.yaml"),
    ("all commands", "toolscore-otel --help"),
)
"""What to do, and the command that does it."""


def conclude(console: Console, what: Recorded, engine: Engine, width: int) -> None:
    """Print the timeline with its findings, the sums, and what to do next."""
    report = engine.report()
    (trajectory,) = report.trajectories
    findings = sorted(
        (finding for finding in report.findings if finding.label is Label.FAIL),
        key=lambda finding: -finding.severity.rank,
    )
    _title(console, "Who called what, when")
    console.print(
        timeline(trajectory.calls, findings, width, begin_ns=what.begin_ns, parents=what.parents)
    )
    marks = marks_of(console)
    console.print(Text(f"{legend(list(trajectory.calls), marks)}   {marks.points}1 finding 1"))
    _title(console, some(len(findings), "finding"))
    for line in _findings(findings):
        console.print(line)
    _title(console, "Times, tokens and cost")
    console.print(tools_table(trajectory.calls))
    console.print()
    console.print(agents_table(trajectory, engine))
    print_wrapped(console, Text(COST), width=width)
    _title(console, "What next")
    for why, command in NEXT:
        console.print(Text.assemble(f"  {why:<23}", (command, "bold")))


def _title(console: Console, text: str) -> None:
    console.print()
    console.print(Text(text, "bold"))


def _findings(findings: Sequence[Finding]) -> Iterator[Text]:
    """One line each, numbered as in the timeline."""
    widest = max((len(plain(finding.rule)) for finding in findings), default=0)
    for count, finding in enumerate(findings, start=1):
        yield Text.assemble(
            f"{count:>3}  ",
            (finding.severity.upper(), SEVERITY_STYLES[finding.severity]),
            " " * (len(Severity.CRITICAL) - len(finding.severity) + 2),
            (plain(finding.rule).ljust(widest), "bold"),
            f"  {_where(finding)}",
        )


def _where(finding: Finding) -> str:
    if finding.tool is None:
        return "the whole run"
    by = f" by {plain(finding.agent)}" if finding.agent else ""
    often = f", {some(finding.count, 'call')}" if finding.count > 1 else ""
    return f"{plain(finding.tool)}{by}{often}"
