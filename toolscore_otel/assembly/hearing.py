"""What was found in the messages of the model calls of one trace, by span, whichever span or log record told it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from msgspec import structs

from toolscore_otel.conventions.reading import Heard, SpanReading
from toolscore_otel.model import Exposed

MOST_EXPOSED = 64
"""Past so many places in the messages of one span where secrets stand, further ones are not kept."""

_NUMBER = re.compile(r"(\d{1,18})")


class Hearing:
    """Kept up to date span by span.

    Args:
        counters: `exposed_limit` counts what went past a cap.

    Attributes:
        is_asked: whether some rule asks what stands in messages.
    """

    def __init__(self, counters: Counter[str]) -> None:
        self.is_asked = False
        self._counters = counters
        self._known: dict[str, Heard] = {}

    def noted(self, span_id: str | None, reading: SpanReading) -> SpanReading:
        """Note what a reading tells; it is given back without that.

        Args:
            span_id: of the model call; None: it is not known which one that is.
            reading: of its span, or of a log record on it.
        """
        heard = reading.heard
        if heard is not None and span_id is not None:
            known = self._known.get(span_id)
            both = heard if known is None else _both(known, heard)
            self._counters["exposed_limit"] += both.beyond
            self._known[span_id] = structs.replace(both, beyond=0)
        return structs.replace(reading, heard=None)

    def __bool__(self) -> bool:
        """Whether anything is known."""
        return bool(self._known)

    def of(self, span_id: str | None) -> Heard | None:
        """What is known of a model call."""
        return self._known.get(span_id or "")


def by_path(exposed: Sequence[Exposed]) -> tuple[Exposed, ...]:
    """Each once, in the order of their places."""
    return tuple(sorted(dict.fromkeys(exposed), key=_order))


def _both(one: Heard, other: Heard) -> Heard:
    """The same in whatever order they come, however often."""
    looked_for = tuple(sorted({*one.looked_for, *other.looked_for}))
    exposed = by_path((*one.exposed, *other.exposed))
    return Heard(
        looked_for=looked_for,
        content=one.content or other.content,
        cut=one.cut or other.cut,
        exposed=exposed[:MOST_EXPOSED],
        beyond=max(0, len(exposed) - MOST_EXPOSED),
    )


def _order(exposed: Exposed) -> tuple[Sequence[tuple[int, str]], str, str, str, str]:
    """Numbers in a path count as numbers."""
    parts = _NUMBER.split(exposed.path)
    steps = [(int(part), "") if n % 2 else (-1, part) for n, part in enumerate(parts)]
    return steps, exposed.kind, exposed.fingerprint, exposed.family, exposed.place
