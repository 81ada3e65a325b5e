"""OpenInference: spans of kind TOOL, AGENT and LLM.

Two things differ by what was instrumented. `tool.parameters` holds the arguments in some instrumentations and the JSON
schema in others; `input.value` is the arguments in all, in some inside a wrapper, so it goes first. A failed call has
status ERROR; a good one has OK.

traceAI (Future AGI) writes the same under names of GenAI, with the kind in `gen_ai.span.kind`. Its instrumentations of most
frameworks put other things where arguments and results stand, each in its way: of these only names, failures and model calls
are read.

Source:
    OpenInference semantic conventions; recorded telemetry of its Python and JavaScript instrumentations, of traceAI's of OpenAI
    and OpenAI Agents, and of functions that its decorators trace.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

from toolscore_otel.conventions import attributes as names, content, usage
from toolscore_otel.conventions.evidence import (
    UNKNOWN,
    Outcome,
    is_mcp_failure,
    message_in,
    outcome,
)
from toolscore_otel.conventions.fields import a_list, an_object, first, first_text, text
from toolscore_otel.conventions.genai import adk_agent, langchain_agent, own_agent
from toolscore_otel.conventions.messages import QUOTED
from toolscore_otel.conventions.reading import AgentReading, CallReading, SpanReading
from toolscore_otel.model import (
    NOT_OBSERVED,
    CallKind,
    ContentState,
    Gap,
    Json,
    Payload,
    Span,
)

CONVENTION = "openinference"

_WRAPPING_SCOPES = (
    "llama_index",
    "dspy",
    "smolagents",
)  # `input.value` is {"args": [...], "kwargs": {...}}
_WRAPPER_KEYS = frozenset({"args", "kwargs", "sanitize_inputs_outputs"})
_METHOD_ENDINGS = (".__call__", ".run", "._use")
_AGENTS_BY_SPAN_NAME = ("langchain", "smolagents")
_AGENTS_BY_NODE = ("crewai", "autogen_agentchat", "openai_agents")
_UNNAMED_AGENTS = frozenset({"AgentExecutor", "ToolCallingAgent", "CodeAgent", "MultiStepAgent"})
"""Classes, whose names stand there where the agent has none."""
_REACT_NODE = "agent"
_SUPERVISING = ("call_agent", "acall_agent")
_HANDOFF_SPAN = "handoff to "
_DECORATED = frozenset(
    {
        *names.OI_KINDS,
        names.OI_INPUT,
        names.OI_INPUT_TYPE,
        names.OI_OUTPUT,
        "output.mime_type",
        names.OI_METADATA,
        "session.id",
        "user.id",
        "tag.tags",
    }
)
"""What the decorators of OpenInference and traceAI write, and their context adds."""
_TRACEAI_AGENTS = "traceai_openai_agents"
_DELEGATING = (
    ("crewai", "Delegate work to coworker", "coworker"),
    ("crewai", "delegate_work_to_coworker", "coworker"),
    ("crewai", "Ask question to coworker", "coworker"),
    ("crewai", "ask_question_to_coworker", "coworker"),
    ("claude_agent_sdk", "Task", "subagent_type"),
    ("claude_agent_sdk", "Agent", "subagent_type"),
)
"""Instrumented framework, tool, and the argument that names the agent which runs inside the call."""
_CLAUDE_TASK = ".Task"
_CREWAI_CALL = re.compile(rf"tool_name={QUOTED} arguments=(\{{.*)\Z", re.DOTALL)
_CREWAI_FAILURE = re.compile(
    r"\s*I encountered an error while trying to use the tool\. This was the error: (.*?)\.\n Tool ",
    re.DOTALL,
)
"""What CrewAI up to 0.2 answers the model; the span's status is OK."""
_LLAMA_WORKFLOW = "Agent"
_LLAMA_PREPARES = "._prepare_"  # builds the request of the call that comes next
_LLAMA_AGENT = re.compile(r", current_agent_name='([^']+)'\)\Z")  # of a printed `AgentSetup`


class _Answer(Struct, frozen=True):
    """A result, and what its wrapper says beside it."""

    result: Payload
    call_id: str | None = None
    failed: bool = False
    message: str | None = None


