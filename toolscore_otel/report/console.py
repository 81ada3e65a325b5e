"""A report for people: findings worst first, then what could not be checked, then the sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console
from rich.text import Text

from toolscore_otel.engine import Report
from toolscore_otel.model import Finding, Label, Severity, Stage
from toolscore_otel.report.terminal import (
    SEVERITY_STYLES,
    money,
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

Rule = tuple[str, str, Severity, bool]
"""Contract, rule, severity, shadow: findings that agree in these are shown together."""


def print_report(report: Report, console: Console, *, fail_on: Severity) -> None:
    """Print a report; corrections are left out.

    Args:
        report: of an engine.
        console: where to.
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
    _print_sums(report, console)
    console.print()
    console.print(_verdict(report, fail_on))


def name_of(finding: Finding) -> str:
    """Contract and rule, as metrics and events name them; the rule alone where no contract stands behind it."""
    return plain(f"{finding.contract}/{finding.rule}" if finding.contract else finding.rule)


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
    print_wrapped(console, headline(findings[0]))
    said = None
    for finding in findings[:SHOWN]:
        if finding.explanation != said:
            print_wrapped(console, Text(plain(finding.explanation)), indent=INDENT)
            said = finding.explanation
        print_packed(console, list(_where(finding)), indent=INDENT)
    if len(findings) > SHOWN:
        rest = f"and {number(len(findings) - SHOWN)} more of this rule; --format json has all"
        print_wrapped(console, Text(rest), indent=INDENT)
    if findings[0].runbook:
        print_wrapped(console, Text(f"what to do: {plain(findings[0].runbook)}"), indent=INDENT)
    console.print()


def _where(finding: Finding) -> Iterator[str]:
    """Where a finding sits: what is known of trace, call, agent, tool, place and repetition."""
    repeated = finding.count > 1
    known = (
        ("trace", finding.trace_id),
        ("call", finding.call_id),
        ("span", None if finding.call_id else finding.span_id),
        ("agent", finding.agent),
        ("tool", finding.tool),
        ("at", finding.path),
        ("first", finding.first if repeated else None),
        ("last", finding.last if repeated else None),
        ("fingerprint", finding.fingerprint),
    )
    yield from (plain(f"{name} {value}") for name, value in known if value)
    if repeated:
        yield some(finding.count, "call")
    if finding.stage is Stage.REQUESTED:
        yield "asked for, not seen to run"


def _print_unseen(findings: Sequence[Finding], console: Console) -> None:
    calls = sum(finding.count for finding in findings)
    traces = len({finding.trace_id for finding in findings})
    line = f"{name_of(findings[0])}  {some(calls, 'call')} in {some(traces, 'trace')}"
    print_wrapped(console, Text(line), indent=INDENT)
    for text in dict.fromkeys(finding.explanation for finding in findings[:SHOWN]):
        print_wrapped(console, Text(plain(text)), indent=2 * INDENT)


def _print_sums(report: Report, console: Console) -> None:
    for name, text in _sums(report):
        lines = Text(text).wrap(console, console.width - NAMES)
        for count, line in enumerate(lines):
            line.rstrip()
            console.print(Text((name if count == 0 else "").ljust(NAMES)).append_text(line))


def _sums(report: Report) -> Iterator[tuple[str, str]]:
    coverage, outcomes = report.coverage, report.outcomes
    yield "traces", f"{number(len(report.trajectories))}{_unjudged(report)}"
    seen = f"{number(coverage.executed)} seen to run, {number(coverage.requested)} asked for"
    yield "calls", seen if coverage.ratio is None else f"{seen} ({coverage.ratio:.0%})"
    yield "cost", _cost(report)
    words = (
        (Label.PASS, "held"),
        (Label.FAIL, "failed"),
        (Label.CANNOT_CHECK, "could not be checked"),
    )
    yield "rules", ", ".join(f"{number(outcomes.get(label, 0))} {word}" for label, word in words)
    if coverage.gaps:
        gaps = ", ".join(
            f"{code.replace('_', ' ')} {number(n)}" for code, n in coverage.gaps.items()
        )
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
        return Text(f"No finding at {level}.", "bold")
    counts = Counter(finding.severity for finding in failing)
    parts = [f"{number(counts[s])} {s}" for s in reversed(Severity) if counts[s]]
    return Text(f"{some(len(failing), 'finding')} at {level}: {', '.join(parts)}.", "bold red")
