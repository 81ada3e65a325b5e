"""As what a call is known now: why a finding about it is corrected, and another one stands for it."""

from __future__ import annotations

from collections.abc import Sequence

from toolscore_otel.assembly import CallChange
from toolscore_otel.errors import on_one_line
from toolscore_otel.model import ToolCall


class KnownAs:
    """What became of the calls that one span changed. Worked out when it is asked for: few findings are corrected.

    Args:
        changes: all that the span brought; a call that is part of another now is part of one of them.
    """

    def __init__(self, changes: Sequence[CallChange]) -> None:
        self._changes = changes
        self._gone: dict[str, tuple[ToolCall, ToolCall | None]] = {}
        self._by_span: dict[str | None, ToolCall] | None = None

    def note(self, before: ToolCall, after: ToolCall | None) -> None:
        """A call as it was known, and as it is now; None where it is part of another."""
        self._gone[before.key] = (before, after)

    def of(self, key: str) -> str | None:
        """As what the call of this key is known now, in words; None where it is known as before."""
        before, after = self._gone.get(key, (None, None))
        if before is None:
            return None
        return _words(before, after or self._of_span(before.span_id))

    def _of_span(self, span_id: str | None) -> ToolCall | None:
        if self._by_span is None:
            calls = [change.after for change in self._changes if change.after is not None]
            self._by_span = {source.span_id: call for call in calls for source in call.sources}
        return self._by_span.get(span_id)


def _words(before: ToolCall, after: ToolCall | None) -> str | None:
    if after is None:
        return "now known to be part of another call"
    if after.key != before.key:
        return f"now known as `{on_one_line(after.key)}`"
    if after.invocation_id != before.invocation_id and after.agent:
        return f"now known as a call of agent `{on_one_line(after.agent)}`"
    return None
