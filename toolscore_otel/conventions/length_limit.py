"""Plain results that ended at the length limit of their span.

A limit (`OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT`) cuts all texts of a span at one length. A structure that ends in its middle shows that
length; a plain text just as long, where none is longer, was cut there too, and does not show it.
"""

from __future__ import annotations

from msgspec import structs

from toolscore_otel.conventions.cut import ends_inside
from toolscore_otel.conventions.reading import CallReading
from toolscore_otel.matchers.cut import looks_structured
from toolscore_otel.model import ContentState, Payload, Span

LEAST = 32
"""Nobody sets a limit below so many characters; shorter texts are of one length by chance."""


def with_cut_result(span: Span, call: CallReading) -> CallReading:
    """A call of a span, with its result truncated where it is known to be."""
    said = call.result.value
    if not isinstance(said, str) or len(said) < LEAST or not _is_cut(span, said):
        return call
    return structs.replace(call, result=Payload(ContentState.TRUNCATED, text=said))


def _is_cut(span: Span, said: str) -> bool:
    texts = [value for value in span.attributes.values() if isinstance(value, str)]
    if said not in texts or max(map(len, texts)) > len(said):
        return False
    return any(
        len(text) == len(said) and looks_structured(text) and ends_inside(text) for text in texts
    )
