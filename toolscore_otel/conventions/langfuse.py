"""Langfuse observations of type tool, agent and generation. The span's name is the tool's; OTel's status stays UNSET.

Source:
    Langfuse JS SDK 5 and Python SDK, recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import structs

from toolscore_otel.conventions import attributes as names, content, usage, usage_names
from toolscore_otel.conventions.counts import Cached, counts, flat, with_counts
from toolscore_otel.conventions.cut import CutList
from toolscore_otel.conventions.evidence import message_in, outcome
from toolscore_otel.conventions.fields import a_list, an_object, first_text, text
from toolscore_otel.conventions.reading import AgentReading, CallReading, ModelReading, SpanReading
from toolscore_otel.model import ContentState, Json, Payload, Span

CONVENTION = "langfuse"


def read(span: Span) -> SpanReading | None:
    """Read an observation by its type; None for plain spans and events."""
    kind = text(span.attributes, names.LANGFUSE_TYPE)
    if kind == "tool":
        return SpanReading(calls=(_call(span),))
    if kind == "agent":
        return SpanReading(agent=AgentReading(convention=CONVENTION, name=span.name or None))
    if kind == "generation":
        return SpanReading(model=_model(span))
    return None


def _call(span: Span) -> CallReading:
    recorded = span.attributes.get(names.LANGFUSE_OUTPUT)
    message = content.fields(recorded)
    is_message = message.get("type") == "tool" and "tool_call_id" in message  # LangChain's
    answer = message.get("content") if is_message else recorded
    failed = is_message and message.get("status") == "error"
    end = outcome(span, failed=failed, message=message_in(answer))
    return CallReading(
        convention=CONVENTION,
        name=span.name or None,
        args=_arguments(span.attributes.get(names.LANGFUSE_INPUT)),
        result=content.result(answer),
        call_id=_call_id(span) or (text(message, "tool_call_id") if is_message else None),
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
    )


def _arguments(recorded: Json) -> Payload:
    """The arguments, without the wrapper of the Python SDK's `@observe`, where those given by position have no names."""
    args = content.arguments(recorded)
    wrapper = an_object(args.value) or {}
    if wrapper.keys() != {"args", "kwargs"}:
        return args
    positional, named = a_list(wrapper["args"]), an_object(wrapper["kwargs"])
    if positional is None or named is None:
        return args
    if not positional:
        return content.observed(named)
    return Payload(ContentState.UNPARSABLE, text=recorded if isinstance(recorded, str) else None)


def _call_id(span: Span) -> str | None:
    """The id among the metadata, which the Python SDK writes as JSON."""
    recorded = first_text(span.attributes, names.LANGFUSE_CALL_IDS) or ""
    return recorded.strip('"') or None


def turn(span: Span) -> tuple[Sequence[Json], Sequence[Json]]:
    """What a generation hears and says: chat messages, with the tools on offer among them in the role `tool`."""
    if text(span.attributes, names.LANGFUSE_TYPE) != "generation":
        return (), ()
    heard = content.unpacked_or_cut(span.attributes.get(names.LANGFUSE_INPUT))
    heard = a_list(heard) or a_list(content.fields(heard).get("messages")) or ()
    said = an_object(content.unpacked_or_cut(span.attributes.get(names.LANGFUSE_OUTPUT)))
    if isinstance(heard, CutList):
        return heard, [said] if said else ()
    return [each for each in heard if not _is_offer(each)], [said] if said else ()


def _is_offer(recorded: Json) -> bool:
    offered = an_object((an_object(recorded) or {}).get("content"))
    return offered is not None and "function" in offered


def _model(span: Span) -> ModelReading:
    used = flat(content.fields(span.attributes.get(names.LANGFUSE_USAGE)))
    call = ModelReading(
        convention=CONVENTION,
        model=first_text(span.attributes, names.LANGFUSE_MODELS),
        cost_usd=usage.cost(span.attributes),
    )
    found = counts(used, usage_names.LANGFUSE)
    if usage_names.LANGFUSE_OWN.isdisjoint(used):
        return with_counts(call, found, _as_written(used))
    within = (found.input or 0) + (found.output or 0)
    if found.total == within:  # whoever wrote it by hand
        return with_counts(call, found, Cached.WITHIN)
    return with_counts(call, structs.replace(found, apart=True), Cached.BESIDE)


def _as_written(used: Mapping[str, Json]) -> Cached:
    """In a provider's own object, by its shape."""
    return Cached.WITHIN if usage_names.BESIDE_IN_OBJECTS.isdisjoint(used) else Cached.BESIDE
