"""Findings in the state's file that are yet to be delivered, and how far each sink has come."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

import msgspec

from toolscore_otel.server.deliveries import Delivery
from toolscore_otel.server.kept import packed, unpacked

_delivery: msgspec.msgpack.Decoder[Delivery] = msgspec.msgpack.Decoder(Delivery)


class Deliveries:
    """The tables of deliveries. Whoever calls holds the transaction."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._cursors: dict[str, int] = {}

    def write(self, deliveries: Iterable[Delivery]) -> None:
        """Add deliveries."""
        rows = [(packed(delivery),) for delivery in deliveries]
        self._database.executemany("INSERT INTO deliveries (data) VALUES (?)", rows)

    def pending(self, after: int, limit: int) -> list[tuple[int, Delivery]]:
        """The next deliveries behind a number, with their numbers."""
        asked = "SELECT number, data FROM deliveries WHERE number > ? ORDER BY number LIMIT ?"
        rows = self._database.execute(asked, (after, limit)).fetchall()
        return [(number, unpacked(data, _delivery)) for number, data in rows]

    def waiting(self, after: int) -> int:
        """How many deliveries are behind a number."""
        asked = "SELECT max(number), min(number) FROM deliveries"
        last, first = self._database.execute(asked).fetchone()
        return 0 if last is None else int(last - max(first, after + 1) + 1)

    def cursors(self, sinks: Iterable[str]) -> dict[str, int]:
        """The number of the last delivery that each sink has had; other sinks are forgotten."""
        known: dict[str, int] = dict(self._database.execute("SELECT sink, number FROM cursors"))
        self._cursors = {sink: known.get(sink, 0) for sink in sinks}
        self._database.execute("DELETE FROM cursors")
        self._database.executemany("INSERT INTO cursors VALUES (?, ?)", self._cursors.items())
        return dict(self._cursors)

    def delivered(self, sink: str, number: int) -> None:
        """A sink has had everything up to this number; what all have had goes."""
        cursors = self._cursors | {sink: number}
        self._database.execute("INSERT OR REPLACE INTO cursors VALUES (?, ?)", (sink, number))
        done = min(cursors.values())
        self._database.execute("DELETE FROM deliveries WHERE number <= ?", (done,))
        self._cursors = cursors