def read(span: Span) -> SpanReading | None:
    """Read a span by its OpenInference kind; None for every other kind."""
    kind = first(span.attributes, names.OI_KINDS)
    if kind == "TOOL":
        if names.OI_TOOL_NAME not in span.attributes and _is_scope(span, ("beeai",)):
            return None  # an error inside the tool's span
        call = _handoff(span) or _call(span)
        return SpanReading(calls=(call,), agent=_delegate(span, call))
    agent = _agent(span) if kind == "AGENT" else _llama_agent(span) if kind == "CHAIN" else None
    if agent is not None:
        return SpanReading(agent=agent)
    if kind == "LLM" and _is_whole_model_call(span):
        own = usage.OPENINFERENCE if names.OI_KIND in span.attributes else usage.GENAI
        return SpanReading(model=usage.model_call(CONVENTION, span, own))
    return None


def _call(span: Span) -> CallReading:
    attributes = span.attributes
    name = first_text(attributes, (names.OI_TOOL_NAME, names.TOOL_NAME))
    recorded = attributes.get(names.OI_INPUT)
    answer = _answer(span)
    end = _end(span, answer)
    gaps = () if name else (Gap.NAME_FROM_SPAN,)
    if content.has_placeholder(recorded) or content.has_placeholder(
        attributes.get(names.OI_OUTPUT)
    ):
        gaps = (*gaps, Gap.CONTENT_HIDDEN)
    return CallReading(
        convention=CONVENTION,
        name=name or _name_in(span.name),
        args=_arguments(span, recorded),
        result=answer.result,
        call_id=first_text(attributes, names.OI_CALL_IDS) or answer.call_id,
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
        agent=text(attributes, names.OI_TOOL_AGENT) or own_agent(span),
        gaps=gaps,
    )


def _end(span: Span, answer: _Answer) -> Outcome:
    if names.AI_OPERATION in span.attributes:  # the AI SDK's own attributes tell it better
        return UNKNOWN
    return outcome(span, failed=answer.failed, message=answer.message, unmarked=_is_unmarked(span))


def _is_unmarked(span: Span) -> bool:
    """Whether it may have failed all the same: with agno 1 a call that raised is a good one that answered `None`."""
    if span.attributes.get(names.OI_OUTPUT) == "None" and _is_scope(span, ("agno",)):
        return True
    if _is_scope(span, ("google_adk",)) and "response" not in content.fields(
        span.attributes.get(names.OI_OUTPUT)
    ):
        return True  # only what it answers tells a failure, and that is not whole
    return _is_of_its_own_shape(span)


def _is_of_its_own_shape(span: Span) -> bool:
    """Whether it is of an instrumentation of traceAI's that puts other things where arguments and results stand."""
    return span.scope.name.startswith(names.TRACEAI_SCOPE) and not _is_scope(span, ("openai",))


def _handoff(span: Span) -> CallReading | None:
    """A handoff of openai-agents: no tool's name, or (JavaScript) a made-up one; input and output are the two agents."""
    if not span.name.startswith(_HANDOFF_SPAN):
        return None
    if span.attributes.get(names.OI_TOOL_NAME, _made_up(span.name)) != _made_up(span.name):
        return None
    if not _is_scope(span, ("openai_agents",)):
        return None
    end = outcome(span)
    return CallReading(
        convention=CONVENTION,
        kind=CallKind.HANDOFF,
        result=content.result(span.attributes.get(names.OI_OUTPUT)),
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
        gaps=(Gap.NAME_NOT_OBSERVED,),
    )


def _made_up(handoff: str) -> str:
    return handoff.replace(" ", "_")


def _name_in(span_name: str) -> str | None:
    for ending in _METHOD_ENDINGS:
        span_name = span_name.removesuffix(ending)
    return span_name or None


