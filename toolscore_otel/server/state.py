"""What a server knows, on disk: committed before a request is acknowledged, and there again after a restart.

Kept are the entries of every trajectory (`assembly.journal`), the last revision of each finding, the sums behind the
metrics, and findings that are yet to be delivered. Closed trajectories stay in the file alone, and are loaded when
something late comes; past their limit the oldest are forgotten.
"""

from __future__ import annotations

import secrets
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec import structs

from toolscore_otel.contracts import Contract
from toolscore_otel.contracts.secret_patterns import patterns_of
from toolscore_otel.emit.points import Key, Point
from toolscore_otel.errors import StateError
from toolscore_otel.secrets import Fingerprints, Sealer
from toolscore_otel.server.deliveries import (
    Batch,
    Delivery,
    Kept,
    KeptTrace,
    SumRow,
    without_secrets,
)
from toolscore_otel.server.kept import packed, unpacked
from toolscore_otel.server.state_deliveries import Deliveries
from toolscore_otel.server.state_file import NAME, damaged, opened
from toolscore_otel.server.state_plain import read_plain, write_plain
from toolscore_otel.server.state_traces import COUNTERS, Traces

_key: msgspec.msgpack.Decoder[Key] = msgspec.msgpack.Decoder(Key)
_point: msgspec.msgpack.Decoder[Point] = msgspec.msgpack.Decoder(Point)
_hashes: msgspec.msgpack.Decoder[dict[str, str]] = msgspec.msgpack.Decoder(dict[str, str])


