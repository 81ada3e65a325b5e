"""Places of spans of no interest in the state's file, until their trace turns out to be of interest."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from toolscore_otel.assembly import Place
from toolscore_otel.server.kept import packed, unpacked

_Row = tuple[str, str | None, int | None, int | None]
"""Span id, parent span id, start and end."""

_rows: msgspec.msgpack.Decoder[list[_Row]] = msgspec.msgpack.Decoder(list[_Row])


def write_plain(
    database: sqlite3.Connection, new: Mapping[str, Sequence[Place]], gone: Iterable[str]
) -> None:
    """Add places, and take out traces. Whoever calls holds the transaction."""
    database.executemany("DELETE FROM plain WHERE trace_id = ?", ((one,) for one in gone))
    rows = (
        (trace_id, packed([(p.id, p.parent, p.start_ns, p.end_ns) for p in places]))
        for trace_id, places in new.items()
    )
    database.executemany("INSERT INTO plain VALUES (?, ?)", rows)


def read_plain(database: sqlite3.Connection) -> list[Place]:
    """All places, in the order in which they came."""
    return [
        Place(trace_id, span_id, parent, span_id, start_ns, end_ns, ended=end_ns is not None)
        for trace_id, data in database.execute("SELECT trace_id, data FROM plain ORDER BY rowid")
        for span_id, parent, start_ns, end_ns in unpacked(data, _rows)
    ]
