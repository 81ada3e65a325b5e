"""Calls named like a handoff to another agent, and what shows that they are one.

`transfer_to_billing` hands over to an agent, or moves money: the name alone tells nothing. A handoff it is where the answer
is what a framework gives then, or where the agent of that name runs afterwards (`assembly.handing`); and with a number among
the arguments it is none, for an agent is told words. "Successfully transferred to savings" may be said of money, too: that
counts only where the arguments were observed and have no digit in them.

Source:
    langgraph-supervisor, `create_handoff_back_messages`; the same and langgraph-swarm, `create_handoff_tool`; LangGraph, `Command`; AutoGen, `Handoff`; Strands,
    `handoff_to_agent`; OpenAI Agents, `Handoff.get_transfer_message`; ADK, Agno, LlamaIndex and CrewAI, recorded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from toolscore_otel.conventions.content import fields
from toolscore_otel.conventions.fields import text
from toolscore_otel.conventions.reading import CallReading
from toolscore_otel.model import Json

BEGINNINGS = ("transfer_", "handoff", "hand_off_", "delegate_")
"""How the name of every such call begins."""

_NAMED_BY_TARGET = re.compile(r"(?:transfer|handoff|hand_off|delegate)(?:_back)?_to_(.+)")

_NAMED_IN_ARGUMENTS = {
    "transfer_to_agent": "agent_name",
    "handoff_to_agent": "agent_name",
    "handoff": "to_agent",
    "delegate_task_to_member": "member_id",
}
"""Tool -> argument that names the agent."""

_ANSWERS = tuple(
    re.compile(answer, re.IGNORECASE)
    for answer in (
        r"Transferred to (.+?), adopting the role of \1 immediately\.",
        r"Handing off to (.+?):",
        r"Agent (.+?) is now handling the request ",
    )
)
"""What frameworks answer the model when another agent takes over."""

_MAY_BE_OF_MONEY = re.compile(r"Successfully transferred (?:back )?to (.+?)\.?\Z", re.IGNORECASE)
_DIGIT = re.compile(r"\d")

_HANDED_BACK = "transfer_back_to_"
_IS_HANDED_BACK = re.compile(r"Successfully transferred back to (.+)")

_LONGEST = 1_000
"""An answer longer than this many characters is none of these sentences."""

_WORDS = re.compile(r"[^\W_]+")
_PARENT_GRAPH = "__parent__"


def target_of(call: CallReading) -> str | None:
    """Which agent a call would hand over to, were it a handoff; None for one that is not named like any."""
    if call.name is None:
        return None
    if (argument := _NAMED_IN_ARGUMENTS.get(call.name)) is not None:
        return known_as(text(fields(call.args.value), argument))
    found = _NAMED_BY_TARGET.fullmatch(call.name)
    return None if found is None else known_as(found[1])


def is_told_numbers(args: Json) -> bool:
    """Whether there is a number among the arguments of a call."""
    values = fields(args).values()
    return any(isinstance(v, int | float) and not isinstance(v, bool) for v in values)


def is_said(target: str, answer: Json, args: Sequence[Json]) -> bool:
    """Whether the result of a call says that this agent takes over.

    Args:
        target: as `target_of` gives it.
        answer: the result.
        args: the arguments, from each reading that observed them.
    """
    said = [_taking_over(fields(answer))]
    if isinstance(answer, str) and len(answer) <= _LONGEST:
        is_of_words = bool(args) and not any(_DIGIT.search(repr(each)) for each in args)
        patterns = (*_ANSWERS, _MAY_BE_OF_MONEY) if is_of_words else _ANSWERS
        said += [found[1] for pattern in patterns if (found := pattern.match(answer))]
    return any(known_as(name) == target for name in said)


def is_handed_back(tool: str | None, args: Json, answer: Json) -> bool:
    """Whether no model asked for a call: langgraph-supervisor writes it and its answer into the history when an agent has ended."""
    if tool is None or not tool.startswith(_HANDED_BACK) or args or not isinstance(answer, str):
        return False
    found = _IS_HANDED_BACK.fullmatch(answer)
    return found is not None and tool == _HANDED_BACK + "_".join(found[1].split()).lower()


def _taking_over(answer: Mapping[str, Json]) -> str | None:
    """The agent in the answer of OpenAI Agents, or in LangGraph's `Command`, which may stand inside of what a callback was given."""
    if set(answer) == {"assistant"}:
        return text(answer, "assistant")
    command = fields(answer.get("output")) or answer
    return text(command, "goto") if command.get("graph") == _PARENT_GRAPH else None


def known_as(name: str | None) -> str | None:
    """An agent's name as calls that hand over to it have it: its words in lower case, without `agent` before or after them."""
    words = _WORDS.findall(name.lower()) if name else []
    if len(words) > 1 and words[-1] == "agent":
        words.pop()
    elif len(words) > 1 and words[0] == "agent":
        words.pop(0)
    return "_".join(words) or None