def _arguments(span: Span, recorded: Json) -> Payload:
    if _is_of_its_own_shape(span):
        return NOT_OBSERVED
    if recorded is None:
        parameters = span.attributes.get(names.OI_PARAMETERS)
        return NOT_OBSERVED if _is_schema(parameters) else content.arguments(parameters)
    if span.scope.name == _TRACEAI_AGENTS and names.OI_INPUT_TYPE not in span.attributes:
        return NOT_OBSERVED  # `{}`, which it writes before it knows any
    args = content.arguments(recorded)
    wrapper = an_object(args.value)
    if wrapper is None:
        return _only_argument(recorded) if _is_scope(span, ("langchain",)) else args
    if "calling" in wrapper and _is_scope(span, ("crewai",)):
        return _called(text(wrapper, "calling"))
    if "input" in wrapper and _is_scope(span, ("beeai",)):
        return content.arguments(wrapper["input"])
    is_wrapped = "kwargs" in wrapper and wrapper.keys() <= _WRAPPER_KEYS
    if not (is_wrapped and _is_scope(span, _WRAPPING_SCOPES)):
        return args
    return _unwrapped(wrapper, recorded, span.attributes.get(names.OI_PARAMETERS))


def _only_argument(recorded: Json) -> Payload:
    """An only argument that is a text, as it is, whatever it looks like; its name is not recorded."""
    if not isinstance(recorded, str) or content.is_hidden(recorded):
        return content.arguments(recorded)
    return content.undecoded(recorded)


def _called(printed: str | None) -> Payload:
    """The arguments in CrewAI's call as Python prints it, which stands beside the tool (0.1x)."""
    found = _CREWAI_CALL.match(printed or "")
    return NOT_OBSERVED if found is None else content.arguments(found[1])


def _unwrapped(wrapper: dict[str, Json], recorded: Json, schema: Json) -> Payload:
    named, positional = an_object(wrapper["kwargs"]), wrapper.get("args")
    if named is None:
        return content.arguments(recorded)
    if not positional:
        return content.observed(named)
    parameters = list(content.fields(schema))
    positional = a_list(positional)
    if positional is not None and len(positional) == len(parameters) == 1 and not named:
        return content.observed({parameters[0]: positional[0]})
    # Which parameter a position stands for is not recorded.
    return Payload(ContentState.UNPARSABLE, text=recorded if isinstance(recorded, str) else None)


def _is_schema(parameters: Json) -> bool:
    """Whether `tool.parameters` describes the arguments and is not the arguments."""
    found = content.fields(parameters)
    if found.get("type") == "object" or isinstance(found.get("properties"), dict):
        return True
    return all("type" in (an_object(value) or ()) for value in found.values())


def _answer(span: Span) -> _Answer:
    if _is_of_its_own_shape(span):
        return _Answer(NOT_OBSERVED)
    recorded = span.attributes.get(names.OI_OUTPUT)
    whole = content.fields(recorded)
    if whole.get("type") == "tool" and _is_scope(span, ("langchain",)):
        return _tool_message(content.fields(whole.get("data")))
    if "output" in whole and _is_scope(span, ("langchain",)):
        told = content.fields(content.fields(whole["output"]).get("kwargs"))
        if "tool_call_id" in told:  # JavaScript
            return _tool_message(told)
    if "response" in whole and _is_scope(span, ("google_adk",)):
        return _adk_response(whole)
    if "is_error" in whole and _is_scope(span, ("llama_index",)):
        return _tool_output(whole)
    if _is_scope(span, ("crewai",)) and isinstance(recorded, str):
        return _crewai_answer(recorded)
    if is_mcp_failure(whole):
        message = message_in(content.result(whole["content"]).value)
        return _Answer(content.result(recorded), failed=True, message=message)
    return _Answer(content.result(recorded))


def _crewai_answer(recorded: str) -> _Answer:
    found = _CREWAI_FAILURE.match(recorded)
    if found is None:
        return _Answer(content.result(recorded))
    return _Answer(content.result(recorded), failed=True, message=found[1])


def _tool_message(message: Mapping[str, Json]) -> _Answer:
    result = content.result(message.get("content"))
    failed = message.get("status") == "error"
    return _Answer(
        result, text(message, "tool_call_id"), failed, message_in(message.get("content"))
    )


def _adk_response(response: Mapping[str, Json]) -> _Answer:
    answer = response.get("response")
    error = (an_object(answer) or {}).get("error")
    return _Answer(content.result(answer), text(response, "id"), bool(error), message_in(error))


def _tool_output(output: Mapping[str, Json]) -> _Answer:
    answer = output.get("raw_output")
    failed = output.get("is_error") is True
    return _Answer(content.result(answer), None, failed, message_in(answer))


