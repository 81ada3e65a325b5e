"""What an engine has to say about everything it was fed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct

from toolscore_otel.model import (
    CallKind,
    Finding,
    Gap,
    Label,
    Scope,
    Score,
    Severity,
    Stage,
    Trajectory,
)

Word = TypeVar("Word", bound=str)


class Coverage(Struct, frozen=True, kw_only=True):
    """How much of what was asked for was seen to run.

    Attributes:
        requested: calls known to have been asked for; one that ran was asked for.
        executed: calls known to have run.
        ratio: executed / requested, 0..1; None where nothing was asked for.
        gaps: code -> how many calls and trajectories have it.
    """

    requested: int = 0
    executed: int = 0
    ratio: float | None = None
    gaps: Mapping[str, int] = {}


class RuleOutcome(Struct, frozen=True, kw_only=True):
    """How one rule came out on one trajectory.

    Attributes:
        trajectory: trace id and, of an agent invocation, its span id; of a conversation "", and its service and id.
        label: failed, could not be checked at all, or held (`pass`).
        findings: ids of those that stand.
    """

    contract: str
    rule: str
    scope: Scope
    trajectory: tuple[str, str]
    label: Label
    findings: tuple[str, ...] = ()


class Report(Struct, frozen=True, kw_only=True):
    """Findings, scores and trajectories, all in a stable order.

    Attributes:
        findings: the last revision of each, by time of the call they sit on.
        outcomes: how many rules, over all trajectories, held (`pass`), failed, or could not be checked.
        judged: each of these rules on each trajectory.
        unjudged: trajectories that no contract applies to.
        errors: rules that raised, and how often.
        counters: of assembly.
    """

    findings: tuple[Finding, ...] = ()
    scores: tuple[Score, ...] = ()
    trajectories: tuple[Trajectory, ...] = ()
    coverage: Coverage = Coverage()
    outcomes: Mapping[Label, int] = {}
    judged: tuple[RuleOutcome, ...] = ()
    unjudged: int = 0
    errors: Mapping[str, int] = {}
    counters: Mapping[str, int] = {}

    def failing(self, at_least: Severity = Severity.ERROR) -> tuple[Finding, ...]:
        """The findings that fail an exit code or a gate: `fail`, severe enough, not in shadow."""
        return tuple(
            finding
            for finding in self.findings
            if finding.label is Label.FAIL
            and not finding.shadow
            and finding.severity.rank >= at_least.rank
        )


def merged(reports: Sequence[Report]) -> Report:
    """Several reports as one, in the order given."""
    trajectories = tuple(t for report in reports for t in report.trajectories)
    return Report(
        findings=tuple(f for report in reports for f in report.findings),
        scores=tuple(s for report in reports for s in report.scores),
        trajectories=trajectories,
        coverage=coverage_of(trajectories),
        outcomes=_added(report.outcomes for report in reports),
        judged=tuple(o for report in reports for o in report.judged),
        unjudged=sum(report.unjudged for report in reports),
        errors=_added(report.errors for report in reports),
        counters=_added(report.counters for report in reports),
    )


def _added(counts: Iterable[Mapping[Word, int]]) -> dict[Word, int]:
    total: Counter[Word] = Counter()
    for count in counts:
        total.update(count)
    return dict(total)


def coverage_of(trajectories: Iterable[Trajectory]) -> Coverage:
    """The coverage of calls of kind `tool`."""
    requested = executed = 0
    gaps: Counter[Gap] = Counter()
    for trajectory in trajectories:
        gaps.update(trajectory.gaps)
        for call in trajectory.calls:
            gaps.update(call.gaps)
            if call.kind is CallKind.TOOL:
                requested += 1
                executed += call.stage is Stage.EXECUTED
    return Coverage(
        requested=requested,
        executed=executed,
        ratio=executed / requested if requested else None,
        gaps={gap.value: count for gap, count in sorted(gaps.items())},
    )


def by_call(findings: Iterable[Finding], trajectories: Sequence[Trajectory]) -> tuple[Finding, ...]:
    """Findings by the end of their trajectory, and in it by the begin of the call they sit on; without one, last."""
    ends = {t.trace_id: t.end_ns or 0 for t in trajectories}
    starts = {
        (t.trace_id, call.span_id, call.call_id): call.start_ns or 0
        for t in trajectories
        for call in t.calls
    }

    def order(finding: Finding) -> tuple[object, ...]:
        end = ends.get(finding.trace_id, 0)
        start = starts.get((finding.trace_id, finding.span_id, finding.call_id), end)
        return (
            end,
            finding.trace_id,
            start,
            finding.contract,
            finding.rule,
            finding.path or "",
            finding.id,
        )

    return tuple(sorted(findings, key=order))
