"""What a session keeps of one of its traces, beside calls and sums: enough to go on when that is no longer in memory."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, structs

from toolscore_otel.assembly.trace import TraceAssembly
from toolscore_otel.model import Gap, Json, Trajectory
from toolscore_otel.model.data import EMPTY


class TraceNote(Struct, frozen=True, kw_only=True):
    """What a session keeps of one of its traces, beside calls and sums.

    Attributes:
        start_ns: its first start.
        end_ns: its last end.
        gaps: what it lacks.
        named: whether some agent of it is known by name.
        acts: whether it has an agent or model span.
        agent: its only outermost agent.
        environment: of its resources.
        scenario: that it is of.
        attributes: that contracts ask for, on its spans.
    """

    start_ns: int | None = None
    end_ns: int | None = None
    gaps: tuple[Gap, ...] = ()
    named: bool = False
    acts: bool = False
    agent: str | None = None
    environment: str | None = None
    scenario: str | None = None
    attributes: Mapping[str, tuple[Json, ...]] = EMPTY

    def gone_on(self, trace: TraceAssembly, *, named: bool) -> TraceNote:
        """That of a trace that goes on."""
        sums = trace.sums
        return structs.replace(self, start_ns=sums.start_ns, end_ns=sums.end_ns, named=named)

    @classmethod
    def of(cls, trajectory: Trajectory, trace: TraceAssembly, *, named: bool) -> TraceNote:
        """That of a trace as it stands."""
        return cls(
            start_ns=trajectory.start_ns,
            end_ns=trajectory.end_ns,
            gaps=trajectory.gaps,
            named=named,
            acts=any(node.agent or node.model for node in trace.nodes.values()),
            agent=trajectory.agent,
            environment=trajectory.environment,
            scenario=trajectory.scenario,
            attributes=trajectory.attributes,
        )
