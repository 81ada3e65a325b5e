"""What all readings of one call agree on, as far as they know it."""

from __future__ import annotations

import re

from toolscore_otel.conventions.fields import an_object
from toolscore_otel.conventions.reading import CallReading
from toolscore_otel.model import ContentState, Gap, Json, Payload, ToolCall

_MCP_PREFIX = re.compile(r"mcp__.+?__")
"""`mcp__SERVER__TOOL`, as coding agents name the tools of an MCP server."""


_OBSERVED = ContentState.OBSERVED


class Facts:
    """Tool, MCP server, call id and arguments; what is not known agrees with anything, arguments that were mended included.

    Attributes:
        tool: the tool's name without that of its MCP server.
    """

    __slots__ = ("_known", "tool")

    def __init__(self, call: CallReading | None = None) -> None:
        known: dict[str, Json] = {}
        self._known = known
        self.tool = None if call is None else call.name
        if call is None:
            return
        if call.name is not None:
            prefix = _MCP_PREFIX.match(call.name)
            if prefix is not None:
                known["server"] = prefix[0]
                self.tool = call.name[prefix.end() :]
            known["tool"] = self.tool
        if call.call_id:
            known["call id"] = call.call_id
        if call.args.state is _OBSERVED and not call.args.is_mended:
            known["args"] = _given(call.args.value)

    @classmethod
    def of_call(cls, call: ToolCall) -> Facts:
        """Those of a call that was put together."""
        is_mended = Gap.VALUES_UNREADABLE in call.gaps
        args = Payload(call.args_state, call.args, is_mended=is_mended)
        return cls(
            CallReading(
                convention="", name=call.recorded_name or None, args=args, call_id=call.call_id
            )
        )

    def agree(self, other: Facts) -> bool:
        """Whether nothing that both know differs.

        Under one call id no arguments agree with any: some writers put `{}` where they have none to tell.
        """
        ours, theirs = self._known, other._known
        differ = {name for name in ours.keys() & theirs.keys() if ours[name] != theirs[name]}
        if differ != {"args"}:
            return not differ
        return "call id" in ours and "call id" in theirs and {} in (ours["args"], theirs["args"])

    def have_same_arguments(self, other: Facts) -> bool:
        """Whether both know the arguments, and these are equal."""
        ours, theirs = self._known, other._known
        return "args" in ours and "args" in theirs and ours["args"] == theirs["args"]

    def with_(self, other: Facts) -> Facts:
        """What either knows."""
        both = Facts()
        both._known = other._known | self._known
        both.tool = other.tool if self.tool is None else self.tool
        if both._known.get("args") == {}:
            both._known["args"] = other._known.get("args", {})
        return both


def mcp_name(name: str) -> str | None:
    """The tool in `mcp__SERVER__TOOL`; None for a name of another form."""
    prefix = _MCP_PREFIX.match(name) if name.startswith("mcp__") else None
    return name[prefix.end() :] if prefix else None


def _given(args: Json) -> Json:
    """Arguments without those that are null: frameworks fill in what the model left out."""
    given = an_object(args)
    if given is None or None not in given.values():
        return args
    return {name: value for name, value in given.items() if value is not None}
