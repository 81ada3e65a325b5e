"""What was found in the messages of the model calls of one trace, by span, whichever span or log record told it.

A log record may tell a message on a span that is no model call, or on none, as coding agents do with what their user writes.
What stands on no span is known by the record.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct, structs

from toolscore_otel.assembly.node import Place
from toolscore_otel.conventions.reading import Heard
from toolscore_otel.model import Exposed

MOST_EXPOSED = 64
"""Past so many places in the messages of one span where secrets stand, further ones are not kept."""

_NUMBER = re.compile(r"(\d{1,18})")


class Teller(Struct, frozen=True, gc=False):
    """A log record that told messages.

    Attributes:
        place: where it stands.
        conversation_id: that it names.
    """

    place: Place
    conversation_id: str | None


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
        self._tellers: dict[str, Teller] = {}

    def note(self, place: Place, heard: Heard, conversation_id: str | None) -> str:
        """Note what a span or a log record tells.

        Args:
            place: of it.
            heard: in its messages.
            conversation_id: that it names.

        Returns:
            Under which name that is known: of its span, else of itself.
        """
        name = place.span_id or place.id
        known = self._known.get(name)
        both = heard if known is None else _both(known, heard)
        self._counters["exposed_limit"] += both.beyond
        self._known[name] = structs.replace(both, beyond=0)
        if place.is_log:
            told = (self._tellers.get(name), Teller(place, conversation_id))
            self._tellers[name] = min((one for one in told if one is not None), key=_first)
        return name

    def __bool__(self) -> bool:
        """Whether anything is known."""
        return bool(self._known)

    def of(self, name: str | None) -> Heard | None:
        """What is known of a model call, by its span id, or of a message apart from any."""
        return self._known.get(name or "")

    def teller(self, name: str) -> Teller | None:
        """The first log record under a name."""
        return self._tellers.get(name)


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


def _first(teller: Teller) -> tuple[int, str]:
    return teller.place.start_ns or 0, teller.place.id


def _order(exposed: Exposed) -> tuple[Sequence[tuple[int, str]], str, str, str, str]:
    """Numbers in a path count as numbers."""
    parts = _NUMBER.split(exposed.path)
    steps = [(int(part), "") if n % 2 else (-1, part) for n, part in enumerate(parts)]
    return steps, exposed.kind, exposed.fingerprint, exposed.family, exposed.place
