"""Haystack's own tracing, and what it prints of its messages under OpenInference.

Version 3 has one span per tool call of an agent's step; its status stays UNSET, and an attribute marks failures. Version 2 has one
span for all calls of a turn, the run of a `ToolInvoker`: which calls these were, and how they ended, stands in the messages
that it gives back. Their times are those of the whole turn. An agent has a name only as a component of a pipeline.

Source:
    Haystack 2.31 and 3.4 with opentelemetry-haystack 2.0, recorded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from toolscore_otel.conventions import attributes as names, content, literals, usage_names
from toolscore_otel.conventions.counts import Cached, counts, flat, with_counts
from toolscore_otel.conventions.evidence import message_in, outcome
from toolscore_otel.conventions.fields import a_list, an_object, first, text
from toolscore_otel.conventions.messages import QUOTED
from toolscore_otel.conventions.producers import counts_apart
from toolscore_otel.conventions.reading import AgentReading, CallReading, ModelReading, SpanReading
from toolscore_otel.model import Gap, Json, Span, Status

CONVENTION = "haystack"

_AGENT = "Agent"
_INVOKER = "ToolInvoker"
_GENERATOR = "ChatGenerator"
INVOKER_SPAN = f"{_INVOKER}.run"
"""Name of the span under which OpenInference prints what a `ToolInvoker` gives back."""
_VALUE = rf"(?:[^'\"]|{QUOTED})*?"
_PRINTED = re.compile(
    rf"ChatMessage\(_role=<ChatRole\.TOOL: 'tool'>, _content=\[ToolCallResult\(result=({_VALUE}), "
    rf"origin=ToolCall\(tool_name=({QUOTED}), arguments=({_VALUE}), id=({QUOTED}|None)(?:, extra={_VALUE})?\), "
    r"error=(True|False)\)",
    re.DOTALL,
)


def read(span: Span) -> SpanReading | None:
    """Read a tool, model or agent span of Haystack; None for every other span."""
    if span.name == names.HAYSTACK_TOOL_SPAN:
        return SpanReading(calls=(_call(span),))
    if span.name == names.HAYSTACK_MODEL_SPAN:
        return SpanReading(model=_model(span.attributes.get(names.HAYSTACK_REPLY)))
    if span.name == names.HAYSTACK_AGENT_SPAN:
        return SpanReading(agent=AgentReading(convention=CONVENTION, runs_outer=True))
    component = text(span.attributes, names.HAYSTACK_COMPONENT) or ""
    if component == _AGENT:
        name = text(span.attributes, names.HAYSTACK_COMPONENT_NAME)
        return SpanReading(agent=AgentReading(convention=CONVENTION, name=name))
    if component == _INVOKER:
        return _invoked(span, names.HAYSTACK_COMPONENT_OUTPUT)
    if component.endswith(_GENERATOR) and names.HAYSTACK_COMPONENT_OUTPUT in span.attributes:
        return SpanReading(model=_model(span.attributes[names.HAYSTACK_COMPONENT_OUTPUT]))
    if span.name == INVOKER_SPAN and span.scope.name == f"{names.OI_SCOPE}haystack":
        return _invoked(span, names.OI_OUTPUT)
    return None


def replies(recorded: Json) -> Sequence[Json]:
    """The messages of a model's answer."""
    return a_list(content.fields(recorded).get("replies")) or ()


def _call(span: Span) -> CallReading:
    result = content.result(span.attributes.get(names.HAYSTACK_OUTPUT))
    end = outcome(span, message=message_in(result.value))
    return CallReading(
        convention=CONVENTION,
        name=text(span.attributes, names.HAYSTACK_TOOL_NAME),
        args=content.arguments(span.attributes.get(names.HAYSTACK_INPUT)),
        result=result,
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
    )


def _model(recorded: Json) -> ModelReading:
    found = replies(recorded)
    meta = content.fields(content.fields(found[0] if found else None).get("meta"))
    call = ModelReading(
        convention=CONVENTION,
        model=text(meta, "model"),
        asks="tool" in (text(meta, "finish_reason") or ""),
    )
    used = counts(flat(content.fields(meta.get("usage"))), usage_names.PROVIDERS_OWN)
    # Its generator of Anthropic adds them up since 8.0, and not before.
    how = Cached.UNKNOWN if counts_apart(None, call.model) else Cached.WITHIN
    return with_counts(call, used, how)


def _invoked(span: Span, output: str) -> SpanReading | None:
    """The calls of a turn, by the messages in which their results stand."""
    messages = a_list(content.fields(span.attributes.get(output)).get("tool_messages")) or ()
    answers = [answer for message in messages for answer in _answers(message)]
    gaps = (Gap.TIMES_NOT_OBSERVED,) if len(answers) > 1 else ()
    calls = (_answered(answer, number, gaps) for number, answer in enumerate(answers))
    return SpanReading(calls=tuple(calls)) if answers else None


def _answered(answer: Mapping[str, Json], number: int, gaps: tuple[Gap, ...]) -> CallReading:
    origin = content.fields(answer.get("origin"))
    result = content.result(answer.get("result"))
    failed = answer.get("error")
    return CallReading(
        convention=CONVENTION,
        name=text(origin, "tool_name"),
        args=content.arguments(origin.get("arguments")),
        result=result,
        call_id=text(origin, "id"),
        status=Status.ERROR if failed is True else Status.OK if failed is False else Status.UNKNOWN,
        error_message=message_in(result.value) if failed is True else None,
        position=number,
        gaps=gaps,
    )


def _answers(message: Json) -> Iterator[Mapping[str, Json]]:
    if isinstance(message, str) and (printed := _PRINTED.match(message)) is not None:
        result, name, args, call_id, error = map(_literal, printed.groups())
        origin: Json = {"tool_name": name, "arguments": args, "id": call_id}
        yield {"result": result, "origin": origin, "error": error}
    for part in a_list(content.fields(message).get("content")) or ():
        answer = an_object(first(content.fields(part), ("tool_call_result",)))
        if answer is not None:
            yield answer


def _literal(printed: str) -> Json:
    try:
        return literals.decode(printed)
    except ValueError:
        return None  # an object of a class, as the tool gave it back
