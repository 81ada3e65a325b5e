"""A report for people: findings worst first, then what could not be checked, then the sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from toolscore_otel.engine import Report
from toolscore_otel.model import Finding, Label, Severity, Stage
from toolscore_otel.report.terminal import (
    SEVERITY_STYLES,
    money,
    number,
    plain,
    some,
)

SHOWN = 3
"""How many findings of one rule are written out; the rest is counted."""

Rule = tuple[str, str, Severity, bool]
"""Contract, rule, severity, shadow: findings that agree in these are shown together."""


def print_report(report: Report, console: Console, *, fail_on: Severity) -> None:
    """Print a report; corrections are left out.

    Args:
        fail_on: severity at and above which a finding fails.
    """
    failed = _by_rule(f for f in report.findings if f.label is Label.FAIL)
    unseen = _by_rule(f for f in report.findings if f.label is Label.CANNOT_CHECK)
    for rule in sorted(failed, key=_worst_first):
        _print_rule(failed[rule], console)
    if unseen:
        console.print(Text("Could not be checked", "bold"))
        for rule in sorted(unseen, key=_worst_first):
            _print_unseen(unseen[rule], console)
        console.print()
    console.print(_summary(report))
    console.print()
    console.print(_verdict(report, fail_on))


def name_of(finding: Finding) -> str:
    """Contract and rule, as metrics and events name them; the rule alone where no contract stands behind it."""
    return plain(f"{finding.contract}/{finding.rule}" if finding.contract else finding.rule)


def headline(finding: Finding) -> Text:
    """Severity, name and kind on one line."""
    style = SEVERITY_STYLES[finding.severity]
    line = Text.assemble(
        (f" {finding.severity.upper()} ", style),
        " ",
        (name_of(finding), "bold"),
        f"  {finding.kind.replace('_', ' ')}",
    )
    return line.append("  in shadow: fails nothing", "italic") if finding.shadow else line


def _by_rule(findings: Iterable[Finding]) -> dict[Rule, list[Finding]]:
    groups: dict[Rule, list[Finding]] = {}
    for finding in findings:
        key = (finding.contract, finding.rule, finding.severity, finding.shadow)
        groups.setdefault(key, []).append(finding)
    return groups


def _worst_first(rule: Rule) -> tuple[bool, int, str, str]:
    contract, name, severity, shadow = rule
    return (shadow, -severity.rank, contract, name)


def _print_rule(findings: Sequence[Finding], console: Console) -> None:
    console.print(headline(findings[0]))
    said = None
    for finding in findings[:SHOWN]:
        if finding.explanation != said:
            console.print(_indented(Text(plain(finding.explanation))))
            said = finding.explanation
        console.print(_indented(Text(where(finding), "dim")))
    if len(findings) > SHOWN:
        rest = f"and {some(len(findings) - SHOWN, 'finding')} more of this rule (all of them: --format json)"
        console.print(_indented(Text(rest)))
    if findings[0].runbook:
        console.print(_indented(Text(f"what to do: {plain(findings[0].runbook)}")))
    console.print()


def where(finding: Finding) -> str:
    """Where a finding sits: what is known of agent, tool, place, repetition, call and trace."""
    asked = finding.stage is Stage.REQUESTED
    repeated = finding.count > 1
    parts = (
        ("agent", finding.agent),
        ("tool", finding.tool),
        ("only asked for, not seen to run", "" if asked else None),
        ("at", finding.path),
        ("kind", finding.secret_kind),
        ("fingerprint", finding.fingerprint),
        (some(finding.count, "call"), "" if repeated else None),
        ("first", finding.first if repeated else None),
        ("last", finding.last if repeated else None),
        ("call", finding.call_id or finding.span_id),
        ("trace", finding.trace_id or None),
    )
    return ", ".join(plain(f"{name} {value}") for name, value in parts if value is not None)


def _print_unseen(findings: Sequence[Finding], console: Console) -> None:
    calls = sum(finding.count for finding in findings)
    traces = len({finding.trace_id for finding in findings})
    console.print(
        _indented(Text(f"{name_of(findings[0])}  {some(calls, 'call')} in {some(traces, 'trace')}"))
    )
    for text in dict.fromkeys(finding.explanation for finding in findings[:SHOWN]):
        console.print(_indented(Text(plain(text)), 4))


def _indented(text: Text, columns: int = 2) -> Padding:
    return Padding(text, (0, 0, 0, columns))


def _summary(report: Report) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column()
    for name, text in _sums(report):
        table.add_row(Text(name), Text(text))
    return table


def _sums(report: Report) -> Iterable[tuple[str, str]]:
    coverage, outcomes = report.coverage, report.outcomes
    yield "traces", f"{number(len(report.trajectories))}{_unjudged(report)}"
    seen = f"{number(coverage.executed)} seen to run, {number(coverage.requested)} asked for"
    yield "calls", seen if coverage.ratio is None else f"{seen} ({coverage.ratio:.0%})"
    yield "cost", _cost(report)
    yield (
        "rules",
        f"{number(outcomes.get(Label.PASS, 0))} held, {number(outcomes.get(Label.FAIL, 0))} failed, "
        f"{number(outcomes.get(Label.CANNOT_CHECK, 0))} could not be checked",
    )
    if coverage.gaps:
        gaps = ", ".join(f"{code.replace('_', ' ')} {number(n)}" for code, n in coverage.gaps.items())
        yield "gaps", gaps
    for rule, times in report.errors.items():
        yield "broken", f"{plain(rule)}, {number(times)} times: this rule judged nothing there"


def _unjudged(report: Report) -> str:
    return f", no contract applies to {number(report.unjudged)} of them" if report.unjudged else ""


def _cost(report: Report) -> str:
    known = [t.cost_usd for t in report.trajectories if t.cost_usd is not None]
    if not known:
        return "not known"
    whole = len(known) == len(report.trajectories) and "cost_not_known" not in report.coverage.gaps
    return money(sum(known)) if whole else f"at least {money(sum(known))}: not all costs are known"


def _verdict(report: Report, fail_on: Severity) -> Text:
    failing = report.failing(fail_on)
    level = "critical" if fail_on is Severity.CRITICAL else f"{fail_on} or worse"
    if not failing:
        return Text(f"No finding fails this ({level}).", "bold")
    counts = Counter(finding.severity for finding in failing)
    parts = [f"{number(counts[s])} {s}" for s in reversed(Severity) if counts[s]]
    verb = "fails" if len(failing) == 1 else "fail"
    return Text(f"{some(len(failing), 'finding')} {verb} this ({level}): {', '.join(parts)}.", "bold red")
