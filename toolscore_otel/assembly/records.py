"""Several records under one span id: which of them stand.

A span that is delivered again says nothing new. One that says more stands instead; one that names another tool or
another call id is another call, whose span id was used twice. What a log record tells of a model call fills its span's
record. What stands depends on the set of records alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct, structs

from toolscore_otel.assembly.node import Node, Place, nodes_of, own_call
from toolscore_otel.conventions.merging import agreed, filled
from toolscore_otel.conventions.reading import ModelReading, SpanReading
from toolscore_otel.model import ContentState, Gap, Payload

MOST_RECORDS = 16
"""Past this many different calls under one span id further ones are not looked at."""


class Record(Struct, frozen=True, gc=False):
    """What came under a span id."""

    place: Place
    reading: SpanReading


def with_record(known: tuple[Record, ...], new: Record) -> tuple[Record, ...]:
    """The records worth keeping; `known` itself where the new one adds nothing to them.

    Args:
        known: of one span id, as this function returned them.
        new: of the same span id.
    """
    if not known:
        return (new,)
    same = _same(known, new)
    if same is None and is_beyond(known, new):
        return known
    if same is not None and (new == same or _rank(new) <= _rank(same)):
        return known
    others = (record for record in known if record is not same)
    return tuple(sorted((*others, new), key=_rank, reverse=True))


def is_beyond(known: tuple[Record, ...], new: Record) -> bool:
    """Whether this is one call too many under one span id."""
    return len(known) >= MOST_RECORDS and _same(known, new) is None


def standing(records: tuple[Record, ...]) -> list[Record]:
    """The records that stand: one, unless they name different calls; the one that says most first.

    Where one of them says that all is told in another trace, that one stands alone.
    """
    twin = next((record for record in records if record.reading.is_twin), None)
    if twin is not None:
        return [twin]
    found: list[Record] = []
    logged = [record.reading.logged for record in records if record.reading.logged is not None]
    for record in records:
        says = record.reading.logged is None
        if says and not any(_may_be_one(record, other) for other in found):
            found.append(record)
    if not found:
        return list(records[:1])
    return [_filled(record, agreed(logged)) for record in found] if logged else found


def _filled(record: Record, logged: ModelReading) -> Record:
    if record.reading.model is None:
        return record
    model = filled(record.reading.model, logged)
    return Record(record.place, structs.replace(record.reading, model=model))


def nodes_under(stand: Sequence[Record]) -> list[Node]:
    """What the records that stand under one span id say; further calls under it have their own place."""
    if len(stand) == 1:
        return nodes_of(stand[0].place, stand[0].reading)
    return [node for number, record in enumerate(stand) for node in _reused(record, number)]


def _reused(record: Record, number: int) -> Iterable[Node]:
    first, *rest = record.reading.calls
    gapped = structs.replace(first, gaps=(*first.gaps, Gap.SPAN_ID_REUSED))
    own_id = f"{record.place.id}~{first.name}~{first.call_id}" if number else record.place.id
    return nodes_of(
        structs.replace(record.place, id=own_id),
        structs.replace(record.reading, calls=(gapped, *rest)),
    )


def _same(known: tuple[Record, ...], new: Record) -> Record | None:
    what = _what(new)
    return next((record for record in known if _what(record) == what), None)


def _what(record: Record) -> tuple[object, object]:
    call = own_call(record.reading)
    if record.reading.logged is not None:
        return ("logged", record.reading.logged)
    return (call.name, call.call_id) if call else (None, None)


def _may_be_one(one: Record, other: Record) -> bool:
    """What one of them lacks is no difference."""
    return all(
        a is None or b is None or a == b for a, b in zip(_what(one), _what(other), strict=True)
    )


def _rank(record: Record) -> tuple[object, ...]:
    """What says more beats what says less, ended beats not ended, more content less, then the greater text."""
    place, reading = record.place, record.reading
    call = own_call(reading)
    return (
        reading.is_twin,
        len(reading.calls),
        reading.agent is not None,
        reading.model is not None,
        place.ended,
        call is not None and call.name is not None,
        sum(_content(call.args) + _content(call.result) for call in reading.calls),
        call is not None and call.call_id is not None,
        _told(reading),
        place.end_ns or 0,
        repr(record),
    )


def _told(reading: SpanReading) -> int:
    """How much is told of the agent, the model call and the calls: tokens, names and marks are content too."""
    parts = (reading.agent, reading.model, *reading.calls)
    return sum(
        value is not None and value is not False
        for part in parts
        if part is not None
        for value in structs.astuple(part)
    )


def _content(payload: Payload) -> int:
    return _CONTENT.index(payload.state)


_CONTENT = (
    ContentState.NOT_OBSERVED,
    ContentState.UNPARSABLE,
    ContentState.TRUNCATED,
    ContentState.OBSERVED,
)
