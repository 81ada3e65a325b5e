"""The words of explanations: one sentence, names in backticks, never a value of arguments or results."""

from __future__ import annotations

from collections.abc import Iterable

from toolscore_otel.errors import clip
from toolscore_otel.model import Stage, ToolCall

SWITCH = {
    "arguments": "switch on content capture of the instrumentation to record arguments",
    "result": "switch on content capture of the instrumentation to record results",
    "status": "this instrumentation does not mark failed tool calls",
    "agent": "no agent is named in this trace",
    "latency": "its times were not recorded",
    "cost": "no cost was recorded; give `cost_usd` in the contract's `tools`",
    "name": "the tool's name was not recorded",
    "dispatch": "the arguments that tell what was dispatched were not recorded",
    "spans": "parts of the trace are missing",
}
"""Evidence -> how to get it."""


_SECOND = 1_000_000_000
_MINUTE = 60 * _SECOND
_DIME = 0.1


def called(call: ToolCall) -> str:
    """Who called what: "`refund` was called by agent `desk`"."""
    verb = "was asked for" if call.stage is Stage.REQUESTED else "was called"
    by = f" by agent `{clip(call.agent, 40)}`" if call.agent else ""
    return f"`{clip(call.tool, 60)}` {verb}{by}"


def because(sentence: str, reason: str | None) -> str:
    """A sentence with the rule's own reason after it."""
    return f"{sentence}: {reason}" if reason else sentence


def unseen(what: str, missing: Iterable[str]) -> str:
    """Why something cannot be checked, and how to switch on what is lacking."""
    lacking = sorted(set(missing))
    if not lacking:
        return f"{what} cannot be checked"
    hints = "; ".join(SWITCH.get(word, f"{word} not recorded") for word in lacking)
    return f"{what} cannot be checked: {' and '.join(lacking)} not observed ({hints})"


def times(count: int) -> str:
    """1 -> "once", 2 -> "twice", 3 -> "3 times"."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def usd(value: float) -> str:
    """Money with as many digits as it needs: 1.2 -> "$1.20", 0.00042 -> "$0.00042"."""
    return f"${value:.2f}" if value >= _DIME or value == 0 else f"${value:.2g}"


def seconds(ns: float) -> str:
    """A duration for people: "80 ms", "2.4 s", "3 min 5 s"."""
    if ns < _SECOND:
        return f"{ns / 1e6:.0f} ms"
    if ns < 2 * _MINUTE:
        return f"{ns / _SECOND:.1f} s"
    minutes, rest = divmod(round(ns / _SECOND), 60)
    return f"{minutes} min {rest} s"
