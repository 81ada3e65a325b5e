"""Running sums of one trace: its first start and last end, and the calls made."""

from __future__ import annotations

from toolscore_otel.model import CallKind, Stage, ToolCall


class Sums:
    """Kept up to date call by call.

    Attributes:
        start_ns: first start of agent, model and tool spans.
        end_ns: last end of these.
        made: executed calls of kind `tool`.
    """

    def __init__(self) -> None:
        self.start_ns: int | None = None
        self.end_ns: int | None = None
        self.made = 0

    def reach(self, start_ns: int | None, end_ns: int | None) -> None:
        """A span of interest stands here."""
        if start_ns is not None:
            self.start_ns = start_ns if self.start_ns is None else min(self.start_ns, start_ns)
        if end_ns is not None:
            self.end_ns = end_ns if self.end_ns is None else max(self.end_ns, end_ns)

    def change(self, before: ToolCall | None, after: ToolCall | None) -> None:
        """A call is new, has changed, or is gone."""
        self.made += _made(after) - _made(before)


def _made(call: ToolCall | None) -> int:
    return int(call is not None and call.kind is CallKind.TOOL and call.stage is Stage.EXECUTED)
