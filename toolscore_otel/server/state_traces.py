"""Traces in the state's file: their entries, their findings, and which are closed."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from toolscore_otel.assembly import Entry, Taken
from toolscore_otel.emit.score_store import Said, Stands
from toolscore_otel.model import ClosedBy, Finding, Resource
from toolscore_otel.secrets import Sealer
from toolscore_otel.server.deliveries import Delivery, KeptTrace
from toolscore_otel.server.kept import (
    MARK,
    entries_as_bytes,
    entries_of_bytes,
    packed,
    unpacked,
)
from toolscore_otel.server.state_resources import Resources

COUNTERS = {
    "state_forgotten": "closed trajectories that are no longer on disk, past `closed_trajectories`",
    "readings_not_kept": "what spans said, but for their places, where it could not be written",
}
"""What is counted here."""

_VALUE_BYTES = 4
"""About how many bytes of memory a byte in the file takes."""

_finding: msgspec.msgpack.Decoder[Finding] = msgspec.msgpack.Decoder(Finding)
_said: msgspec.msgpack.Decoder[dict[str, Stands]] = msgspec.msgpack.Decoder(dict[str, Stands])
_WHICH = "SELECT number, closed FROM traces WHERE trace_id = ?"


class Traces:
    """The tables of traces. Whoever calls holds the transaction.

    Args:
        database: open.
        most_closed: how many closed ones are kept.
        counters: see `COUNTERS`.
    """

    def __init__(
        self, database: sqlite3.Connection, most_closed: int, counters: Counter[str]
    ) -> None:
        self._database = database
        self._most_closed = most_closed
        self._counters = counters
        self._resources = Resources(database)
        self._open: dict[str, int] = {}
        self._absent: set[str] = set()
        self.read()

    def read(self) -> None:
        """Take the numbers from the file: what was written last may not be there."""
        self._resources.forget()
        self._absent.clear()
        asked = "SELECT trace_id, number FROM traces WHERE closed IS NULL ORDER BY number"
        self._open = dict(self._database.execute(asked))
        self._last: int = self._first("SELECT max(number) FROM traces")
        self._last_closing: int = self._first("SELECT max(closed) FROM traces")
        self._closed: int = self._first("SELECT count(*) FROM traces WHERE closed IS NOT NULL")

    def open_ids(self) -> tuple[str, ...]:
        """Trace ids of the open ones, in the order in which they came."""
        return tuple(self._open)

    def write(self, entries: Mapping[str, Sequence[Entry]], sealer: Sealer) -> None:
        """Add to what is kept of traces."""
        numbers: dict[int, int] = {}

        def number_of(resource: Resource) -> int:
            key = id(resource)
            if (number := numbers.get(key)) is None:
                number = numbers[key] = self._resources.number_of(resource, sealer)
            return number

        rows: list[tuple[int, bytes]] = []
        stands: list[tuple[int, str, int | None]] = []
        for trace_id, added in entries.items():
            is_known = trace_id in self._open
            number = self._number(trace_id)
            rows.append((number, self._bytes(added, sealer, number_of)))
            if isinstance(added[-1], ClosedBy):
                stands.append((number, trace_id, self._close(trace_id)))
            elif not is_known:
                stands.append((number, trace_id, None))
        self._database.executemany(
            "INSERT INTO traces VALUES (?, ?, ?) ON CONFLICT (number) DO UPDATE SET closed = excluded.closed",
            stands,
        )
        self._database.executemany("INSERT INTO entries VALUES (?, ?)", rows)
        self._absent.clear()

    def ids_to_replay(self) -> list[str]:
        """Trace ids of the open ones and of all that are part of an open session, in the order in which they came."""
        asked = (
            "SELECT trace_id FROM traces WHERE closed IS NULL"
            " OR number IN (SELECT trace FROM session_traces) ORDER BY number"
        )
        return [trace_id for (trace_id,) in self._database.execute(asked)]

    def write_sessions(self, traces: Mapping[str, bool]) -> None:
        """Note which traces are part of an open session."""
        rows = [(self._known(trace_id), is_part) for trace_id, is_part in traces.items()]
        for asked, wanted in (
            ("INSERT OR IGNORE INTO session_traces VALUES (?)", True),
            ("DELETE FROM session_traces WHERE trace = ?", False),
        ):
            numbers = [(n,) for n, is_part in rows if n is not None and is_part is wanted]
            self._database.executemany(asked, numbers)

    def write_findings(self, deliveries: Iterable[Delivery]) -> None:
        """Keep the last revision of each finding."""
        findings = [delivery.finding for delivery in deliveries if delivery.finding is not None]
        rows = [
            (number, finding.id, packed(finding))
            for finding in findings
            if (number := self._known(finding.trace_id)) is not None
        ]
        self._database.executemany("INSERT OR REPLACE INTO findings VALUES (?, ?, ?)", rows)

    def write_scores(self, scores: Mapping[str, Said]) -> None:
        """Keep what was said of the scores of traces."""
        rows = [
            (number, packed(said))
            for trace_id, said in scores.items()
            if (number := self._known(trace_id)) is not None
        ]
        self._database.executemany("INSERT OR REPLACE INTO scores VALUES (?, ?)", rows)

    def load(self, trace_id: str) -> KeptTrace | None:
        """All that is kept of a trace; None where nothing is."""
        number = self._known(trace_id)
        if number is None:
            self._absent.add(trace_id)
            return None
        asked = "SELECT data FROM entries WHERE trace = ? ORDER BY rowid"
        kept = [data for (data,) in self._database.execute(asked, (number,))]
        return KeptTrace(
            trace_id=trace_id,
            entries=[entry for data in kept for entry in self._entries(data, trace_id)],
            findings=tuple(self._findings(number)),
            scores=self._scores(number),
            sealed=any(MARK in data for data in kept),
            content_bytes=sum(_VALUE_BYTES * len(data) for data in kept),
        )

    def forget(self) -> None:
        """Let go of the closed ones past their limit, the oldest first; in one go for every hundredth of it."""
        excess = self._closed - self._most_closed
        if excess <= self._most_closed // 100:
            return
        asked = "SELECT number FROM traces WHERE closed IS NOT NULL ORDER BY closed LIMIT ?"
        gone = self._database.execute(asked, (excess,)).fetchall()
        self._database.executemany("DELETE FROM entries WHERE trace = ?", gone)
        self._database.executemany("DELETE FROM findings WHERE trace = ?", gone)
        self._database.executemany("DELETE FROM scores WHERE trace = ?", gone)
        self._database.executemany("DELETE FROM session_traces WHERE trace = ?", gone)
        self._database.executemany("DELETE FROM traces WHERE number = ?", gone)
        self._closed -= len(gone)
        self._counters["state_forgotten"] += len(gone)

    def _number(self, trace_id: str) -> int:
        """The number of a trace that is open from now on."""
        number = self._open.get(trace_id)
        if number is None and trace_id not in self._absent:
            row = self._database.execute(_WHICH, (trace_id,)).fetchone()
            if row is not None:
                number, closed = row
                self._closed -= closed is not None
        if number is None:
            self._last += 1
            number = self._last
        self._open[trace_id] = number
        return number

    def _close(self, trace_id: str) -> int:
        del self._open[trace_id]
        self._closed += 1
        self._last_closing += 1
        return self._last_closing

    def _known(self, trace_id: str) -> int | None:
        number = self._open.get(trace_id)
        if number is None:
            row = self._database.execute(_WHICH, (trace_id,)).fetchone()
            number = None if row is None else row[0]
        return number

    def _bytes(
        self, entries: Sequence[Entry], sealer: Sealer, number_of: Callable[[Resource], int]
    ) -> bytes:
        try:
            return entries_as_bytes(entries, sealer, number_of)
        except (ValueError, TypeError, RecursionError):  # one span must not keep all others out
            taken = sum(isinstance(entry, Taken) for entry in entries)
            self._counters["readings_not_kept"] += taken
            bare = [e._replace(reading=None) if isinstance(e, Taken) else e for e in entries]
            return entries_as_bytes(bare, sealer, number_of)

    def _entries(self, data: bytes, trace_id: str) -> list[Entry]:
        return entries_of_bytes(data, trace_id, self._resources.resource_of)

    def _findings(self, number: int) -> Iterator[Finding]:
        asked = "SELECT data FROM findings WHERE trace = ?"
        for (data,) in self._database.execute(asked, (number,)):
            yield unpacked(data, _finding)

    def _scores(self, number: int) -> Said:
        asked = "SELECT data FROM scores WHERE trace = ?"
        row = self._database.execute(asked, (number,)).fetchone()
        return {} if row is None else unpacked(row[0], _said)

    def _first(self, asked: str) -> int:
        found: int | None = self._database.execute(asked).fetchone()[0]
        return found or 0
