"""As what a call is known now: why a finding about it is corrected, and another one stands for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toolscore_otel.assembly import CallChange
from toolscore_otel.errors import clip
from toolscore_otel.model import ToolCall


def now_known_as(
    gone: Sequence[tuple[ToolCall, ToolCall | None]], changes: Sequence[CallChange]
) -> Mapping[str, str]:
    """The keys of calls -> as what these are known now, where they are known otherwise.

    Args:
        gone: calls as they were known and as they are now; None where one is part of another.
        changes: all that one span brought; that other call is one of them.
    """
    by_span: dict[str | None, ToolCall] = {}
    if any(after is None for _, after in gone):
        calls = (change.after for change in changes if change.after is not None)
        by_span = {source.span_id: call for call in calls for source in call.sources}
    known = {
        before.key: _words(before, after or by_span.get(before.span_id)) for before, after in gone
    }
    return {key: words for key, words in known.items() if words is not None}


def _words(before: ToolCall, after: ToolCall | None) -> str | None:
    if after is None:
        return "now known to be part of another call"
    if after.key != before.key:
        return f"now known as `{clip(after.key)}`"
    if after.invocation_id != before.invocation_id and after.agent:
        return f"now known as a call of agent `{clip(after.agent)}`"
    return None
