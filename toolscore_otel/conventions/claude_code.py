"""Claude Code's own spans (beta): a call is two of them.

`claude_code.tool` opens when the model asks and looks the same when the user denies it: it is a request, and says nothing
of the end. Its child `claude_code.tool.execution` exists only where the tool ran, and says whether it failed; it names no
tool. Both carry the call id.

Source:
    Telemetry of Claude Code 2.1, recorded.
"""

from __future__ import annotations

from toolscore_otel.conventions import attributes as names, content
from toolscore_otel.conventions.evidence import message_in, outcome
from toolscore_otel.conventions.fields import first, text
from toolscore_otel.conventions.reading import CallReading, SpanReading
from toolscore_otel.model import NOT_OBSERVED, Json, Span, Stage

CONVENTION = "claude_code"


def read(span: Span) -> SpanReading | None:
    """Read a request span or an execution span; None for every other one."""
    if span.name == names.CLAUDE_TOOL_SPAN:
        return SpanReading(calls=(_request(span),))
    if span.name == names.CLAUDE_EXECUTION_SPAN:
        return SpanReading(calls=(_execution(span),))
    return None


def _request(span: Span) -> CallReading:
    output = _output(span)
    return CallReading(
        convention=CONVENTION,
        name=text(span.attributes, *names.CLAUDE_TOOL_NAMES),
        stage=Stage.REQUESTED if output is None else Stage.EXECUTED,
        result=NOT_OBSERVED if output is None else content.result(output),
        call_id=text(span.attributes, *names.CLAUDE_CALL_IDS),
    )


def _execution(span: Span) -> CallReading:
    error = span.attributes.get(names.CLAUDE_ERROR)
    failed = span.attributes.get(names.CLAUDE_SUCCESS) in (False, "false")
    end = outcome(span, failed=failed, message=message_in(error))
    return CallReading(
        convention=CONVENTION,
        call_id=text(span.attributes, *names.CLAUDE_CALL_IDS),
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
    )


def _output(span: Span) -> Json:
    for event in span.events:
        if event.name == names.CLAUDE_OUTPUT_EVENT:
            return first(event.attributes, names.CLAUDE_OUTPUTS)
    return None
