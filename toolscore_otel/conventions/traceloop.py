"""Traceloop (OpenLLMetry): spans of kind tool and agent, and what LlamaIndex's tasks say of a tool.

Arguments and results stand in wrappers that differ by what was instrumented; some of these alone say that a call failed.
Spans of kind workflow and task are no agents. Model calls are read by the GenAI readers.

Source:
    Traceloop semantic conventions 0.44 to 0.62, recorded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

from toolscore_otel.conventions import attributes as names, content
from toolscore_otel.conventions.evidence import (
    is_mcp_failure,
    mcp_stage,
    message_in,
    outcome,
)
from toolscore_otel.conventions.fields import an_object, first, first_text, text
from toolscore_otel.conventions.genai import own_agent
from toolscore_otel.conventions.reading import AgentReading, CallReading, Layer, SpanReading
from toolscore_otel.model import NOT_OBSERVED, ContentState, Gap, Json, Payload, Span, Stage

CONVENTION = "traceloop"

_TOOL_ENDING = ".tool"
_AGENT_ENDING = ".agent"
_FAILED = re.compile(
    r"""
      status='failure'\   # agno's execution result, as text
    | An\ error\ occurred\ while\ running\ the\ tool\.\ Please\ try\ again\.\ Error:\ (?P<why>.+)
    """,
    re.VERBOSE | re.DOTALL,
)
"""How results begin that alone tell a failure; the second is what openai-agents answers the model, up to 0.43 with no mark."""
_LLAMA_CALL = "call_tool.task"


class _Answer(Struct, frozen=True):
    """A result, and what its wrapper says beside it."""

    result: Payload
    call_id: str | None = None
    failed: bool = False
    message: str | None = None


def read(span: Span) -> SpanReading | None:
    """Read a span by its Traceloop kind; None for workflows, and for tasks that tell of no tool."""
    kind = span.attributes.get(names.TL_KIND)
    if kind == "tool":
        return SpanReading(calls=(_call(span),))
    if kind == "agent":
        name = first_text(span.attributes, names.TL_AGENT_NAMES) or span.name.removesuffix(
            _AGENT_ENDING
        )
        return SpanReading(agent=AgentReading(convention=CONVENTION, name=name or None))
    if kind == "task" and span.scope.name == names.TL_LANGCHAIN_JS_SCOPE:
        is_tool = span.attributes.get(names.OPERATION) in names.TOOL_OPERATIONS
        return SpanReading(calls=(_langchain_js_call(span),)) if is_tool else None
    call = _llama_call(span) if kind == "task" else None
    return None if call is None else SpanReading(calls=(call,))


def _call(span: Span) -> CallReading:
    attributes = span.attributes
    name = first_text(attributes, (names.TOOL_NAME, names.TL_NAME))
    asked = first(attributes, names.TL_INPUTS)
    answer = _answer(first(attributes, names.TL_OUTPUTS))
    end = outcome(span, failed=answer.failed, message=answer.message)
    is_mcp = span.scope.name.startswith(names.TL_MCP_SCOPES)
    gaps = () if name else (Gap.NAME_FROM_SPAN,)
    stage = mcp_stage(name, answer.result, failed=answer.failed) if is_mcp else Stage.EXECUTED
    return CallReading(
        convention=CONVENTION,
        layer=Layer.MCP_CLIENT if is_mcp else Layer.FRAMEWORK,
        stage=stage,
        name=name or span.name.removesuffix(_TOOL_ENDING) or None,
        args=_arguments(asked),
        result=answer.result,
        call_id=first_text(attributes, names.CALL_IDS) or answer.call_id or _asked_id(asked),
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
        agent=own_agent(span),
        gaps=gaps,
    )


def _langchain_js_call(span: Span) -> CallReading:
    """The call of a LangChain.js tool: what is named is its class, and the tool only in its answer."""
    attributes = span.attributes
    whole = content.fields(first(attributes, names.TL_OUTPUTS))
    message = content.fields(whole.get("kwargs"))
    answer = _tool_message(message) if "content" in message else _Answer(NOT_OBSERVED)
    asked = content.fields(first(attributes, names.TL_INPUTS)).get("args")
    end = outcome(span, failed=answer.failed, message=answer.message)
    name = text(message, "name")
    return CallReading(
        convention=CONVENTION,
        name=name,
        args=content.arguments(asked[0]) if isinstance(asked, list) and asked else NOT_OBSERVED,
        result=answer.result,
        call_id=answer.call_id,
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
        gaps=() if name else (Gap.NAME_NOT_OBSERVED,),
    )


def _llama_call(span: Span) -> CallReading | None:
    """The call of LlamaIndex's task; up to 0.43 its name and arguments stand in the output alone."""
    attributes = span.attributes
    is_older = attributes.get(names.TL_NAME) == _LLAMA_CALL
    if not (is_older or names.TL_LLAMA_ARGUMENTS in attributes):
        return None
    whole = an_object(content.unpacked(first(attributes, names.TL_OUTPUTS))) or {}
    name = text(attributes, names.TL_LLAMA_NAME) or text(whole, "tool_name")
    if is_older and name is None:
        return None
    output = content.fields(whole.get("tool_output"))
    failed = output.get("is_error") is True
    end = outcome(span, failed=failed, message=message_in(output.get("raw_output")))
    return CallReading(
        convention=CONVENTION,
        name=name,
        args=content.arguments(
            first(attributes, (names.TL_LLAMA_ARGUMENTS,)) or whole.get("tool_kwargs")
        ),
        result=content.result(output.get("raw_output")),
        call_id=text(whole, "tool_id"),
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
    )


def _arguments(asked: Json) -> Payload:
    args = content.arguments(asked)
    wrapper = an_object(args.value)
    if wrapper is None:
        return args
    if "input_str" in wrapper:  # LangChain
        inputs = wrapper.get("inputs")
        return content.arguments(wrapper["input_str"] if inputs is None else inputs)
    if wrapper.keys() == {"tool_name", "arguments"}:  # MCP
        return content.arguments(wrapper["arguments"])
    if wrapper.keys() == {"args", "kwargs"} and isinstance(
        wrapper["kwargs"], dict
    ):  # decorated functions
        if not wrapper["args"]:
            return content.observed(wrapper["kwargs"])
        raw = asked if isinstance(asked, str) else None
        return Payload(ContentState.UNPARSABLE, text=raw)
    return args


def _asked_id(asked: Json) -> str | None:
    return text(content.fields(content.fields(asked).get("kwargs")), "tool_call_id")


def _answer(recorded: Json) -> _Answer:
    whole = content.fields(recorded)
    message = content.fields(content.fields(whole.get("output")).get("kwargs"))
    if "content" in message:
        return _tool_message(message)
    if "result" in whole and whole.keys() <= {"result", "is_error"}:
        answer = whole["result"]
        failed = whole.get("is_error") is True
        return _Answer(content.result(answer), None, failed, message_in(answer))
    if is_mcp_failure(whole):
        said = message_in(content.result(whole["content"]).value)
        return _Answer(content.result(recorded), failed=True, message=said)
    found = _FAILED.match(recorded) if isinstance(recorded, str) else None
    why = None if found is None else found["why"]
    return _Answer(content.result(recorded), failed=found is not None, message=why)


def _tool_message(message: Mapping[str, Json]) -> _Answer:
    answer = message["content"]
    failed = message.get("status") == "error"
    return _Answer(
        content.result(answer), text(message, "tool_call_id"), failed, message_in(answer)
    )
