"""What is to be handed on: a finding as it was said, with all that whoever receives it wants to know beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, structs

from toolscore_otel.assembly import Entry, Place
from toolscore_otel.emit import LogEvent
from toolscore_otel.emit.points import Key, Point
from toolscore_otel.emit.score_store import Said
from toolscore_otel.model import EMPTY, ClosedBy, Finding, Resource
from toolscore_otel.secrets import Sealer
from toolscore_otel.server.kept import without_secrets_of

SumRow = tuple[str, Key, Point]
"""Metric, series, and how it stands."""


class Delivery(Struct, frozen=True, kw_only=True):
    """One revision of a finding, or of a score.

    Attributes:
        finding: None: it is a score.
        score: as it is said.
        time_ns: when it was said.
        resource: of the span at fault; of the trace's first span where there is none.
        span_id: of that span.
        at_ns: when that span ended, or began.
        contract_hash: of its contract, where known.
        closed_by: why its trajectory was closed, where it was said then.
    """

    finding: Finding | None = None
    time_ns: int
    score: LogEvent | None = None
    resource: Resource = Resource()
    span_id: str | None = None
    at_ns: int | None = None
    contract_hash: str | None = None
    closed_by: ClosedBy | None = None

    @classmethod
    def of(
        cls,
        finding: Finding,
        place: Place | None,
        now: int,
        *,
        contract_hash: str | None = None,
        closed_by: ClosedBy | None = None,
    ) -> Delivery:
        """A finding with what is known around it.

        Args:
            finding: as it is said now.
            place: of the span that it sits on (`Engine.place_of`).
            now: nanoseconds since the epoch.
            contract_hash: of its contract.
            closed_by: why its trajectory was closed, where that was now.
        """
        return cls(
            finding=finding,
            time_ns=now,
            resource=Resource() if place is None else place.resource,
            span_id=None if place is None else place.span_id,
            at_ns=None if place is None else place.end_ns or place.start_ns,
            contract_hash=contract_hash,
            closed_by=closed_by,
        )

    @classmethod
    def of_score(cls, event: LogEvent, place: Place | None, now: int) -> Delivery:
        """A score of a trace.

        Args:
            event: as it is said.
            place: of the trace's first span (`Engine.place_of`).
            now: nanoseconds since the epoch.
        """
        return structs.replace(
            cls(score=event, time_ns=now),
            resource=Resource() if place is None else place.resource,
            span_id=None if place is None else place.span_id,
            at_ns=None if place is None else place.end_ns or place.start_ns,
        )


class Batch(Struct, frozen=True, kw_only=True):
    """Everything that one request, or the passing of time, has changed.

    Attributes:
        entries: what was taken in, by trace id (`Engine.take_new`).
        deliveries: every revision of a finding, or of a score, that was said.
        scores: of each trace whose scores were said anew, all that was said (`TellingScores.take_changed`).
        sums: series that changed (`Sums.take_changed`).
        counters: other counters, as they stand.
        plain: places of spans of no interest that were kept, by trace id.
        plain_gone: trace ids of which none is kept any longer.
        of_sessions: traces that have become part of an open session, or (False) are no longer.
    """

    entries: Mapping[str, Sequence[Entry]] = EMPTY
    deliveries: Sequence[Delivery] = ()
    scores: Mapping[str, Said] = EMPTY
    sums: Sequence[SumRow] = ()
    counters: Mapping[str, int] = EMPTY
    plain: Mapping[str, Sequence[Place]] = EMPTY
    plain_gone: Sequence[str] = ()
    of_sessions: Mapping[str, bool] = EMPTY


class KeptTrace(Struct, frozen=True, kw_only=True):
    """A trace as it was kept.

    Attributes:
        entries: in order.
        findings: the last revision of each.
        scores: what was said of them.
        sealed: secrets were taken out of it.
        content_bytes: about how much memory what the entries say takes.
    """

    trace_id: str
    entries: Sequence[Entry]
    findings: Sequence[Finding] = ()
    scores: Said = EMPTY
    sealed: bool = False
    content_bytes: int = 0


class Kept(Struct, frozen=True, kw_only=True):
    """What stands beside the traces.

    Attributes:
        began_ns: since when the sums count; None: since now.
        plain: places of spans of no interest.
        contracts: hash of each contract that was in use last, by id.
    """

    sums: Sequence[SumRow] = ()
    counters: Mapping[str, int] = EMPTY
    began_ns: int | None = None
    plain: Sequence[Place] = ()
    contracts: Mapping[str, str] = EMPTY


def without_secrets(delivery: Delivery, sealer: Sealer) -> Delivery:
    """The same with plain marks where a secret stands in the resource, which comes from outside; what it tells is clean."""
    resource = without_secrets_of(delivery.resource, sealer)
    return (
        delivery if resource is delivery.resource else structs.replace(delivery, resource=resource)
    )
