"""From spans that are all there to a report, in one call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from toolscore_otel.assembly import Limits, in_lots
from toolscore_otel.contracts import Contract
from toolscore_otel.engine.engine import Engine
from toolscore_otel.engine.report import Report
from toolscore_otel.model import LogRecord, Span


def score(
    telemetry: Iterable[Span | LogRecord],
    contracts: Sequence[Contract] = (),
    *,
    limits: Limits | None = None,
    fingerprint_key: bytes | None = None,
    scenario: str | None = None,
) -> Report:
    """Rebuild the calls of recorded telemetry and hold them against contracts.

    Args:
        telemetry: as `read_file` gives it, in any order.
        contracts: none: the calls are rebuilt, and nothing is judged.
        limits: of assembly.
        fingerprint_key: of secrets' fingerprints; None: findings carry no fingerprint.
        scenario: test scenario of trajectories that name none.
    """
    engine = Engine(contracts, limits=limits, fingerprint_key=fingerprint_key)
    engine.assembler.scenario = scenario
    for some in in_lots(telemetry):
        engine.feed_all(some, 0)
    engine.close()
    return engine.report()
