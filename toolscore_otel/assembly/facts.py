"""What all readings of one call agree on, as far as they know it."""

from __future__ import annotations

import re

from toolscore_otel.conventions.reading import CallReading
from toolscore_otel.model import ContentState, Json

_MCP_PREFIX = re.compile(r"mcp__.+?__")
"""`mcp__SERVER__TOOL`, as coding agents name the tools of an MCP server."""


class Facts:
    """Tool, MCP server, call id and arguments; what is not known agrees with anything."""

    __slots__ = ("_known",)

    def __init__(self, call: CallReading | None = None) -> None:
        self._known: dict[str, Json] = {} if call is None else _of(call)

    def agree(self, other: Facts) -> bool:
        """Whether nothing that both know differs."""
        theirs = other._known
        return all(bool(theirs.get(name, value) == value) for name, value in self._known.items())

    def with_(self, other: Facts) -> Facts:
        """What either knows."""
        both = Facts()
        both._known = other._known | self._known
        return both


def _of(call: CallReading) -> dict[str, Json]:
    known: dict[str, Json] = {}
    if call.name is not None:
        prefix = _MCP_PREFIX.match(call.name)
        known["tool"] = call.name[prefix.end() :] if prefix else call.name
        if prefix is not None:
            known["server"] = prefix[0]
    if call.call_id:
        known["call id"] = call.call_id
    if call.args.state is ContentState.OBSERVED:
        known["args"] = call.args.value
    return known
