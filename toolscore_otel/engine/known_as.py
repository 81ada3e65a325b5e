"""As what a call is known now: why a finding about it is corrected, and another one stands for it."""

from __future__ import annotations

from collections.abc import Sequence

from toolscore_otel.assembly import CallChange
from toolscore_otel.engine.qualified import name_in
from toolscore_otel.errors import on_one_line
from toolscore_otel.model import ToolCall


class KnownAs:
    """What became of the calls that one span changed. Worked out when it is asked for: few findings are corrected.

    Args:
        changes: all that the span brought; a call that is part of another now is part of one of them.
    """

    def __init__(self, changes: Sequence[CallChange]) -> None:
        self._changes = changes
        self._gone: dict[str, tuple[ToolCall, CallChange]] = {}
        self._by_span: dict[str | None, ToolCall] | None = None

    def note(self, before: ToolCall, change: CallChange) -> None:
        """A call as it was known, and what became of it."""
        self._gone[before.key] = (before, change)

    def of(self, key: str) -> str | None:
        """As what the call of this key is known now, in words; None where it is known as before."""
        if (gone := self._gone.get(key)) is None:
            return None
        before, change = gone
        if change.now is not None:
            return _elsewhere(before, change.now) or _words(before, change.now)
        return _words(before, change.after or self._of_span(before.span_id))

    def _of_span(self, span_id: str | None) -> ToolCall | None:
        if self._by_span is None:
            calls = [change.after for change in self._changes if change.after is not None]
            self._by_span = {source.span_id: call for call in calls for source in call.sources}
        return self._by_span.get(span_id)


AS_BEFORE = KnownAs([])
"""Nothing that was known is another now; told of no call."""


def _words(before: ToolCall, after: ToolCall | None) -> str | None:
    if after is None:
        return "now known to be part of another call"
    if name_in(after.key) != name_in(before.key):
        return f"now known as `{on_one_line(name_in(after.key))}`"
    if after.invocation_id != before.invocation_id and after.agent:
        return f"now known as a call of agent `{on_one_line(after.agent)}`"
    return None


def _elsewhere(before: ToolCall, after: ToolCall) -> str | None:
    for what, now, then in (
        ("trace", after.trace_id, before.trace_id),
        ("conversation", after.conversation_id, before.conversation_id),
        ("service", after.service, before.service),
    ):
        if now and now != then:
            return f"now known as a call of {what} `{on_one_line(now)}`"
    return None
