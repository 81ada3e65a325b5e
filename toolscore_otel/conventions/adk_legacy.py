"""Google's ADK before it went by the GenAI conventions: two spans a call, side by side.

`tool_call [NAME]` has the arguments, `tool_response [NAME]` the event by which the model hears of the result. After calls that
ran at once there is a `tool_response` for all of them, which tells nothing new. ADK for Java before 0.5 begins a trace with
every span: nothing tells then what an answer belongs to.

Source:
    ADK for Python 0.5, `telemetry.py` and `functions.py`; telemetry of ADK for Java 0.3 and 0.5, recorded.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from toolscore_otel.conventions import attributes as names, content
from toolscore_otel.conventions.evidence import adk_failure, message_in, outcome
from toolscore_otel.conventions.messages import Answered, message
from toolscore_otel.conventions.reading import CallReading, SpanReading
from toolscore_otel.conventions.turns import response
from toolscore_otel.model import Span, Status

_CALL = "tool_call ["
_ANSWER = "tool_response ["
_NO_ANSWER: dict[str, object] = {}
"""Of a tool that gives nothing, and (for Java, 0.3) of one that raised."""


def read(span: Span, convention: str) -> SpanReading | None:
    """Read one of the two spans; None for every other span.

    Args:
        span: of ADK's scope.
        convention: of the readings.
    """
    if not span.name.endswith("]"):
        return None
    if span.name.startswith(_CALL):
        return SpanReading(calls=(_call(span, convention),))
    if span.name.startswith(_ANSWER):
        calls = tuple(_answers(span, convention))
        return SpanReading(calls=calls) if calls else None
    return None


def _call(span: Span, convention: str) -> CallReading:
    end = outcome(span, unmarked=True)
    return CallReading(
        convention=convention,
        name=span.name[len(_CALL) : -1] or None,
        args=content.arguments(span.attributes.get(names.ADK_ARGUMENTS)),
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
    )


def _answers(span: Span, convention: str) -> Iterator[CallReading]:
    event = content.fields(span.attributes.get(names.ADK_RESULT))
    for answer in message(event.get("content")).answered:
        reading = response(convention, structs.replace(answer, status=_status(answer)))
        failure = adk_failure(answer.result)
        yield structs.replace(
            reading,
            error_message=None if failure is None else message_in(failure),
            fills=reading.fills or span.parent_span_id is None,
        )


def _status(answer: Answered) -> Status:
    if adk_failure(answer.result) is not None:
        return Status.ERROR
    return Status.UNKNOWN if answer.result.value == _NO_ANSWER else Status.OK
