"""One span for all calls that a model asked for at once, as AgentScope for Java 2 writes it.

Their names stand in one attribute, in order; their ids in another, in none (they come out of a hash set). How each ended is
not recorded, nor what it was called with.

Source:
    AgentScope for Java 2.0.0, `OtelTracingMiddleware`, recorded.
"""

from __future__ import annotations

from msgspec import structs

from toolscore_otel.conventions.fields import count
from toolscore_otel.conventions.reading import CallReading
from toolscore_otel.model import Gap, Span, Status

_SCOPE = "io.agentscope"
_COUNT = ("gen_ai.tool.call.count",)
_BETWEEN = ", "


def split(span: Span, call: CallReading) -> tuple[CallReading, ...]:
    """The calls of a tool span.

    Args:
        span: the tool span.
        call: what it tells, taken as one call.

    Returns:
        As many as it says; that call alone where it says nothing, without a name where the names are not as many.
    """
    if span.scope.name != _SCOPE:
        return (call,)
    names = (call.name or "").split(_BETWEEN)
    calls = count(span.attributes, _COUNT) or len(names)  # no tool's name has that in it
    if calls == 1:
        return (call,)
    one = structs.replace(
        call, call_id=None, status=Status.UNKNOWN, error_type=None, error_message=None
    )
    if len(names) != calls:
        return (structs.replace(one, name=None, gaps=(*one.gaps, Gap.NAME_NOT_OBSERVED)),)
    return tuple(
        structs.replace(one, name=name, position=place) for place, name in enumerate(names)
    )
