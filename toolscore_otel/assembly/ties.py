"""What ties two traces that tell of calls under one id.

They are of one conversation, one links to the other, or the id itself does: a provider makes it up at random, so that no two
calls have it. An id that counts, or has a handful of characters, comes again in every run and ties nothing by itself. Nor does one that two
models' answers ask for: they were kept and given again, and each was run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Set as AbstractSet

from msgspec import Struct

from toolscore_otel.assembly.retold import Name, asks
from toolscore_otel.model import Stage, ToolCall

LEAST_LETTERS = 8
"""So many different characters has the random part of a long id at least: 16 digits of 16 sorts have fewer once in 5,000 ids."""

_MADE_UP = re.compile(
    r"(?:call|toolu|tooluse|srvtoolu|tool_call|fc|chatcmpl-tool|adk|pyd_ai|mcp)[_-]"
    r"(?:(?:bdrk|vrtx|\d{1,2})_)?([A-Za-z0-9]{16,}|[A-Za-z0-9_-]{22}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
    r"|([0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})"
)
"""Ids of OpenAI, Anthropic (its own, Bedrock's, Vertex'), Bedrock, DeepSeek, vLLM, ADK, Pydantic AI; UUIDs of version 4 (LangChain)."""

_SHORT = re.compile(
    r"(?=.*\d[A-Za-z])(?:call_([a-z0-9]{8})|(?=.*[A-Z])(?=.*[a-z])([A-Za-z0-9]{9}))"
)
"""Ids of Ollama and Mistral. They look random where a letter follows on a digit: one that counts ends with its digits."""

_LEAST_LETTERS_OF_SHORT = 6

_LONG_NUMBER = re.compile(r"function-call-\d{16,20}")
"""Ids of Gemini's OpenAI-compatible interface: a random number of 64 bits."""

NO_LINKS: AbstractSet[str] = frozenset()
"""Of a trace that links to no other."""


class Told(Struct, frozen=True):
    """A call as its own trace tells of it, and what ties it to others.

    Attributes:
        is_left: whether its trace is no longer in memory, and it was not seen to run: nobody can be told any more that it did.
    """

    call: ToolCall
    conversation: str | None
    links: AbstractSet[str]
    is_left: bool = False


def is_made_up(call_id: str) -> bool:
    """Whether nobody else can have come upon an id: one of a provider, with a part that is random."""
    if _LONG_NUMBER.fullmatch(call_id):
        return True
    if short := _SHORT.fullmatch(call_id):
        return len(set(short[1] or short[2])) >= _LEAST_LETTERS_OF_SHORT
    found = _MADE_UP.fullmatch(call_id)
    if found is None:
        return False
    random = found[1] or found[2]
    digits = sum(letter.isdigit() for letter in random)
    is_mixed = 0 < digits < len(random) or not (random.islower() or random.isupper())
    return is_mixed and len(set(random)) >= LEAST_LETTERS


def ties(by: Mapping[Name, Told], call_id: str) -> Callable[[Name, Name], bool]:
    """What tells of two calls under one id whether they may be one.

    Args:
        by: the calls.
        call_id: which all of them have.
    """
    is_enough = is_made_up(call_id)

    def may_be_one(one: Name, other: Name) -> bool:
        mine, yours = by[one], by[other]
        if (mine.is_left and _has_ended(yours)) or (yours.is_left and _has_ended(mine)):
            return False
        return are_tied(one, mine, other, yours) or (is_enough and _are_alike(mine, yours))

    return may_be_one


def are_tied(one: Name, mine: Told, other: Name, yours: Told) -> bool:
    """Whether two calls are of one conversation, or of traces that one links to."""
    is_one_talk = mine.conversation is not None and mine.conversation == yours.conversation
    return is_one_talk or one[0] in yours.links or other[0] in mine.links


def _has_ended(told: Told) -> bool:
    return told.call.stage is Stage.EXECUTED


def _are_alike(mine: Told, yours: Told) -> bool:
    """Whether nothing speaks against a call that was not told twice by chance."""
    talks = {mine.conversation, yours.conversation} - {None}
    return (
        len(talks) <= 1
        and mine.call.service == yours.call.service
        and bool(mine.call.recorded_name and yours.call.recorded_name)
        and not (asks(mine.call) and asks(yours.call))
    )
