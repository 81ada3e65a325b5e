"""The nouns: Span, ToolCall, Trajectory, Finding, Score, and their closed lists.

All are frozen. Times are integer nanoseconds since the epoch, money is USD, ids are lower-case hex text. A value that was
not observed is its own state and never an empty object, never ok, never zero.
"""

from __future__ import annotations

from toolscore_otel.model.call import NOT_OBSERVED, Exposed, Payload, Source, ToolCall
from toolscore_otel.model.data import EMPTY, NEVER, Json
from toolscore_otel.model.outcome import Finding, Score, Trajectory
from toolscore_otel.model.telemetry import (
    InstrumentationScope,
    Link,
    LogRecord,
    Resource,
    Span,
    SpanEvent,
    SpanKind,
    SpanStatus,
)
from toolscore_otel.model.tool_schema import ToolSchema
from toolscore_otel.model.turn import AgentTotal, Tokens, Turn
from toolscore_otel.model.words import (
    CallKind,
    ClosedBy,
    ContentState,
    CostSource,
    FindingKind,
    Gap,
    Label,
    Scope,
    Severity,
    Stage,
    Status,
)

__all__ = [
    "EMPTY",
    "NEVER",
    "NOT_OBSERVED",
    "AgentTotal",
    "CallKind",
    "ClosedBy",
    "ContentState",
    "CostSource",
    "Exposed",
    "Finding",
    "FindingKind",
    "Gap",
    "InstrumentationScope",
    "Json",
    "Label",
    "Link",
    "LogRecord",
    "Payload",
    "Resource",
    "Scope",
    "Score",
    "Severity",
    "Source",
    "Span",
    "SpanEvent",
    "SpanKind",
    "SpanStatus",
    "Stage",
    "Status",
    "Tokens",
    "ToolCall",
    "ToolSchema",
    "Trajectory",
    "Turn",
]
