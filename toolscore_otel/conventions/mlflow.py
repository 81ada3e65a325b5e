"""MLflow Tracing: what a span is stands in `mlflow.spanType`, and every value is JSON text, names too.

Autologged libraries write what they have under one type. Read are those that write a tool's name, arguments and answer as such:
decorated functions, LangChain, openai-agents, pydantic-ai, CrewAI; of others (a class and its method for a name) nothing is.

Source:
    MLflow 3.17: decorators, LangChain, openai-agents, pydantic-ai, OpenAI and Anthropic recorded; CrewAI and the others, its code.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from toolscore_otel.conventions import attributes as names, content, usage_names
from toolscore_otel.conventions.counts import Cached, counts, with_counts
from toolscore_otel.conventions.envelopes import messages_in
from toolscore_otel.conventions.evidence import message_in, outcome
from toolscore_otel.conventions.fields import a_list, an_object, text, usd
from toolscore_otel.conventions.genai import langchain_agent
from toolscore_otel.conventions.reading import AgentReading, CallReading, ModelReading, SpanReading
from toolscore_otel.model import NOT_OBSERVED, Gap, Json, Span, Stage, Status

CONVENTION = "mlflow"

_FUNCTION = "mlflow.spanFunctionName"
_FORMAT = "mlflow.message.format"
_MODEL = "mlflow.llm.model"
_PROVIDER = "mlflow.llm.provider"
_TOKENS = "mlflow.chat.tokenUsage"
_COST = "mlflow.llm.cost"

_PYDANTIC = "pydantic_ai"
"""Its answers alone are read: nothing in its histories has a role."""
_FORMATS = frozenset({"openai", "anthropic", "langchain", "openai-agent", _PYDANTIC})
_NO_TOOLS = frozenset({"Images", "AsyncImages", "AgnoToolCall", "ToolExecution"})
"""Names of tool spans that name no tool: OpenAI's image API, and tools whose name was not found."""
_OTHERS = frozenset({names.HAYSTACK_COMPONENT, "tool_id"})
"""Attributes of tool spans that are a component of Haystack, or a line of Claude Code's transcript, told when all is over."""
_CREWAI_CALL = frozenset({"tool_name", "tool_args"})


class _Answer(Struct, frozen=True):
    """What a tool answered, and what LangChain's message around it says beside it."""

    said: Json
    call_id: str | None = None
    failed: bool = False


def read(span: Span) -> SpanReading | None:
    """Read a span of type tool, agent, chat model or chain; None for every other span."""
    kind = _unquoted(span, names.MLFLOW_TYPE)
    if kind == "TOOL":
        call = _call(span)
        return None if call is None else SpanReading(calls=(call,))
    if kind == "AGENT":
        name = _unquoted(span, "name") or (span.name if _is_named(span) else None)
        return SpanReading(agent=AgentReading(convention=CONVENTION, name=name or None))
    if kind == "CHAT_MODEL" or (kind == "LLM" and _TOKENS in span.attributes):
        return SpanReading(model=_model(span))
    if kind == "CHAIN" and span.name == langchain_agent(span.attributes):
        return SpanReading(agent=AgentReading(convention=CONVENTION, name=span.name))
    return None


def turn(span: Span) -> tuple[Sequence[Json], Sequence[Json]]:
    """What a model call hears and says, by the bodies of its request and of the response."""
    form = _unquoted(span, _FORMAT)
    if form not in _FORMATS:
        return (), ()
    said = _said(content.unpacked_or_cut(span.attributes.get(names.MLFLOW_OUTPUTS)))
    if form == _PYDANTIC:
        return (), said
    return messages_in(content.unpacked_or_cut(span.attributes.get(names.MLFLOW_INPUTS))), said


def _said(recorded: Json) -> Sequence[Json]:
    """The choices of a chat completion, the items of a Responses object or of openai-agents, or Anthropic's one message."""
    answer = an_object(recorded)
    if answer is None:
        return a_list(recorded) or ()
    for key in ("choices", "output"):
        if (listed := a_list(answer.get(key))) is not None:
            return listed
    return (answer,)


def _unquoted(span: Span, name: str) -> str | None:
    recorded = span.attributes.get(name)
    value = content.decoded(recorded) if isinstance(recorded, str) else None
    return value if isinstance(value, str) and value else None


def _is_named(span: Span) -> bool:
    """Whether its name is that of a tool or an agent, and not of a class and its method."""
    return _FUNCTION in span.attributes or "." not in span.name


def _call(span: Span) -> CallReading | None:
    attributes = span.attributes
    asked = attributes.get(names.MLFLOW_INPUTS)
    recorded = attributes.get(names.MLFLOW_OUTPUTS)
    wrapper = content.fields(asked)
    name = _tool(span)
    if name is None or "agent_action" in wrapper:  # CrewAI before native calls: its own objects
        return None
    if wrapper.keys() == _CREWAI_CALL:
        asked, recorded = wrapper["tool_args"], content.fields(recorded).get("result")
    answer = _answer(recorded)
    end = outcome(span, failed=answer.failed, message=message_in(answer.said))
    # openai-agents: a call that waits for approval ends so, too.
    is_open = end.status is Status.OK and answer.said == "null" and _FUNCTION not in attributes
    return CallReading(
        convention=CONVENTION,
        name=name,
        stage=Stage.REQUESTED if is_open else Stage.EXECUTED,
        args=content.arguments(asked),
        result=NOT_OBSERVED if is_open else content.result(answer.said),
        call_id=_unquoted(span, "tool_call_id") or answer.call_id,
        status=Status.UNKNOWN if is_open else end.status,
        error_type=end.error_type,
        error_message=end.error_message,
        agent=langchain_agent(span.attributes),
        gaps=(Gap.MAY_HAVE_WAITED,) if is_open else (),
    )


def _tool(span: Span) -> str | None:
    if not _OTHERS.isdisjoint(span.attributes) or span.name in _NO_TOOLS or not _is_named(span):
        return None
    return span.name or None


def _answer(recorded: Json) -> _Answer:
    message = content.fields(recorded)
    if message.get("type") != "tool" or "tool_call_id" not in message:
        return _Answer(recorded)
    failed = message.get("status") == "error"
    return _Answer(message.get("content"), text(message, "tool_call_id"), failed)


def _model(span: Span) -> ModelReading:
    call = ModelReading(
        convention=CONVENTION,
        model=_unquoted(span, _MODEL),
        provider=_unquoted(span, _PROVIDER),
        cost_usd=usd(content.fields(span.attributes.get(_COST)), ("total_cost",)),
    )
    used = content.fields(span.attributes.get(_TOKENS))
    # It adds what Anthropic counts apart.
    return with_counts(call, counts(used, usage_names.PROVIDERS_OWN), Cached.WITHIN)
