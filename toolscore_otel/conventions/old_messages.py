"""The older events of messages, one event a message, whether it is one of a span or a log record.

A log record has the message in its body. A span event has the parts of it as attributes, or all of it as JSON text in one
(Azure's).

Source:
    OpenTelemetry GenAI semantic conventions v1.28 to v1.36, "Events"; recorded telemetry of what writes them.
"""

from __future__ import annotations

from collections.abc import Mapping

from toolscore_otel.conventions import attributes as names, content
from toolscore_otel.conventions.fields import an_object, first
from toolscore_otel.conventions.messages import Message, message
from toolscore_otel.model import Json, SpanEvent

_ROLES = {names.ASSISTANT_EVENT: "assistant", names.TOOL_MESSAGE_EVENT: "tool"}
_ANSWERED_IDS = ("id", "tool_call_id")


def body(event: SpanEvent) -> Mapping[str, Json]:
    """The message of a span event, as a log record has it in its body."""
    whole = an_object(content.unpacked_or_cut(event.attributes.get(names.EVENT_CONTENT)))
    return event.attributes if whole is None else whole


def choice(recorded: Json) -> Message:
    """What the model said; some write its calls beside the message and not into it (Traceloop).

    Args:
        recorded: the body.
    """
    whole = an_object(content.unpacked_or_cut(recorded)) or {}
    said = whole.get("message")
    inner = content.unpacked_or_cut(said)
    found = (
        message({"role": "assistant", "content": said})  # blocks of a provider, or words (Strands)
        if an_object(inner) is None
        else message({"message": inner})
    )
    beside = message({"tool_calls": whole.get("tool_calls")}).asked
    if found.asked or not beside:
        return found
    return Message(from_model=True, asked=beside, text=found.text)


def heard(event: SpanEvent) -> Json:
    """A message of the input, with the role that its event says.

    A message of a tool with no id beside it is the user's, with the answers in it (Strands).
    """
    said = body(event)
    role = _ROLES.get(event.name, "user")
    if role == "tool" and first(said, _ANSWERED_IDS) is None:
        role = "user"
    return {**said, "role": role}
