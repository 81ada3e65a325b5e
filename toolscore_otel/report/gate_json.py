"""A gate as one JSON object: what `gate --format json` writes. What is not known is null."""

from __future__ import annotations

import msgspec

from toolscore_otel.emit.finding_json import finding_object
from toolscore_otel.engine import Report
from toolscore_otel.gate import Gate
from toolscore_otel.model import Json, Severity


def gate_object(gate: Gate, report: Report, *, fail_on: Severity) -> dict[str, Json]:
    """A gate as plain data.

    `release`, `verdict` (`pass`, `fail`, `inconclusive`, null where nothing was judged), `max_drop`, `max_rise`
    (a share, null where measures are only told), `told_apart`, `level` and `level_of_high` (of the
    bounds), `comparisons` (`contract model score releases scenarios runs unknown old new drop low high allowed verdict
    passes_at`: shares 0..1, counts old and new), `not_compared` (`contract model why scenario score release`), `refused` (how many of these), and `findings`: those that fail.

    Args:
        gate: held.
        report: of the same runs.
        fail_on: severity at and above which a finding fails.
    """
    built: dict[str, Json] = msgspec.to_builtins(
        {
            "release": gate.release,
            "verdict": gate.verdict,
            "max_drop": gate.max_drop,
            "max_rise": gate.max_rise,
            "told_apart": gate.told_apart,
            "level": gate.level,
            "level_of_high": gate.level_of_high,
            "comparisons": gate.comparisons,
            "not_compared": gate.not_compared,
            "refused": len(gate.refused),
            "findings": [finding_object(finding) for finding in report.failing(fail_on)],
        }
    )
    return built