class State:
    """The state in one folder, of one process.

    Any thread may call; each call is one transaction.

    Args:
        state_dir: a folder, made where there is none.
        key: of secrets' fingerprints; None: one that is made once and kept in the file, since fingerprints have to
            be the same after a restart. Whoever reads the file can then try out guesses.
        closed_trajectories: how many closed ones are kept.

    Attributes:
        key: of secrets' fingerprints.
        instance: names whose metrics these are, over restarts.
        counters: see `state_traces.COUNTERS`.

    Raises:
        StateError: it cannot be read, is newer than this version, or in use by another process.
    """

    def __init__(
        self, state_dir: Path, key: bytes | None = None, *, closed_trajectories: int = 500_000
    ) -> None:
        self._file = state_dir / NAME
        self._lock = threading.RLock()
        self._waiting: list[Batch] = []
        self._written: dict[str, int] = {}
        self.counters: Counter[str] = Counter(dict.fromkeys(COUNTERS, 0))
        self._database = opened(state_dir)
        try:
            with self._reading():
                self._traces = Traces(self._database, closed_trajectories, self.counters)
                self._deliveries = Deliveries(self._database)
                self.key = key or self._meta("key", secrets.token_bytes(32))
                new = secrets.token_hex(8).encode()
                self.instance = self._meta("instance", new).decode(errors="replace")
        except StateError:
            self._database.close()
            raise
        self._sealer = Sealer((), Fingerprints(self.key))

    @property
    def sealer(self) -> Sealer:
        """Takes secrets out of what is kept."""
        return self._sealer

    @property
    def size_bytes(self) -> int:
        """Of the file and its log."""
        files = (self._file, self._file.with_name(f"{NAME}-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    def use(self, contracts: Iterable[Contract]) -> None:
        """Contracts are in use from now on: what they search for decides what is taken out.

        Raises:
            StateError: it cannot be written.
        """
        contracts = tuple(contracts)
        hashes = packed({contract.id: contract.hash for contract in contracts})
        with self._writing():
            self._database.execute("INSERT OR REPLACE INTO meta VALUES ('contracts', ?)", (hashes,))
        self._sealer = Sealer(patterns_of(contracts), Fingerprints(self.key))

    def restore(self) -> Kept:
        """What stands beside the traces. To be asked before `use`.

        Raises:
            StateError: it cannot be read.
        """
        with self._reading():
            rows = self._database.execute("SELECT metric, series, data FROM sums").fetchall()
            self._written = dict(self._database.execute("SELECT name, value FROM counters"))
            began = self._meta("began", str(time.time_ns()).encode())
            return Kept(
                sums=[(m, unpacked(key, _key), unpacked(p, _point)) for m, key, p in rows],
                counters=dict(self._written),
                began_ns=int(began),
                plain=read_plain(self._database),
                contracts=unpacked(self._meta("contracts", packed({})), _hashes),
            )

    def open_traces(self) -> Sequence[str]:
        """Trace ids of the open trajectories, in the order in which they came."""
        return self._traces.open_ids()

    def traces_to_replay(self) -> Sequence[str]:
        """Trace ids of the open trajectories and of all traces of open sessions, in the order in which they came.

        Raises:
            StateError: it cannot be read.
        """
        with self._reading():
            return self._traces.ids_to_replay()

    def load(self, trace_id: str) -> KeptTrace | None:
        """All that is kept of a trace, to be replayed; None where nothing is.

        Raises:
            StateError: it cannot be read.
        """
        with self._reading():
            return self._traces.load(trace_id)

    def flush(self) -> None:
        """Write what could not be written before; to be called before anything else is taken in.

        Raises:
            StateError: it still cannot.
        """
        with self._lock:
            if self._waiting:
                self._write()

    def commit(self, batch: Batch) -> None:
        """Keep everything that a request has changed. Where that fails, it is tried again with the next one.

        Raises:
            StateError: the disk is full, or worse; the request must not be acknowledged.
        """
        with self._lock:
            if not (
                batch.entries
                or batch.deliveries
                or batch.sums
                or batch.plain
                or batch.plain_gone
                or batch.of_sessions
            ):
                if batch.counters == self._written:
                    return
                if self._waiting:  # counters stand as they were told last
                    batch = structs.replace(self._waiting.pop(), counters=batch.counters)
            self._waiting.append(batch)
            self._write()

    def pending(self, after: int, limit: int) -> list[tuple[int, Delivery]]:
        """The next deliveries behind a number, with their numbers.

        Raises:
            StateError: it cannot be read.
        """
        with self._reading():
            return self._deliveries.pending(after, limit)

    def waiting(self, after: int) -> int:
        """How many deliveries are behind a number.

        Raises:
            StateError: it cannot be read.
        """
        with self._reading():
            return self._deliveries.waiting(after)

    def cursors(self, sinks: Iterable[str]) -> dict[str, int]:
        """The number of the last delivery that each sink has had; no other sinks are waited for any longer.

        Raises:
            StateError: it cannot be written.
        """
        with self._writing():
            return self._deliveries.cursors(sinks)

    def delivered(self, sink: str, number: int) -> None:
        """A sink has had everything up to this number.

        Raises:
            StateError: it cannot be written; the sink will be given it again.
        """
        with self._writing():
            self._deliveries.delivered(sink, number)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._database.close()

    def _write(self) -> None:
        with self._writing():
            for batch in self._waiting:
                self._write_one(batch)
            self._traces.forget()
        self._waiting.clear()

    def _write_one(self, batch: Batch) -> None:
        self._traces.write(batch.entries, self._sealer)
        self._traces.write_sessions(batch.of_sessions)
        write_plain(self._database, batch.plain, batch.plain_gone)
        if batch.deliveries:
            clean = [without_secrets(delivery, self._sealer) for delivery in batch.deliveries]
            self._traces.write_findings(clean)
            self._traces.write_scores(batch.scores)
            self._deliveries.write(clean)
        self._write_sums(batch.sums)
        changed = batch.counters.items() - self._written.items()
        self._database.executemany("INSERT OR REPLACE INTO counters VALUES (?, ?)", changed)
        self._written.update(changed)

    def _write_sums(self, sums: Sequence[SumRow]) -> None:
        if self._sealer.holds_secret([key for _, key, _ in sums]):  # in a name of a tool
            sums = [(metric, _without_secrets(key, self._sealer), p) for metric, key, p in sums]
        rows = [(metric, packed(key), packed(point)) for metric, key, point in sums]
        self._database.executemany("INSERT OR REPLACE INTO sums VALUES (?, ?, ?)", rows)

    def _meta(self, name: str, default: bytes) -> bytes:
        """What stands under a name; where nothing does, it is written."""
        new = (name, default)
        self._database.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", new)
        asked = "SELECT value FROM meta WHERE name = ?"
        found: bytes = self._database.execute(asked, (name,)).fetchone()[0]
        return found

    @contextmanager
    def _writing(self) -> Generator[None]:
        """One transaction, all or nothing."""
        with self._lock:
            try:
                self._database.execute("BEGIN IMMEDIATE")
                yield
                self._database.execute("COMMIT")
            except sqlite3.Error as error:
                self._undo()
                raise StateError(self._why(error)) from error
            except BaseException:
                self._undo()
                raise

    def _undo(self) -> None:
        try:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            self._written.clear()
            self._traces.read()
        except sqlite3.Error:
            return  # the next one fails as well, and says so

    @contextmanager
    def _reading(self) -> Generator[None]:
        with self._lock:
            try:
                yield
            except sqlite3.Error as error:
                raise StateError(self._why(error)) from error
            except (msgspec.DecodeError, ValueError) as error:
                raise StateError(damaged(self._file, "what it holds makes no sense")) from error

    def _why(self, error: sqlite3.Error) -> str:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
            return damaged(self._file, str(error))
        if name == "SQLITE_FULL":
            return f"the state in `{self._file}` cannot be written: the disk is full; make room"
        return f"the state in `{self._file}` cannot be read or written: {error}; look at the disk"


def _without_secrets(key: Key, sealer: Sealer) -> Key:
    return tuple((name, sealer.plain(value)) for name, value in key)