def _delegate(span: Span, call: CallReading) -> AgentReading | None:
    """The agent whose run a tool is: CrewAI's and Claude's agents that are asked by another have no span of their own."""
    for scope, tool, argument in _DELEGATING:
        if call.name == tool and _is_scope(span, (scope,)):
            name = text(an_object(call.args.value) or {}, argument)
            return AgentReading(convention=CONVENTION, name=name)
    return None


def _agent(span: Span) -> AgentReading | None:
    if _is_scope(span, ("claude_agent_sdk",)) and span.name.endswith(_CLAUDE_TASK):
        return None  # the call around it names the agent; this only repeats the tool's name
    if _is_of_its_own_shape(span):
        return None
    if _is_react_node(span):
        return AgentReading(convention=CONVENTION, is_step=True)
    return AgentReading(convention=CONVENTION, name=_agent_name(span))


def _is_react_node(span: Span) -> bool:
    """Whether it is the node of LangGraph's `create_react_agent` that calls the model, beside that of the tools."""
    node = content.fields(span.attributes.get(names.OI_METADATA))
    is_node = span.name == node.get("langgraph_node") == _REACT_NODE
    return is_node and names.LANGCHAIN_AGENT not in node


def _llama_agent(span: Span) -> AgentReading | None:
    """LlamaIndex's agents: the run of a workflow names none, and each step of it the one whose turn it is."""
    if not _is_scope(span, ("llama_index",)):
        return None
    workflow, _, step = span.name.partition(".")
    if step == "run_agent_step":
        event = text(content.fields(span.attributes.get(names.OI_INPUT)), "ev") or ""
        found = _LLAMA_AGENT.search(event)
        if found is not None:
            return AgentReading(convention=CONVENTION, name=found[1], is_step=True)
    if step == "run" and _LLAMA_WORKFLOW in workflow:
        return AgentReading(convention=CONVENTION)
    return None


def _agent_name(span: Span) -> str | None:
    attributes = span.attributes
    if name := first_text(attributes, (names.OI_AGENT_NAME, *names.AGENT_NAMES, names.AI_FUNCTION)):
        return name
    if _is_scope(span, _AGENTS_BY_NODE):
        return text(attributes, names.OI_NODE)
    if _is_scope(span, ("google_adk",)):
        return adk_agent(span)
    if _is_scope(span, _AGENTS_BY_SPAN_NAME):
        name = langchain_agent(attributes) or _supervised(span) or _name_in(span.name)
        return None if name in _UNNAMED_AGENTS else name
    return _decorated(span)


def _decorated(span: Span) -> str | None:
    """The agent whose function `@tracer.agent` traces under its name: nothing but what it was given stands on such a span.

    Spans that are opened by hand have any name ("agent.chat"), and a method has that of its class before it.
    """
    if names.OI_INPUT_TYPE not in span.attributes or not _DECORATED.issuperset(span.attributes):
        return None
    is_own = span.scope.name.startswith((names.OI_SCOPE, names.OI_JS_SCOPE, names.TRACEAI_SCOPE))
    return None if is_own or "." in span.name else span.name or None


def _supervised(span: Span) -> str | None:
    """The agent that langgraph-supervisor runs, whose name the node has; the span has that of the function that calls it."""
    if span.name not in _SUPERVISING:
        return None
    return text(content.fields(span.attributes.get(names.OI_METADATA)), "langgraph_node")


def _is_whole_model_call(span: Span) -> bool:
    """Whether a span of kind LLM is a model call: LlamaIndex gives that kind to whatever method of a model's class it traces."""
    if _LLAMA_PREPARES in span.name and _is_scope(span, ("llama_index",)):
        return False
    kind = span.attributes.get(names.MASTRA_KIND)
    return not isinstance(kind, str) or kind not in names.MASTRA_PARTS_OF_A_MODEL_CALL


def _is_scope(span: Span, instrumented: tuple[str, ...]) -> bool:
    scope = span.scope.name
    if scope.startswith(names.OI_JS_SCOPE):
        return scope[len(names.OI_JS_SCOPE) :].replace("-", "_").startswith(instrumented)
    for own in (names.OI_SCOPE, names.TRACEAI_SCOPE):
        if scope.startswith(own):
            return scope[len(own) :].startswith(instrumented)
    return False
