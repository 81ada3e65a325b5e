"""What is told of a call whenever something else is known of it."""

from __future__ import annotations

from msgspec import Struct

from toolscore_otel.model import ToolCall


class CallChange(Struct, frozen=True):
    """A call is new, has changed, or turned out to be part of another.

    Attributes:
        before: the key under which it was known; None for a new one.
        after: the call as it is known now; None where it is no call of its own any more.
        alone: past the cap of its trace: it was not placed, so only rules about single calls apply.
        now: the call elsewhere that it turned out to be, where it is none of its own here.
    """

    before: str | None
    after: ToolCall | None
    alone: bool = False
    now: ToolCall | None = None
