"""One recorded run: its trajectory, and how it ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from toolscore_otel.conventions.evidence import outcome
from toolscore_otel.model import LogRecord, Span, Status, Trajectory

_WORSE = (Status.UNKNOWN, Status.OK, Status.ERROR)


class Run(Struct, frozen=True):
    """One run of an agent.

    Attributes:
        trajectory: one trace.
        status: of its root span, by the evidence that counts for calls; unknown where none was recorded, or has not ended.
    """

    trajectory: Trajectory
    status: Status = Status.UNKNOWN


def noting_ends(
    telemetry: Iterable[Span | LogRecord], ends: dict[str, Status]
) -> Iterator[Span | LogRecord]:
    """The same telemetry; how root spans ended is noted as it goes by, by trace id. Of several roots the worst counts."""
    for item in telemetry:
        if isinstance(item, Span) and item.parent_span_id is None:
            found = (outcome(item).status, ends.get(item.trace_id, Status.UNKNOWN))
            ends[item.trace_id] = max(found, key=_WORSE.index)
        yield item
