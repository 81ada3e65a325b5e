"""The words of explanations: one sentence, names in backticks, never a value of arguments or results.

Names stand whole: whoever says the sentence takes secrets out of it and cuts what is too long, in this order.
"""

from __future__ import annotations

from collections.abc import Iterable

from toolscore_otel.errors import on_one_line
from toolscore_otel.model import Stage, ToolCall

SWITCH = {
    "agent": "no agent is named in this trace",
    "arguments": "switch on content capture of the instrumentation to record arguments",
    "cost": "no cost was recorded; give `cost_usd` in the contract's `tools`",
    "name": "no attribute of the span names the tool",
    "dispatch": "which command was dispatched stands in arguments that were not recorded",
    "error": "the instrumentation records no error messages",
    "latency": "begin or end was not recorded",
    "messages": "switch on content capture of the instrumentation to record messages",
    "order": "so many calls ran side by side that not every order of them was tried",
    "result": "switch on content capture of the instrumentation to record results",
    "rules": "some `require` rule could not be checked",
    "schema": "the trace records several schemas of this tool, and not which one its model was shown",
    "spans": "parts of the trace are missing, or calls were asked for and not seen to run",
    "status": "the instrumentation does not tell whether this call failed",
    "times": "begin or end was not recorded",
    "tokens": "no model span reports how many tokens it used",
}
"""Evidence -> what is known of its absence, and how to get it."""

_SECOND = 1_000_000_000
_MINUTE = 60 * _SECOND
_HUNDRED = 100


def tool_of(call: ToolCall) -> str:
    """The tool, in backticks."""
    return f"`{on_one_line(call.tool)}`" if call.tool else "a tool without a name"


def did(call: ToolCall, verb: str = "called", asked: str = "asked for") -> str:
    """Who called what: "agent `desk` called `refund`", or "`refund` was called" where nobody is named."""
    what = verb if call.stage is Stage.EXECUTED else asked
    if call.agent:
        return f"agent `{on_one_line(call.agent)}` {what} {tool_of(call)}"
    return f"{tool_of(call)} was {what}"


def because(sentence: str, reason: str | None) -> str:
    """A sentence with the rule's own reason after it."""
    return f"{sentence}: {reason}" if reason else sentence


def unseen(what: str, missing: Iterable[str], more: int = 0) -> str:
    """What cannot be checked, why, and how to switch on what is lacking.

    Args:
        what: as in "whether this call is a forbidden one".
        missing: keys of `SWITCH`.
        more: how many calls there are of which the same is to be said.
    """
    others = "" if not more else f", nor of {more} more {'call' if more == 1 else 'calls'}"
    lacking = sorted(set(missing))
    hints = "; ".join(dict.fromkeys(SWITCH[word] for word in lacking))
    return f"{what} cannot be checked{others}: {_joined(lacking)} not observed ({hints})"


def _joined(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def times(count: int) -> str:
    """1 -> "once", 2 -> "twice", 3 -> "3 times"."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def calls(count: int) -> str:
    """1 -> "1 call", 2 -> "2 calls"."""
    return "1 call" if count == 1 else f"{count:,} calls"


def usd(value: float) -> str:
    """Money with as many digits as it needs: 1.2 -> "$1.20", 0.00042 -> "$0.00042"."""
    is_round = round(value, 2) == value or value >= _HUNDRED
    return f"${value:,.2f}" if is_round else f"${value:.3g}"


def seconds(ns: float) -> str:
    """A duration for people: "80 ms", "2.4 s", "3 min 5 s"."""
    if ns < _SECOND:
        return f"{_trimmed(ns / 1e6)} ms"
    if ns < 2 * _MINUTE:
        return f"{_trimmed(ns / _SECOND)} s"
    minutes, rest = divmod(round(ns / _SECOND), 60)
    return f"{minutes} min {rest} s"


def _trimmed(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")
