"""Without a `state_dir`: the same as `State`, in memory, and gone with the process."""

from __future__ import annotations

import secrets
import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable, Sequence
from itertools import islice

from toolscore_otel.contracts import Contract
from toolscore_otel.contracts.secret_patterns import patterns_of
from toolscore_otel.secrets import Fingerprints, Sealer
from toolscore_otel.server.deliveries import Batch, Delivery, Kept, KeptTrace, without_secrets

DELIVERIES = 10_000
"""How many findings wait to be delivered; past it the oldest go (counter `findings_dropped`)."""


class NoState:
    """Keeps findings until they are delivered, and nothing else.

    Args:
        key: of secrets' fingerprints; None: a random one.
        deliveries: how many findings wait at most.

    Attributes:
        key: of secrets' fingerprints.
        instance: names whose metrics these are.
        counters: `findings_dropped`.
    """

    def __init__(self, key: bytes | None = None, *, deliveries: int = DELIVERIES) -> None:
        self.key = key or secrets.token_bytes(32)
        self.instance = secrets.token_hex(8)
        self.counters: Counter[str] = Counter({"findings_dropped": 0})
        self._most = deliveries
        self._lock = threading.Lock()
        self._deliveries: OrderedDict[int, Delivery] = OrderedDict()
        self._next = 1
        self._cursors: dict[str, int] = {}
        self._sealer = Sealer((), Fingerprints(self.key))

    @property
    def sealer(self) -> Sealer:
        """Takes secrets out of what is kept."""
        return self._sealer

    @property
    def size_bytes(self) -> int:
        """Nothing is on disk."""
        return 0

    def use(self, contracts: Iterable[Contract]) -> None:
        """Contracts are in use from now on."""
        self._sealer = Sealer(patterns_of(contracts), Fingerprints(self.key))

    def restore(self) -> Kept:
        """Nothing was kept."""
        return Kept()

    def open_traces(self) -> Sequence[str]:
        """None was kept."""
        return ()

    def traces_to_replay(self) -> Sequence[str]:
        """None was kept."""
        return ()

    def load(self, trace_id: str) -> KeptTrace | None:  # noqa: ARG002 - as `State` has it
        """No trace was kept."""
        return None

    def flush(self) -> None:
        """Nothing waits to be written."""

    def commit(self, batch: Batch) -> None:
        """Keep the findings until they are delivered."""
        with self._lock:
            for delivery in batch.deliveries:
                self._deliveries[self._next] = without_secrets(delivery, self._sealer)
                self._next += 1
            while len(self._deliveries) > self._most:
                self._deliveries.popitem(last=False)
                self.counters["findings_dropped"] += 1

    def pending(self, after: int, limit: int) -> list[tuple[int, Delivery]]:
        """The next deliveries behind a number, with their numbers."""
        with self._lock:
            behind = (item for item in self._deliveries.items() if item[0] > after)
            return list(islice(behind, limit))

    def waiting(self, after: int) -> int:
        """How many deliveries are behind a number."""
        with self._lock:
            first = next(iter(self._deliveries), self._next)
            return self._next - max(first, after + 1)

    def cursors(self, sinks: Iterable[str]) -> dict[str, int]:
        """The number of the last delivery that each sink has had; no other sinks are waited for any longer."""
        with self._lock:
            self._cursors = {sink: self._cursors.get(sink, 0) for sink in sinks}
            return dict(self._cursors)

    def delivered(self, sink: str, number: int) -> None:
        """A sink has had everything up to this number."""
        with self._lock:
            self._cursors[sink] = number
            done = min(self._cursors.values())
            while self._deliveries and next(iter(self._deliveries)) <= done:
                self._deliveries.popitem(last=False)

    def close(self) -> None:
        """Nothing is open."""
