"""A comparison as one JSON object: what `diff --format json` writes. What is not known is null."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from toolscore_otel.diffing import ScenarioDiff
from toolscore_otel.model import Json


def diff_object(diffs: Sequence[ScenarioDiff]) -> dict[str, Json]:
    """A comparison as plain data: `changed`, whether anything did, and `scenarios`.

    Each scenario has `scenario`, the sums of both sides as `old` and `new` (`runs calls latency_s cost_usd`), and `differences`
    (`kind state tool path old new`).
    """
    built: dict[str, Json] = msgspec.to_builtins(
        {"changed": any(diff.changed for diff in diffs), "scenarios": diffs}
    )
    return built
