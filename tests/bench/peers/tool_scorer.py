"""tool-scorer looks for secrets in calls, pairs calls with expected ones, and answers cases as we do."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from toolscore import matchers, metrics  # type: ignore[import-not-found]
from toolscore.adapters.base import ToolCall  # type: ignore[import-not-found]
from toolscore.metrics.arguments import calculate_argument_f1  # type: ignore[import-not-found]
from toolscore.metrics.security import find_secrets  # type: ignore[import-not-found]

from tests.bench.peers.notation import answered
from tests.bench.peers.serving import serve


def calls_of(arguments: list[dict[str, Any]]) -> list[ToolCall]:
    return [ToolCall(tool="tool", args=one) for one in arguments]


def pairing(sides: list[list[dict[str, Any]]]) -> Callable[[], object]:
    gold, trace = map(calls_of, sides)
    return partial(calculate_argument_f1, gold, trace)


def call_of(told: dict[str, Any]) -> ToolCall:
    return ToolCall(
        tool=told["tool"],
        args=told.get("args"),
        result=told.get("result"),
        duration=told.get("seconds"),
        cost=told.get("cost"),
        metadata={
            "is_error": told.get("failed", False),
            "side_effects": told.get("effects", {}),
        },
    )


def scores(cases: list[dict[str, Any]]) -> Callable[[], object]:
    return lambda: [answered(case, metrics, matchers, call_of) for case in cases]


serve(
    {
        "secrets": lambda given: partial(find_secrets, calls_of(given)),
        "pairing": pairing,
        "scores": scores,
    }
)
