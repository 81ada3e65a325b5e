"""What one span says about tool calls, agents and model calls, whatever dialect it is written in.

Each reader understands one convention: `read(span) -> SpanReading | None`. None means that the span says nothing in that
convention; a reader raises nothing, whatever an attribute holds. `dialects` says which of them are asked.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import structs

from toolscore_otel.conventions import attributes as names, offers, roll_ups, sampling, spoken
from toolscore_otel.conventions.dialects import DIALECTS, Reader, readers_of
from toolscore_otel.conventions.fields import first_text
from toolscore_otel.conventions.genai import own_agent
from toolscore_otel.conventions.kinds import is_made_up, kind_of
from toolscore_otel.conventions.length_limit import with_cut_result
from toolscore_otel.conventions.logs import is_log_of_interest, read_log
from toolscore_otel.conventions.merging import merged
from toolscore_otel.conventions.reading import CallReading, ModelReading, SpanReading
from toolscore_otel.conventions.usage import cost
from toolscore_otel.conventions.waiting import approvals, as_it_stands
from toolscore_otel.model import CallKind, Gap, Span

__all__ = [
    "CONVENTIONS",
    "READERS",
    "Reader",
    "is_log_of_interest",
    "is_of_interest",
    "read",
    "read_log",
]

READERS: tuple[Reader, ...] = tuple(dialect.read for dialect in DIALECTS)
"""In the order of precedence."""

CONVENTIONS: tuple[str, ...] = tuple(dialect.convention for dialect in DIALECTS)
"""The closed list of values of `convention`, in the same order."""

_CONTEXT = frozenset({*names.CONVERSATIONS, *names.SCENARIOS})
_BESIDE = frozenset({*_CONTEXT, *offers.PLACES, *sampling.NAMES})
_OF_RESOURCE = frozenset({*names.SESSIONS, *names.SCENARIOS})
_TOOL = CallKind.TOOL  # Python 3.11 takes its time to look a member up


def is_of_interest(span_name: str, attribute_names: Iterable[str]) -> bool:
    """Whether a span can say anything at all, asked before it is unpacked: false means that `read` gives None."""
    return not names.MARKERS.isdisjoint(attribute_names) or span_name.startswith(names.SPAN_NAMES)


def read(span: Span) -> SpanReading | None:
    """All that a span says, in all dialects it carries.

    Args:
        span: attributes flat, as recorded.

    Returns:
        None for a span that says nothing. The conversation and the scenario stand on any span that has them, the
        scenario of the resource on spans that say something else.
    """
    readers = readers_of(span.name, span.attributes)
    if not readers:
        return None
    found: SpanReading | None = None
    for reader in readers:
        reading = reader(span)
        if reading is not None:
            found = reading if found is None else merged(found, reading)
    if found is not None and found.model is not None:
        found = structs.replace(found, calls=(*found.calls, *_said(span, found.model)))
    elif found is not None and found.calls and (usd := cost(span.attributes)) is not None:
        found = structs.replace(found, calls=_with_cost(found.calls, usd))
    elif found is not None and found.agent and (added := roll_ups.read(span, found)) is not None:
        found = structs.replace(found, agent=structs.replace(found.agent, roll_up=added))
    if found is not None and found.agent and (asked := approvals(span, found.agent.convention)):
        found = structs.replace(found, calls=(*found.calls, *asked))
    return _with_context(span, found or SpanReading())


def _said(span: Span, model: ModelReading) -> tuple[CallReading, ...]:
    """What a model call's messages say; who asks is the agent that the span names, and who hears may be another one."""
    said = spoken.read(span, model)
    agent = own_agent(span) if said else None
    if agent is None:
        return said
    return tuple(
        structs.replace(call, agent=agent) if call.what == "request" else call for call in said
    )


def _with_cost(calls: tuple[CallReading, ...], usd: float) -> tuple[CallReading, ...]:
    """What the span of one call reports is what that call cost, with all that stands inside."""
    return (structs.replace(calls[0], cost_usd=usd),) if len(calls) == 1 else calls


def _with_context(span: Span, found: SpanReading) -> SpanReading | None:
    is_bare = _is_bare(span)
    gaps = () if is_bare else _gaps(span)
    calls = _finished(span, found.calls, gaps) if found.calls else ()
    says_something = bool(calls or found.agent or found.model or found.named)
    if is_bare:
        if not (says_something or found.conversation_id):
            return None
        return found if calls is found.calls else structs.replace(found, calls=calls)
    conversation, scenario = found.conversation_id, None
    if not _CONTEXT.isdisjoint(span.attributes):
        conversations = names.CONVERSATIONS if says_something else (names.CONVERSATION,)
        conversation = conversation or first_text(span.attributes, conversations)
        scenario = first_text(span.attributes, names.SCENARIOS)
    if not (says_something or conversation or scenario):
        return None
    return SpanReading(
        calls=calls,
        agent=found.agent,
        model=found.model,
        conversation_id=conversation,
        session=first_text(span.resource.attributes, names.SESSIONS) if says_something else None,
        scenario=scenario or first_text(span.resource.attributes, names.SCENARIOS),
        named=found.named,
        offer=offers.read(span, found) if calls or found.agent or found.model else None,
        is_sampled=bool(gaps) and Gap.SAMPLED_UPSTREAM in gaps,
    )


def _is_bare(span: Span) -> bool:
    """Whether a span holds nothing beside what readers read, nor does its resource: true of most tool spans."""
    return (
        not (span.trace_state or span.dropped_attributes)
        and _BESIDE.isdisjoint(span.attributes)
        and _OF_RESOURCE.isdisjoint(span.resource.attributes)
    )


def _gaps(span: Span) -> tuple[Gap, ...]:
    """What all calls lack of which a span tells."""
    gaps = (Gap.ATTRIBUTES_DROPPED,) if span.dropped_attributes else ()
    return gaps if sampling.sampled(span) is None else (*gaps, Gap.SAMPLED_UPSTREAM)


def _finished(
    span: Span, calls: tuple[CallReading, ...], gaps: tuple[Gap, ...]
) -> tuple[CallReading, ...]:
    """The calls with what holds in every dialect: their kind by the framework's marks, and what their span lacks."""
    finished: list[CallReading] = []
    is_as_told = True
    for told in calls:
        if is_made_up(span, told.name):
            is_as_told = False
            continue
        call = as_it_stands(span, with_cut_result(span, told))
        kind = kind_of(span, call.name) if call.kind is _TOOL else call.kind
        if kind is not call.kind or gaps:
            call = structs.replace(call, kind=kind, gaps=(*call.gaps, *gaps))
        is_as_told = is_as_told and call is told
        finished.append(call)
    return calls if is_as_told else tuple(finished)
