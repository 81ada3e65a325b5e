"""Resources in the state's file, each once: a span's resource is the same for thousands of spans."""

from __future__ import annotations

import sqlite3
from typing import Any

import msgspec

from toolscore_otel.model import Resource
from toolscore_otel.secrets import Sealer
from toolscore_otel.server.kept import packed, unpacked, without_secrets_of

REMEMBERED = 10_000
"""How many are held in memory."""

_decoder: msgspec.msgpack.Decoder[dict[str, Any]] = msgspec.msgpack.Decoder(dict[str, Any])


class Resources:
    """Numbers of resources, and resources by number."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._numbers: dict[bytes, int] = {}
        self._known: dict[int, Resource] = {}

    def forget(self) -> None:
        """What was written last may not be there."""
        self._numbers.clear()
        self._known.clear()

    def number_of(self, resource: Resource, sealer: Sealer) -> int:
        """The number under which a resource is kept, without its secrets."""
        given = packed(resource.attributes)
        number = self._numbers.get(given)
        if number is None:
            data = packed(without_secrets_of(resource, sealer).attributes)
            if len(self._numbers) >= REMEMBERED:
                self._numbers.clear()
            number = self._numbers[given] = self._written(data)
        return number

    def resource_of(self, number: int) -> Resource:
        """The resource of a number; an empty one where it is not there."""
        known = self._known.get(number)
        if known is None:
            asked = "SELECT data FROM resources WHERE number = ?"
            row = self._database.execute(asked, (number,)).fetchone()
            known = Resource() if row is None else Resource(unpacked(row[0], _decoder))
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            self._known[number] = known
        return known

    def _written(self, data: bytes) -> int:
        self._database.execute("INSERT OR IGNORE INTO resources (data) VALUES (?)", (data,))
        asked = "SELECT number FROM resources WHERE data = ?"
        number: int = self._database.execute(asked, (data,)).fetchone()[0]
        return number
