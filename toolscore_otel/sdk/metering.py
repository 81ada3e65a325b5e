"""Sums of all scorings of a process, as metrics: one set of instruments per meter provider."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from opentelemetry import metrics

from toolscore_otel.contracts import Contract
from toolscore_otel.emit.engine_counters import (
    LIMITS_REACHED,
    PLAIN,
    TRAJECTORIES_EVICTED,
    of_counters,
)
from toolscore_otel.emit.instruments import Read, observe
from toolscore_otel.emit.metrics import Sums
from toolscore_otel.sdk.log_events import SCOPE
from toolscore_otel.sdk.scoring import Scoring

Attributes = Mapping[str, str | bool]

_ERRORS = {"log_errors": "logs", "event_errors": "spans", "redaction_errors": "spans"}
"""Counter -> output."""


class _Metered:
    """What is read at a collection."""

    def __init__(self, names_per_label: int) -> None:
        self.sums = Sums(names_per_label)
        self._scorings: WeakSet[Scoring] = WeakSet()
        self._counters: list[Counter[str]] = []
        self._rule_errors: list[Counter[str]] = []
        self._loaded: dict[str, tuple[Contract, float]] = {}

    def add(self, scoring: Scoring) -> None:
        """Read this one, too."""
        self._scorings.add(scoring)
        self.sums.add_contracts(scoring.contracts)
        now = time.time()
        for contract in scoring.contracts:
            self._loaded[contract.hash] = (contract, now)
        self._watch(scoring)
        scoring.listeners.append(self.sums.finding)
        scoring.on_close.append(self.sums.trajectory)
        scoring.on_fork.append(self._start_anew)

    def prepare(self) -> None:
        """Let time pass."""
        for scoring in list(self._scorings):
            scoring.tick()

    def others(self) -> dict[str, Read]:
        """What is read from counters."""
        counted: dict[str, Read] = {
            metric: partial(self._counted, metric)
            for metric in (*PLAIN.values(), TRAJECTORIES_EVICTED, LIMITS_REACHED)
        }
        return counted | {
            "toolscore.trajectories.open": self._open,
            "toolscore.contracts": lambda: [(told, 1) for told, _ in self._contracts()],
            "toolscore.contracts.loaded": self._contracts,
            "toolscore.rule.errors": lambda: [
                ({"rule": rule}, count) for rule, count in _added(self._rule_errors).items()
            ],
            "toolscore.emit.errors": self._emit_errors,
        }

    def _watch(self, scoring: Scoring) -> None:
        self._counters += [scoring.engine.assembler.counters, scoring.counters]
        self._rule_errors.append(scoring.engine.rule_errors)

    def _start_anew(self) -> None:
        self.sums.start_anew(contract for contract, _ in self._loaded.values())
        self._counters.clear()
        self._rule_errors.clear()
        for scoring in list(self._scorings):
            self._watch(scoring)

    def _all(self) -> Counter[str]:
        return _added([*self._counters, self.sums.dropped])

    def _counted(self, metric: str) -> list[tuple[Attributes, float]]:
        caps = {
            name: count
            for name, count in self._all().items()
            if name not in _ERRORS and not name.startswith("folded_")
        }
        return [(attributes, n) for name, attributes, n in of_counters(caps) if name == metric]

    def _open(self) -> list[tuple[Attributes, float]]:
        scorings = list(self._scorings)
        return [({}, sum(scoring.engine.assembler.open_trajectories for scoring in scorings))]

    def _contracts(self) -> Iterator[tuple[Attributes, float]]:
        for contract, loaded in list(self._loaded.values()):
            yield {"contract": contract.id, "hash": contract.hash}, loaded

    def _emit_errors(self) -> list[tuple[Attributes, float]]:
        counters, found = self._all(), Counter[str]()
        for name, output in _ERRORS.items():
            found[output] += counters[name]
        return [({"output": output}, count) for output, count in found.items()]


_metered: WeakKeyDictionary[Any, _Metered] = WeakKeyDictionary()
_of_all: dict[None, _Metered] = {}
"""That of the global provider, whether it is set by now or not."""


def metered(scoring: Scoring, provider: Any = None) -> None:
    """Count what a scoring finds.

    Args:
        scoring: from now on.
        provider: None: the global one, also when it is set later.
    """
    given = None if provider is metrics.get_meter_provider() else provider
    found = _of_all.get(None) if given is None else _metered.get(given)
    if found is None:
        found = _Metered(scoring.config.names_per_label)
        meter = metrics.get_meter(SCOPE) if given is None else given.get_meter(SCOPE)
        observe(meter, found.sums, prepare=found.prepare, others=found.others())
        if given is None:
            _of_all[None] = found
        else:
            _metered[given] = found
    found.add(scoring)


def _added(counters: Iterable[Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for counter in counters:
        total.update(counter)
    return total
