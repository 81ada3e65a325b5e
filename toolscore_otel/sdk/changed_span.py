"""A copy of an ended span with something else in it. The span itself is shared with every other processor."""

from __future__ import annotations

from typing import Any

from opentelemetry.sdk.trace import ReadableSpan


class ChangedSpan(ReadableSpan):
    """A span like another, which still says what the SDK had dropped from that one."""

    def __init__(self, original: ReadableSpan, **parts: Any) -> None:
        super().__init__(**parts)
        self._original = original

    @property
    def dropped_attributes(self) -> int:
        """How many attributes the SDK had dropped."""
        return self._original.dropped_attributes

    @property
    def dropped_events(self) -> int:
        """How many events the SDK had dropped."""
        return self._original.dropped_events

    @property
    def dropped_links(self) -> int:
        """How many links the SDK had dropped."""
        return self._original.dropped_links


def changed(span: ReadableSpan, **parts: Any) -> ReadableSpan:
    """A copy of a span.

    Args:
        span: stays as it is.
        parts: what is different: `name`, `attributes`, `events`, `links`, `status`.
    """
    same: dict[str, Any] = {
        "name": span.name,
        "context": span.context,
        "parent": span.parent,
        "resource": span.resource,
        "attributes": span.attributes,
        "events": span.events,
        "links": span.links,
        "kind": span.kind,
        "status": span.status,
        "start_time": span.start_time,
        "end_time": span.end_time,
        "instrumentation_scope": span.instrumentation_scope,
    }
    return ChangedSpan(span, **(same | parts))
