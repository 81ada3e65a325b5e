"""Mastra's own streams, 0.20: a span for each tool that a turn runs. What is around it, `workflow.*.step.*`, only repeats it.

No status is ever set: a failed call answers with an error of Mastra's.

Source:
    Telemetry of @mastra/core 0.10 and 0.20, recorded.
"""

from __future__ import annotations

from toolscore_otel.conventions import attributes as names, content
from toolscore_otel.conventions.evidence import mastra_failure, message_in, outcome
from toolscore_otel.conventions.fields import text
from toolscore_otel.conventions.reading import CallReading, SpanReading
from toolscore_otel.model import Span

CONVENTION = "mastra"

_NAME = "stream.toolCall.toolName"
_CALL_ID = "stream.toolCall.toolCallId"
_ARGUMENTS = "stream.toolCall.args"
_RESULT = "stream.toolCall.result"


def read(span: Span) -> SpanReading | None:
    """Read a tool span of a stream; None for every other span."""
    attributes = span.attributes
    name = text(attributes, _NAME)
    if span.name != names.MASTRA_TOOL_SPAN or name is None:
        return None
    result = content.result(attributes.get(_RESULT))
    failure = mastra_failure(result)
    end = outcome(
        span,
        failed=failure is not None,
        message=message_in(failure),
        unmarked=_RESULT not in attributes,
    )
    call = CallReading(
        convention=CONVENTION,
        name=name,
        args=content.arguments(attributes.get(_ARGUMENTS)),
        result=result,
        call_id=text(attributes, _CALL_ID),
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
    )
    return SpanReading(calls=(call,))
