"""What is known of an instrumentation: what it never records, and what to switch so that it records more.

An instrumentation is known by the scope that it writes into its spans and log records.
"""

from __future__ import annotations

from msgspec import Struct

EVIDENCE = (
    "arguments",
    "result",
    "status",
    "times",
    "agent",
    "call_id",
    "conversation",
    "tokens",
    "cost",
)
"""What is observed of calls and model calls, or not, beside the tool's name."""

CONTENT = ("arguments", "result")


class Switch(Struct, frozen=True):
    """How to have an instrumentation record more.

    Attributes:
        records: words of `EVIDENCE`.
        turn: the setting, as it is to be written.
        remark: what goes with it; empty for nothing.
    """

    records: tuple[str, ...]
    turn: str
    remark: str = ""


class Instrumentation(Struct, frozen=True, kw_only=True):
    """One instrumentation, or several that are told apart by nothing and have the same switches.

    Attributes:
        name: as its makers call it.
        scopes: globs of the scope's name.
        version: glob of the scope's version.
        switches: what can be switched on.
        never: words of `EVIDENCE` of which none of its spans and records holds anything, whatever is switched.
        note: what else to know, in one sentence.
    """

    name: str
    scopes: tuple[str, ...]
    version: str = "*"
    switches: tuple[Switch, ...] = ()
    never: tuple[str, ...] = ()
    note: str = ""

    def switches_for(self, evidence: str) -> tuple[Switch, ...]:
        """The settings that have it record this."""
        return tuple(switch for switch in self.switches if evidence in switch.records)
