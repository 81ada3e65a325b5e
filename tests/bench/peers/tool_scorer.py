"""tool-scorer looks for secrets in calls, and pairs calls with expected ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from toolscore.adapters.base import ToolCall  # type: ignore[import-not-found]
from toolscore.metrics.arguments import calculate_argument_f1  # type: ignore[import-not-found]
from toolscore.metrics.security import find_secrets  # type: ignore[import-not-found]

from tests.bench.peers.serving import serve


def calls_of(arguments: list[dict[str, Any]]) -> list[ToolCall]:
    return [ToolCall(tool="tool", args=one) for one in arguments]


def pairing(sides: list[list[dict[str, Any]]]) -> Callable[[], object]:
    gold, trace = map(calls_of, sides)
    return partial(calculate_argument_f1, gold, trace)


serve({"secrets": lambda given: partial(find_secrets, calls_of(given)), "pairing": pairing})
