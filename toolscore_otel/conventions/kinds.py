"""Calls that are not of the user's tools, where the framework itself marks them.

A mark is the type of the tool as the framework records it, or a name that the framework gives to a function of its own,
under its own instrumentation scope. Elsewhere a tool of such a name is a tool: `transfer_to_billing` of LangGraph or
pydantic-ai may hand over to an agent or move money, and the name does not tell which (`handoffs`).
"""

from __future__ import annotations

from toolscore_otel.conventions import attributes as names
from toolscore_otel.conventions.answers import is_not_begun
from toolscore_otel.model import CallKind, LogRecord, Span

_MADE_UP_TOOLS: tuple[tuple[str, str], ...] = (
    ("", "(merged tools)"),  # ADK, after each parallel turn
    ("openinference.instrumentation.langchain", "invalid_tool"),  # asked for one that is unknown
    ("openinference.instrumentation.langchain", "_Exception"),  # asked in a way not understood
    ("opentelemetry.instrumentation.langchain", "invalid_tool"),
    ("opentelemetry.instrumentation.langchain", "_Exception"),
)
"""Beginning of the scope, and what it writes where nothing of that name was called."""

_MADE_UP = frozenset(name for _, name in _MADE_UP_TOOLS)

_TOOL_TYPES = {"TransferToAgentTool": CallKind.HANDOFF, "AgentTool": CallKind.AGENT}  # ADK

_FUNCTIONS: tuple[tuple[str, str, CallKind], ...] = (
    ("gcp.vertex.agent", "transfer_to_agent", CallKind.HANDOFF),
    ("openinference.instrumentation.google_adk", "transfer_to_agent", CallKind.HANDOFF),
    ("openlit.instrumentation.google_adk", "transfer_to_agent", CallKind.HANDOFF),
    ("strands.", "handoff_to_agent", CallKind.HANDOFF),
    ("openinference.instrumentation.autogen_agentchat", "transfer_to_*", CallKind.HANDOFF),
    ("openinference.instrumentation.llama_index", "handoff", CallKind.HANDOFF),
    ("semantic_kernel.", "Handoff-complete_task", CallKind.OUTPUT),
    ("semantic_kernel.", "Handoff-*", CallKind.HANDOFF),
    ("openinference.instrumentation.agno", "delegate_task_to_member*", CallKind.HANDOFF),
    ("openlit.instrumentation.agno", "delegate_task_to_member*", CallKind.HANDOFF),
    ("@mastra/", "agent-*", CallKind.AGENT),
    ("openinference.instrumentation.claude_agent_sdk", "Task", CallKind.AGENT),
    ("logfire.claude_agent_sdk", "Task", CallKind.AGENT),
    ("com.anthropic.claude_code.", "Agent", CallKind.AGENT),
    ("com.anthropic.claude_code.", "Task", CallKind.AGENT),
    ("github.copilot", "task", CallKind.AGENT),
    ("opencode", "task", CallKind.AGENT),
    ("gemini-cli", "invoke_agent", CallKind.AGENT),
    ("gemini-cli", "complete_task", CallKind.OUTPUT),
    ("openinference.instrumentation.smolagents", "final_answer", CallKind.OUTPUT),
    ("openlit.instrumentation.smolagents", "final_answer", CallKind.OUTPUT),
    ("openinference.instrumentation.dspy", "finish", CallKind.OUTPUT),
    ("pydantic-ai", "final_result*", CallKind.OUTPUT),
)
"""Beginning of the scope, name (a trailing `*` stands for any ending), kind."""

_UNMISTAKABLE = {
    "Delegate work to coworker": CallKind.HANDOFF,
    "delegate_work_to_coworker": CallKind.HANDOFF,
}
"""Names of CrewAI's, whoever instruments it, that nobody gives to a tool of their own."""

_SAID_TO_HAND_OFF = (("autogen-core", "transfer_to_*", "Handoff to "),)
"""Where a user's tool may well have such a name (`transfer_to_savings_account`): how the description begins of a handoff."""

_TOOL = CallKind.TOOL
_SCOPES = tuple(sorted({scope for scope, _, _ in (*_FUNCTIONS, *_SAID_TO_HAND_OFF)}))


def is_made_up(span: Span, name: str | None) -> bool:
    """Whether a tool span of this name stands for no call of a tool."""
    if name is None:
        return is_not_begun(span)
    return name in _MADE_UP and any(
        name == made_up and span.scope.name.startswith(scope) for scope, made_up in _MADE_UP_TOOLS
    )


def kind_of(span: Span | LogRecord, name: str | None) -> CallKind:
    """What sort of tool a call of this name is; `tool` unless the framework marks it otherwise."""
    tool_type = span.attributes.get(names.TOOL_TYPE)
    special = _TOOL_TYPES.get(tool_type) if isinstance(tool_type, str) else None
    if special is not None and span.scope.name.endswith(("gcp.vertex.agent", "google_adk")):
        return special
    if name is None:
        return _TOOL
    if name in _UNMISTAKABLE:
        return _UNMISTAKABLE[name]
    if not span.scope.name.startswith(_SCOPES):
        return _TOOL
    if _is_said_to_hand_off(span, name):
        return CallKind.HANDOFF
    for scope, pattern, kind in _FUNCTIONS:
        if span.scope.name.startswith(scope) and _fits(name, pattern):
            return kind
    return _TOOL


def _is_said_to_hand_off(span: Span | LogRecord, name: str) -> bool:
    described = span.attributes.get(names.TOOL_DESCRIPTION)
    return isinstance(described, str) and any(
        span.scope.name.startswith(scope) and _fits(name, pattern) and described.startswith(begin)
        for scope, pattern, begin in _SAID_TO_HAND_OFF
    )


def _fits(name: str, pattern: str) -> bool:
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern
