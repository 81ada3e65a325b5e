"""Calls and spans of many traces in one session: what names them in their trace, and the trace."""

from __future__ import annotations

from msgspec import structs

from toolscore_otel.model import ToolCall

_OF = "\x1d"
"""Stands in no id."""


def qualified(name: str, trace_id: str) -> str:
    """A name that no other trace has."""
    return f"{name}{_OF}{trace_id}"


def name_in(key: str) -> str:
    """The name that a call has in its trace."""
    return key.partition(_OF)[0]


def of_session(call: ToolCall, conversation_id: str | None) -> ToolCall:
    """A call as its session knows it."""
    return structs.replace(
        call,
        key=qualified(call.key, call.trace_id),
        conversation_id=call.conversation_id or conversation_id,
    )
