"""From spans that are all there to what can be said of the telemetry itself, in one call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from toolscore_otel.assembly import Limits, in_lots
from toolscore_otel.contracts import Contract
from toolscore_otel.conventions.sampling import sampled
from toolscore_otel.engine.checkable import Checkable, checkable
from toolscore_otel.engine.engine import Engine
from toolscore_otel.engine.observed import Observed, Origin, Sampling, observed
from toolscore_otel.engine.report import Report
from toolscore_otel.model import LogRecord, Span


class Diagnosis(Struct, frozen=True):
    """What was found.

    Attributes:
        report: of the engine; its findings are those of the contracts.
        observed: by service and instrumentation, those with most calls first.
        rules: of all contracts.
        sampled: what all spans and log records say of sampling, also those that tell of no call; None: nothing.
        writers: of how many spans and log records each was the writer, whatever they say.
    """

    report: Report
    observed: tuple[Observed, ...]
    rules: tuple[Checkable, ...]
    sampled: Sampling | None
    writers: Mapping[Origin, int]


def diagnose(
    telemetry: Iterable[Span | LogRecord],
    contracts: Sequence[Contract] = (),
    *,
    limits: Limits | None = None,
) -> Diagnosis:
    """Look at recorded telemetry: what it shows, and which rules can be held against it.

    Args:
        telemetry: as `read_file` gives it, in any order.
        contracts: of whose rules it is asked whether they can be checked.
        limits: of assembly.
    """
    engine, sampling = Engine(contracts, limits=limits), dict[Origin, Sampling]()
    writers: Counter[Origin] = Counter()
    for some in in_lots(_noted(telemetry, sampling, writers)):
        engine.feed_all(some, 0)
    engine.close()
    report = engine.report()
    return Diagnosis(
        report,
        tuple(observed(engine.assembler, report.trajectories, sampling)),
        tuple(checkable(engine, report)),
        _all_of(sampling.values()),
        writers,
    )


def _noted(
    telemetry: Iterable[Span | LogRecord],
    sampling: dict[Origin, Sampling],
    writers: Counter[Origin],
) -> Iterator[Span | LogRecord]:
    """The same items; who wrote them, and what they say of sampling, is noted."""
    for item in telemetry:
        origin = Origin(item.resource.service, item.scope.name, item.scope.version)
        writers[origin] += 1
        if (said := sampled(item)) is not None:
            sampling[origin] = sampling.get(origin, Sampling(0, (), None)).with_(said)
        yield item


def _all_of(sampling: Iterable[Sampling]) -> Sampling | None:
    found = list(sampling)
    if not found:
        return None
    return Sampling(
        sum(one.items for one in found),
        tuple(sorted({by for one in found for by in one.by})),
        min((one.kept for one in found if one.kept is not None), default=None),
    )
