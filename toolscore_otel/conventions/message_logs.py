"""Messages as log records: one record a message (the older events), or one record a model call.

A record of the older kind stands on the span of the model call that hears it, and every model call repeats the history.
`Spoken` marks the model's own words in it: what stands before those of earlier turns was told before. A record that stands on no span (Traceloop's
of Anthropic) has no place in any history: what has a call id is told by that alone, anything else says nothing.

Source:
    OpenTelemetry GenAI semantic conventions v1.28 to v1.36, "Events"; v1.37 on, "Event:
    gen_ai.client.inference.operation.details"; recorded telemetry of what writes them.
"""

from __future__ import annotations

from collections.abc import Sequence

from toolscore_otel.conventions import attributes as names, content, old_messages, spoken
from toolscore_otel.conventions.messages import Asked, Message, message
from toolscore_otel.conventions.reading import CallReading, SpanReading, Spoken
from toolscore_otel.conventions.turns import readings, request, response
from toolscore_otel.model import Json, LogRecord

CONVENTION = "genai"
CONVENTION_OF_MESSAGES = "genai_legacy"


def details(record: LogRecord) -> SpanReading | None:
    """All messages of a model call."""
    if record.scope.name in names.MODELS_APART:
        return None
    turn = spoken.turn_in(record.attributes)
    return _reading(record, readings(CONVENTION, turn))


def choice(record: LogRecord) -> SpanReading | None:
    """What the model said."""
    return _reading(record, _requests(old_messages.choice(record.body).asked), Spoken.NOW)


def assistant(record: LogRecord) -> SpanReading | None:
    """What the model said before, in the input of this model call."""
    said = message(record.body)
    return _reading(record, _requests(said.asked), Spoken.BEFORE)


def tool(record: LogRecord) -> SpanReading | None:
    """What a tool answered."""
    return _reading(record, _responses(message({"role": "tool", **_body(record)})))


def user(record: LogRecord) -> SpanReading | None:
    """What the user said; Gemini's messages have answers there, and ADK writes all of its history so."""
    said = message(record.body)
    calls = [*_requests(said.asked), *_responses(said)]
    return _reading(record, calls, Spoken.BEFORE if said.from_model else None)


def system(record: LogRecord) -> SpanReading | None:  # noqa: ARG001 - as the others
    """What the model was told to do; that is of no tool call, and may be looked through for secrets (`prompts`)."""
    return None


def _body(record: LogRecord) -> dict[str, Json]:
    return {key: value for key, value in content.fields(record.body).items() if key != "role"}


def _requests(asked: Sequence[Asked]) -> list[CallReading]:
    return [request(CONVENTION_OF_MESSAGES, call, place) for place, call in enumerate(asked)]


def _responses(said: Message) -> list[CallReading]:
    return [response(CONVENTION_OF_MESSAGES, answer) for answer in said.answered]


def _reading(
    record: LogRecord, calls: Sequence[CallReading], spoken: Spoken | None = None
) -> SpanReading | None:
    if record.trace_id is None:
        by_id = tuple(call for call in calls if call.call_id)
        return SpanReading(calls=by_id) if by_id else None
    if record.span_id is None or not (calls or spoken):
        return None
    return SpanReading(calls=tuple(calls), spoken=spoken)
