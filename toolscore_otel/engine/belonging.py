"""To which session a call or a span belongs (docs/pages/contracts.md).

A session is one conversation of one service, over all its traces. What names no conversation takes the only one of its
trace; where there is none, or several, its trace is its session.
"""

from __future__ import annotations

from typing import NamedTuple


class SessionKey(NamedTuple):
    """What tells sessions apart.

    Attributes:
        trace_id: of a trace that is its own session; else empty.
        service: of a conversation.
        conversation: its id; empty for a trace.
    """

    trace_id: str
    service: str = ""
    conversation: str = ""

    @property
    def scope_key(self) -> tuple[str, str]:
        """As part of the ids of its findings: that of a trace, or one that no trace has."""
        if self.trace_id:
            return (self.trace_id, "")
        return ("", f"{self.service}\x1f{self.conversation}")


def session_of(
    trace_id: str, service: str | None, conversation: str | None, only: str | None
) -> SessionKey:
    """The session of a call or span.

    Args:
        trace_id: of its trace.
        service: its own.
        conversation: that it names itself, or None.
        only: of its trace, where it has only one.
    """
    named = conversation or only
    return SessionKey("", service or "", named) if named else SessionKey(trace_id)
