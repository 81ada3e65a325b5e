"""A score of a closed trajectory as a log record, the same event as a finding; it has an id of its own and no rule."""

from __future__ import annotations

from enum import StrEnum

from toolscore_otel.contracts import Contract
from toolscore_otel.emit.log_events import (
    EVENT,
    SEVERITY_NUMBERS,
    AttributeValue,
    LogEvent,
)
from toolscore_otel.emit.score_store import ScoreRevision
from toolscore_otel.model import ClosedBy, Severity


class ScoresAs(StrEnum):
    """How scores go out: as events beside the findings, and as a metric; or as a metric alone."""

    EVENTS = "events"
    METRIC = "metric"


def score_event(
    revision: ScoreRevision, contract: Contract | None, *, closed_by: ClosedBy | None = None
) -> LogEvent:
    """The record of a score; it stands in its trace, on no span. What is not known is left out.

    Args:
        revision: with a value, or without one where it had one before.
        contract: that gave it, where it is known.
        closed_by: why its trajectory was closed.
    """
    score = revision.score
    known: dict[str, AttributeValue | None] = {
        "gen_ai.evaluation.name": f"{score.contract}/{score.name}",
        "gen_ai.evaluation.score.label": score.label.value if score.label else None,
        "gen_ai.evaluation.score.value": score.value,
        "gen_ai.evaluation.explanation": score.explanation or None,
        "toolscore.score.id": revision.id,
        "toolscore.contract.id": score.contract,
        "toolscore.revision": revision.revision,
        "toolscore.close.reason": closed_by.value if closed_by else None,
        "gen_ai.conversation.id": score.conversation_id,
    }
    if contract is not None:
        known |= {
            "toolscore.contract.hash": contract.hash,
            "toolscore.contract.version": contract.version,
            "toolscore.runbook": contract.runbook,
            **{f"toolscore.label.{key}": value for key, value in contract.labels.items()},
        }
    return LogEvent(
        name=EVENT,
        trace_id=score.trace_id,
        span_id=None,
        severity_number=SEVERITY_NUMBERS[Severity.INFO],
        severity_text=Severity.INFO.upper(),
        attributes={name: value for name, value in known.items() if value is not None},
    )
