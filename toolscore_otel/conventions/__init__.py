"""What one span says about tool calls, agents and model calls, whatever dialect it is written in.

Each reader understands one convention: `read(span) -> SpanReading | None`. None means that the span says nothing in that
convention; a reader raises nothing, whatever an attribute holds. `READERS` is their order of precedence: where a span
carries several dialects, the first gives and later ones fill what it did not observe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import structs

from toolscore_otel.conventions import (
    attributes as names,
    claude_code,
    codex,
    gemini,
    genai,
    genai_legacy,
    genkit,
    haystack,
    langfuse,
    logfire,
    mcp,
    offers,
    opencode,
    openinference,
    spoken,
    traceloop,
    vercel,
)
from toolscore_otel.conventions.fields import text
from toolscore_otel.conventions.genai import own_agent
from toolscore_otel.conventions.kinds import is_made_up, kind_of
from toolscore_otel.conventions.logs import is_log_of_interest, read_log
from toolscore_otel.conventions.merging import merged
from toolscore_otel.conventions.reading import CallReading, ModelReading, SpanReading
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

Reader = Callable[[Span], SpanReading | None]

READERS: tuple[Reader, ...] = (
    mcp.read,
    claude_code.read,
    traceloop.read,
    vercel.read,
    genai.read,
    genai_legacy.read,
    openinference.read,
    logfire.read,
    haystack.read,
    langfuse.read,
    genkit.read,
    gemini.read,
    codex.read,
    opencode.read,
)
"""Traceloop before GenAI, whose names it puts its wrappers under; frameworks of their own last."""

CONVENTIONS: tuple[str, ...] = (
    mcp.CONVENTION,
    claude_code.CONVENTION,
    traceloop.CONVENTION,
    vercel.CONVENTION,
    genai.CONVENTION,
    genai_legacy.CONVENTION,
    openinference.CONVENTION,
    logfire.CONVENTION,
    haystack.CONVENTION,
    langfuse.CONVENTION,
    genkit.CONVENTION,
    gemini.CONVENTION,
    codex.CONVENTION,
    opencode.CONVENTION,
)
"""The closed list of values of `convention`, in the same order."""


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
    if not is_of_interest(span.name, span.attributes):
        return None
    found: SpanReading | None = None
    for reader in READERS:
        reading = reader(span)
        if reading is not None:
            found = reading if found is None else merged(found, reading)
    if found is not None and found.model is not None:
        found = structs.replace(found, calls=(*found.calls, *_said(span, found.model)))
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


def _with_context(span: Span, found: SpanReading) -> SpanReading | None:
    calls = tuple(_finished(span, call) for call in found.calls if not is_made_up(span, call.name))
    says_something = bool(calls or found.agent or found.model or found.named)
    conversations = names.CONVERSATIONS if says_something else (names.CONVERSATION,)
    conversation = found.conversation_id or text(span.attributes, *conversations)
    scenario = text(span.attributes, *names.SCENARIOS)
    if not (says_something or conversation or scenario):
        return None
    return SpanReading(
        calls=calls,
        agent=found.agent,
        model=found.model,
        conversation_id=conversation,
        scenario=scenario or text(span.resource.attributes, *names.SCENARIOS),
        named=found.named,
        offer=offers.read(span, found) if calls or found.agent or found.model else None,
    )


def _finished(span: Span, call: CallReading) -> CallReading:
    """The call with what holds in every dialect: its kind by the framework's marks, and dropped attributes."""
    kind = kind_of(span, call.name) if call.kind is CallKind.TOOL else call.kind
    gaps = (*call.gaps, Gap.ATTRIBUTES_DROPPED) if span.dropped_attributes else call.gaps
    if kind is call.kind and gaps is call.gaps:
        return call
    return structs.replace(call, kind=kind, gaps=gaps)
