"""What one log record says about tool calls: chat messages, the events of coding agents, exceptions.

Which reader a record has is decided by its event's name alone, so any other record costs one look-up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import structs

from toolscore_otel.conventions import (
    attributes as names,
    claude_code,
    codex,
    coding_agents as its,
    gemini,
    message_logs,
    prompt_names,
)
from toolscore_otel.conventions.evidence import raised
from toolscore_otel.conventions.fields import first_text, text
from toolscore_otel.conventions.kinds import kind_of
from toolscore_otel.conventions.reading import CallReading, SpanReading
from toolscore_otel.conventions.sampling import sampled
from toolscore_otel.model import CallKind, Gap, Json, LogRecord, Stage

LogReader = Callable[[LogRecord], SpanReading | None]


def event_of(field: str | None, attributes: Mapping[str, Json]) -> str | None:
    """The name of a record's event: the attribute goes first, since Codex has its source's line in the field."""
    return text(attributes, names.EVENT_NAME) or field


def is_log_of_interest(field: str | None, attributes: Mapping[str, Json]) -> bool:
    """Whether a log record can say anything at all, by its event's name; false means that `read_log` gives None."""
    return event_of(field, attributes) in _READERS


def read_log(record: LogRecord) -> SpanReading | None:
    """All that a log record says.

    Args:
        record: as recorded.

    Returns:
        None for a record that says nothing of a tool call.
    """
    reader = _READERS.get(event_of(record.event_name, record.attributes) or "")
    found = None if reader is None else reader(record)
    if found is None:
        return None
    conversation = found.conversation_id or first_text(
        record.attributes, (*names.CONVERSATIONS, its.CODEX_CONVERSATION)
    )
    gaps = tuple(_gaps(record))
    return structs.replace(
        found,
        calls=tuple(_finished(record, call, gaps) for call in found.calls),
        conversation_id=conversation,
        session=first_text(record.resource.attributes, names.SESSIONS),
        is_sampled=Gap.SAMPLED_UPSTREAM in gaps,
    )


def _gaps(record: LogRecord) -> Iterator[Gap]:
    """What all calls lack of which a record tells."""
    if not record.trace_id:
        yield Gap.TRACE_NOT_OBSERVED
    if sampled(record) is not None:
        yield Gap.SAMPLED_UPSTREAM


def _finished(record: LogRecord, call: CallReading, gaps: tuple[Gap, ...]) -> CallReading:
    kind = kind_of(record, call.name) if call.kind is CallKind.TOOL else call.kind
    return structs.replace(call, kind=kind, gaps=(*call.gaps, *gaps))


def _exception(record: LogRecord) -> SpanReading | None:
    """A failure of the span that the record stands on."""
    end = raised(record.attributes)
    if end is None or record.trace_id is None or record.span_id is None:
        return None
    failure = CallReading(
        convention=message_logs.CONVENTION,
        what="log",
        stage=Stage.REQUESTED,  # it says why something ended, and not that a tool was reached
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
        fills=True,
    )
    return SpanReading(calls=(failure,))


def _message(record: LogRecord) -> SpanReading:  # noqa: ARG001 - as the others
    """A message apart from any model call; that is of no tool call, and may be looked through for secrets (`prompts`)."""
    return SpanReading()


_READERS: dict[str | None, LogReader] = {
    names.DETAILS_EVENT: message_logs.details,
    names.CHOICE_EVENT: message_logs.choice,
    names.ASSISTANT_EVENT: message_logs.assistant,
    names.TOOL_MESSAGE_EVENT: message_logs.tool,
    names.USER_EVENT: message_logs.user,
    names.SYSTEM_EVENT: message_logs.system,
    its.CLAUDE_RESULT: claude_code.read_result,
    its.CLAUDE_DECISION: claude_code.read_decision,
    its.CLAUDE_MODEL_EVENT: claude_code.read_model_call,
    its.CODEX_MODEL_EVENT: codex.read_model_call,
    its.CODEX_RESULT_EVENT: codex.read_result,
    its.CODEX_DECISION: codex.read_decision,
    its.GEMINI_TOOL_EVENT: gemini.read_log,
    its.GEMINI_MODEL_EVENT: gemini.read_model_call,
    its.GEMINI_AGENT_EVENT: gemini.read_name,
    **dict.fromkeys(its.CLAUDE_NAMING_EVENTS, claude_code.read_name),
    **dict.fromkeys(prompt_names.AGENTS_EVENTS, _message),
    **dict.fromkeys(names.EXCEPTION_EVENTS, _exception),
}
"""By the name of the event."""
