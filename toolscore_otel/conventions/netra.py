"""Netra: decorated tools and agents. The status stays UNSET; `netra.entity.error` says why a call failed.

`@task` writes the type of tools for every step, so a tool is what was named one with `@span`.

Source:
    netra-sdk 1.2, recorded, and its code.
"""

from __future__ import annotations

from toolscore_otel.conventions import attributes as names, content
from toolscore_otel.conventions.content import NO_JSON
from toolscore_otel.conventions.evidence import outcome
from toolscore_otel.conventions.fields import text
from toolscore_otel.conventions.reading import AgentReading, CallReading, SpanReading
from toolscore_otel.model import NOT_OBSERVED, Json, Payload, Span

CONVENTION = "netra"

_DECORATOR = "netra.entity.type"
_ERROR = "netra.entity.error"
_PRINTED = frozenset({"None", "True", "False", "nan", "inf", "-inf"})
"""What Python prints for values that are no texts, and no JSON reads."""


def read(span: Span) -> SpanReading | None:
    """Read a decorated tool or agent; None for every other span."""
    kind = (span.attributes.get(names.NETRA_TYPE), span.attributes.get(_DECORATOR))
    if kind == ("TOOL", "span"):
        return SpanReading(calls=(_call(span),))
    if kind == ("AGENT", "agent"):
        return SpanReading(agent=AgentReading(convention=CONVENTION, name=span.name or None))
    return None


def _call(span: Span) -> CallReading:
    why = text(span.attributes, _ERROR)
    end = outcome(span, failed=why is not None, message=why)
    return CallReading(
        convention=CONVENTION,
        name=span.name or None,
        args=_arguments(text(span.attributes, "input")),
        result=_result(text(span.attributes, "output")),
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
    )


def _arguments(recorded: str | None) -> Payload:
    """The arguments where all are texts: others are printed as texts, too, and nothing tells which were some."""
    given = content.fields(recorded)
    return content.observed(given) if given and all(map(_is_text, given.values())) else NOT_OBSERVED


def _is_text(value: Json) -> bool:
    return isinstance(value, str) and value not in _PRINTED and content.decoded(value) is NO_JSON


def _result(recorded: str | None) -> Payload:
    """The answer; an empty text stands there before anything is written."""
    return NOT_OBSERVED if recorded == "None" else content.result(recorded)
