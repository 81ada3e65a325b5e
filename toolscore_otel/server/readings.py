"""All metrics of the server as one of their readers is shown them: what is scraped and what is pushed say the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from toolscore_otel.contracts import Contract
from toolscore_otel.emit.engine_counters import METRICS, of_counters
from toolscore_otel.emit.metrics import COVERAGE, DURATION, FOLDED, OF_SUMS, SCORE, Sums
from toolscore_otel.emit.points import Shown
from toolscore_otel.emit.registry import Metric, telemetry
from toolscore_otel.server.counting import Counting

Watch = Callable[[Counting], None]
"""Writes down how things stand, at the begin of a collection."""


class Reading(Struct, frozen=True, kw_only=True):
    """One metric.

    Attributes:
        name: as in `emit/telemetry.yaml`.
        told: what stands there.
        series: at least one.
        start_ns: since when its counters count.
    """

    name: str
    told: Metric
    series: Sequence[Shown]
    start_ns: int


class Readings:
    """What the metrics of a server are read from; made when its state is restored and before anything comes in.

    Args:
        sums: of findings and calls.
        counting: of the server itself.
        watches: called at the begin of each collection.
        start_ns: when the process began.
        sums_start_ns: when `sums` began, where they are older.
    """

    def __init__(
        self,
        sums: Sums,
        counting: Counting,
        watches: Sequence[Watch] = (),
        *,
        start_ns: int,
        sums_start_ns: int | None = None,
    ) -> None:
        self._sums = sums
        self._counting = counting
        self._watches = tuple(watches)
        self._start_ns = start_ns
        self._sums_start_ns = start_ns if sums_start_ns is None else sums_start_ns
        counting.set("toolscore.process.start", start_ns / 1e9)
        self._look()
        counting.begin()
        sums.begin()

    def read(self, reader: str, *, is_last: bool = False) -> list[Reading]:
        """Every metric that has a series, in the order of `emit/telemetry.yaml`.

        Args:
            reader: who collects; the same name every time.
            is_last: no collection will follow, so nothing is held back.
        """
        self._look()
        return [
            Reading(name=name, told=told, series=series, start_ns=start)
            for name, told in telemetry().metrics.items()
            for series, start in self._of(name, reader, is_last=is_last)
        ]

    def _of(
        self, metric: str, reader: str, *, is_last: bool
    ) -> Iterator[tuple[Sequence[Shown], int]]:
        is_sum = metric in OF_SUMS or metric == DURATION
        kept = self._sums if is_sum else self._counting
        outlives = is_sum or metric in METRICS
        if series := kept.collected(metric, reader=reader, is_last=is_last):
            yield series, self._sums_start_ns if outlives else self._start_ns

    def _look(self) -> None:
        for watch in self._watches:
            watch(self._counting)
        self._counting.replace(
            COVERAGE, [(dict(key), value) for key, value in self._sums.coverage()]
        )
        self._counting.replace(SCORE, [(dict(key), value) for key, value in self._sums.scores()])
        for name, folded in self._sums.folded().items():
            self._counting.follow(FOLDED, folded, name=name)


def tell_engine(
    counting: Counting,
    *,
    counters: Mapping[str, int],
    rule_errors: Mapping[str, int],
    open_trajectories: int,
) -> None:
    """Write down how an engine stands.

    Args:
        counting: takes it.
        counters: of assembly, and of the pipeline around it.
        rule_errors: rules that raised, and how often.
        open_trajectories: how many there are.
    """
    for metric, attributes, value in of_counters(counters):
        counting.follow(metric, value, **attributes)
    for rule, errors in rule_errors.items():
        counting.follow("toolscore.rule.errors", errors, rule=rule)
    counting.set("toolscore.trajectories.open", open_trajectories)


def tell_contracts(counting: Counting, loaded: Sequence[tuple[Contract, float]]) -> None:
    """Write down the contracts in use, and when each was loaded, in seconds since the epoch."""
    named = [({"contract": c.id, "hash": c.hash}, when) for c, when in loaded]
    counting.replace("toolscore.contracts", [(name, 1) for name, _ in named])
    counting.replace("toolscore.contracts.loaded", named)
