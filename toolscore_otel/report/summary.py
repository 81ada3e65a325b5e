"""What every report for people says in the same words: which findings belong together, where they sit, the sums, the verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from toolscore_otel.engine import Report
from toolscore_otel.model import Finding, Label, Severity, Stage
from toolscore_otel.report.terminal import money, number, plain, some


class Rule(NamedTuple):
    """Findings that agree in these are shown together."""

    contract: str
    name: str
    severity: Severity
    shadow: bool


def by_rule(findings: Iterable[Finding], label: Label) -> dict[Rule, list[Finding]]:
    """The findings of one label by their rule, the worst rule first, those in shadow last."""
    groups: dict[Rule, list[Finding]] = {}
    for finding in findings:
        if finding.label is label:
            rule = Rule(finding.contract, finding.rule, finding.severity, finding.shadow)
            groups.setdefault(rule, []).append(finding)
    return {rule: groups[rule] for rule in sorted(groups, key=_worst_first)}


def _worst_first(rule: Rule) -> tuple[bool, int, str, str]:
    return (rule.shadow, -rule.severity.rank, rule.contract, rule.name)


def name_of(finding: Finding) -> str:
    """Contract and rule, as metrics and events name them; the rule alone where no contract stands behind it."""
    return plain(f"{finding.contract}/{finding.rule}" if finding.contract else finding.rule)


def where(finding: Finding) -> Iterator[str]:
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


def sums(report: Report) -> Iterator[tuple[str, str]]:
    """Name and text of each sum: traces, calls, cost, rules, and where there are any gaps and broken rules."""
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


def verdict(report: Report, fail_on: Severity) -> str:
    """In one sentence, how many findings fail."""
    failing = report.failing(fail_on)
    level = "critical" if fail_on is Severity.CRITICAL else f"{fail_on} or worse"
    if not failing:
        return f"No finding at {level}."
    counts = Counter(finding.severity for finding in failing)
    parts = [f"{number(counts[s])} {s}" for s in reversed(Severity) if counts[s]]
    return f"{some(len(failing), 'finding')} at {level}: {', '.join(parts)}."


def _unjudged(report: Report) -> str:
    return f", no contract applies to {number(report.unjudged)} of them" if report.unjudged else ""


def _cost(report: Report) -> str:
    known = [t.cost_usd for t in report.trajectories if t.cost_usd is not None]
    if not known:
        return "not known"
    whole = len(known) == len(report.trajectories) and "cost_not_known" not in report.coverage.gaps
    return money(sum(known)) if whole else f"at least {money(sum(known))}: not all costs are known"
