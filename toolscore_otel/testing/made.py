"""Calls, spans and time, made up for tests."""

from __future__ import annotations

from itertools import count
from typing import Any

import msgspec

from toolscore_otel.model import Json, Resource, Span, SpanStatus, Status, ToolCall

SECOND = 1_000_000_000
"""Nanoseconds."""

BEGIN_NS = 1_767_225_600 * SECOND
"""2026-01-01T00:00:00Z: when made-up spans begin, unless they say otherwise."""

_numbers = count(1)


class FakeClock:
    """A clock that stands still until it is moved.

    Args:
        now: nanoseconds.
    """

    def __init__(self, now: int = BEGIN_NS) -> None:
        self.now = now

    def __call__(self) -> int:
        """Nanoseconds."""
        return self.now

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.now += round(seconds * SECOND)


def make_call(tool: str, args: Json = None, **fields: Any) -> ToolCall:
    """A call that ran and went well, unless it says otherwise.

    Args:
        tool: its name.
        args: left out: not observed.
        fields: any other of `ToolCall`.
    """
    known: dict[str, Any] = {"tool": tool, "args": args, "status": Status.OK}
    return ToolCall(**(known | fields))


def make_span(
    tool: str | None = None,
    args: Json = None,
    *,
    agent: str | None = None,
    parent: Span | None = None,
    result: Json = None,
    error: str | None = None,
    start_s: float = 0,
    took_s: float = 0.1,
    attributes: dict[str, Json] | None = None,
    **fields: Any,
) -> Span:
    """An ended span in the GenAI conventions: of a tool, of an agent, or, with neither, of nothing in particular.

    Args:
        tool: called tool.
        args: of the call; left out: not observed.
        agent: without `tool`: this span is an invocation of that agent.
        parent: its trace is this span's, too; None: a root in a trace of its own.
        result: of the call; left out: not observed.
        error: `error.type` of a call that failed.
        start_s: after `BEGIN_NS`.
        took_s: from start to end.
        attributes: further ones.
        fields: any other of `Span`.
    """
    number, start_ns = next(_numbers), BEGIN_NS + round(start_s * SECOND)
    made: dict[str, Any] = {
        "trace_id": parent.trace_id if parent else f"{number:032x}",
        "span_id": f"{number:016x}",
        "parent_span_id": parent.span_id if parent else None,
        "name": _name(tool, agent),
        "start_ns": start_ns,
        "end_ns": start_ns + round(took_s * SECOND),
        "attributes": _attributes(tool, args, agent, result, error) | (attributes or {}),
        "status": SpanStatus.ERROR if error else SpanStatus.UNSET,
        "resource": parent.resource if parent else Resource({"service.name": "test"}),
    }
    return Span(**(made | fields))


def _name(tool: str | None, agent: str | None) -> str:
    if tool is not None:
        return f"execute_tool {tool}"
    return f"invoke_agent {agent}" if agent is not None else "span"


def _attributes(
    tool: str | None, args: Json, agent: str | None, result: Json, error: str | None
) -> dict[str, Json]:
    known: dict[str, Json] = {"gen_ai.agent.name": agent, "error.type": error}
    if tool is not None:
        known |= {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool,
            "gen_ai.tool.call.arguments": _text(args),
            "gen_ai.tool.call.result": _text(result),
        }
    elif agent is not None:
        known["gen_ai.operation.name"] = "invoke_agent"
    return {name: value for name, value in known.items() if value is not None}


def _text(value: Json) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()
