"""HoneyHive: events of type tool. The type is also the default of whatever is traced, so a tool is what was named and typed.

A failed call has a second span, `NAME_error`, which has no such name and is no call.

Source:
    honeyhive 1.7, recorded, and its code.
"""

from __future__ import annotations

from collections.abc import Mapping

from toolscore_otel.conventions import content
from toolscore_otel.conventions.evidence import outcome
from toolscore_otel.conventions.fields import text
from toolscore_otel.conventions.reading import CallReading, SpanReading
from toolscore_otel.model import NOT_OBSERVED, Json, Payload, Span

CONVENTION = "honeyhive"

_GIVEN_TYPE = "honeyhive_metadata.event_type"
_NAME = "honeyhive_event_name"
_INPUT = "honeyhive_inputs."
_RESULT = "honeyhive_outputs.result"


def read(span: Span) -> SpanReading | None:
    """Read the span of a tool; None for every other span."""
    name = text(span.attributes, _NAME)
    if name is None or span.attributes.get(_GIVEN_TYPE) != "tool":
        return None
    end = outcome(span)
    call = CallReading(
        convention=CONVENTION,
        name=name,
        args=_arguments(span.attributes),
        result=content.result(span.attributes.get(_RESULT)),
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
    )
    return SpanReading(calls=(call,))


def _arguments(attributes: Mapping[str, Json]) -> Payload:
    """One attribute an argument; what is no text, number or truth is written as JSON, and None as Python prints it."""
    given = {
        name.removeprefix(_INPUT): value
        for name, value in attributes.items()
        if name.startswith(_INPUT)
    }
    if not given or "None" in given.values():
        return NOT_OBSERVED
    return content.observed(
        {
            name: value if (inner := content.structure(value)) is None else inner
            for name, value in given.items()
        }
    )
