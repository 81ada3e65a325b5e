"""The one rule that needs no contract: calls were asked for, and none was seen to run."""

from __future__ import annotations

from collections.abc import Iterator

from toolscore_otel.engine.ledger import Ledger, Where, Whose
from toolscore_otel.model import (
    CallKind,
    Finding,
    FindingKind,
    Gap,
    Label,
    Scope,
    Severity,
    Stage,
    Trajectory,
)
from toolscore_otel.rules import TRAJECTORY, Verdict

COVERAGE = Whose(
    contract="", rule="coverage", severity=Severity.WARNING, shadow=False, scope=Scope.TRACE
)


def covered(ledger: Ledger, trajectory: Trajectory) -> Iterator[Finding]:
    """Hold a trajectory that is over against it."""
    yield from ledger.take({TRAJECTORY: _verdict(trajectory)}, Where.of(trajectory))


def _verdict(trajectory: Trajectory) -> Verdict | None:
    asked = [call for call in trajectory.calls if call.kind is CallKind.TOOL]
    if any(call.stage is Stage.EXECUTED for call in asked):
        return None
    if asked:
        calls = "1 tool call was" if len(asked) == 1 else f"{len(asked)} tool calls were"
    elif Gap.TOOL_SPANS_MISSING in trajectory.gaps:
        calls = "tool calls were"
    else:
        return None
    return Verdict(
        label=Label.FAIL,
        kind=FindingKind.COVERAGE_GAP,
        explanation=f"{calls} asked for, and none was seen to run: "
        "this telemetry has no tool spans, or they were dropped on the way",
        count=max(1, len(asked)),
    )
