"""How a call ended by what its framework answers, where failed calls end like good ones.

Each framework is known by its scope, or (rig, which writes under the application's own) by the module that `tracing` names.

Source:
    rig 0.23 to 0.44, `ToolServerError`, `ToolSetError`, `ToolError`, `ToolResult`; AgentScope for Java 1.0.9, `ToolResultBlock.error`,
    `ToolExecutor`; AgentScope 2.0.11, `ToolResultState`, `Toolkit.call_tool`. All of them recorded, too.
"""

from __future__ import annotations

from msgspec import Struct

from toolscore_otel.conventions import content
from toolscore_otel.conventions.evidence import CANCELLED
from toolscore_otel.conventions.fields import a_list, an_object, text
from toolscore_otel.model import Json, Span

RIG_OUTCOME = "gen_ai.tool.call.outcome"

_RIG_ERROR_TYPE = "gen_ai.tool.error.type"
_RIG_MODULE = "target"
_RIG_MODULES = ("rig::", "rig_")
_RIG_FAILED = frozenset({"error", "denied"})  # the second: by the tool itself
_RIG_TOOLSET = "Toolset error: "
_RIG_UNREADABLE = "failed to parse tool arguments: "

_AGENTSCOPE = "agentscope"
_JAVA_FUNCTION, _JAVA_CALL = "agentscope.function.name", "Toolkit.callTool"
_JAVA_FAILED = "Error: "
_STATES = {"error": None, "denied": None, "interrupted": CANCELLED}
"""How a failed call of AgentScope 2 ends -> its type."""


class Told(Struct, frozen=True):
    """What an answer tells.

    Attributes:
        answer: what the tool gave, without what its framework puts around it.
        failed: whether the call did.
        error_type: as recorded.
        is_silent: whether it says nothing of a good end, either.
        ran: whether the tool was reached at all.
    """

    answer: Json
    failed: bool = False
    error_type: str | None = None
    is_silent: bool = False
    ran: bool = True

    @property
    def message(self) -> str | None:
        """Why it failed."""
        return self.answer if self.failed and isinstance(self.answer, str) else None


def told(span: Span, name: str | None, answer: Json) -> Told | None:
    """What the answer of a tool tells; None of one that no framework of these wrote.

    Args:
        span: of the tool.
        name: of the tool.
        answer: as recorded; None where it is absent.
    """
    if span.scope.name == _AGENTSCOPE:
        return _agentscope(span, name, answer)
    return _rig(span, name, answer) if _is_rig(span) else None


def is_not_begun(span: Span) -> bool:
    """Whether a tool span was only made ready: rig 0.44 names the tool as soon as it turns to a call, and not in one turned down."""
    return _is_rig(span) and RIG_OUTCOME not in span.attributes


def _is_rig(span: Span) -> bool:
    module = span.attributes.get(_RIG_MODULE)
    return isinstance(module, str) and module.startswith(_RIG_MODULES)


def _rig(span: Span, name: str | None, answer: Json) -> Told:
    outcome = text(span.attributes, RIG_OUTCOME)
    said = answer if isinstance(answer, str) else ""
    if outcome is not None:
        error_type = text(span.attributes, _RIG_ERROR_TYPE)
        is_unreadable = error_type == "invalid_args" and said.startswith(_RIG_UNREADABLE)
        ran = outcome != "skipped" and not is_unreadable
        is_silent = outcome != "success"
        return Told(answer, outcome in _RIG_FAILED, error_type, is_silent, ran)
    if said.startswith(_RIG_TOOLSET):  # what a tool itself answers is JSON
        return Told(answer, failed=True, ran=not said.endswith(f": ToolNotFoundError: {name}"))
    return Told(answer, is_silent=answer is None)  # cancelled, or turned down by a hook


def _agentscope(span: Span, name: str | None, answer: Json) -> Told | None:
    if span.attributes.get(_JAVA_FUNCTION) == _JAVA_CALL:
        return _java(name, content.lone_text(answer))
    if answer is None:
        return Told(answer, is_silent=True)
    whole = content.fields(answer)
    state, blocks = text(whole, "state"), a_list(whole.get("content"))
    if state is None or blocks is None:
        return None
    only = an_object(blocks[0]) if len(blocks) == 1 else None
    said = text(only, "text") if only is not None else None
    is_turned_down = said is not None and said.startswith(
        (
            f"ToolNotFoundError: The tool named '{name}' doesn't exist.",
            f"ToolGroupInactiveError: The tool '{name}' in group ",
        )
    )
    return Told(
        whole["content"] if said is None else said,
        failed=state in _STATES,
        error_type=_STATES.get(state),
        is_silent=state != "success",
        ran=not (is_turned_down and state == "error"),
    )


def _java(name: str | None, answer: Json) -> Told:
    """Texts of tools are quoted as JSON, those of failures are not."""
    said = answer if isinstance(answer, str) else ""
    is_turned_down = said == f"Error: Tool not found: {name}" or said.startswith(
        f"Error: Parameter validation failed for tool '{name}': "
    )
    failed = said.startswith(_JAVA_FAILED)
    return Told(answer, failed=failed, is_silent=answer is None, ran=not is_turned_down)
