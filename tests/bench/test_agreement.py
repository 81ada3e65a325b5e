"""Hundreds of cases of every score, answered by tool-scorer, by us, and by an oracle that says which of the two is right."""

from __future__ import annotations

from collections import Counter
from math import isclose
from typing import Any

from tests.bench.agreement import oracle
from tests.bench.agreement.made import cases
from tests.bench.peers.notation import answered
from toolscore_otel import metrics
from toolscore_otel.model import Status, ToolCall

SEED, OF_EACH = 20_261_130, 60


def call_of(told: dict[str, Any]) -> ToolCall:
    seconds = told.get("seconds")
    return ToolCall(
        tool=told["tool"],
        args=told.get("args"),
        status=Status.ERROR if told.get("failed") else Status.OK,
        start_ns=None if seconds is None else 0,
        end_ns=None if seconds is None else round(seconds * 1e9),
        cost_usd=told.get("cost"),
        attributes={"side_effects": told.get("effects", {})},
    )


def agrees(told: Any, right: Any) -> bool:
    """Whether an answer says all that the right one does."""
    if isinstance(right, dict):
        return isinstance(told, dict) and all(
            key in told and agrees(told[key], one) for key, one in right.items()
        )
    if isinstance(right, list):
        return isinstance(told, list) and len(told) == len(right) and all(map(agrees, told, right))
    if isinstance(right, (int, float)) and isinstance(told, (int, float)):
        return isclose(told, right, rel_tol=1e-9, abs_tol=1e-12)
    return bool(told == right)


def test_where_tool_scorer_is_right_we_agree_and_where_it_is_wrong_we_do_not(peer, tell, benchmark):
    asked = list(cases(SEED, OF_EACH))
    theirs = peer("tool_scorer", "scores", asked).found
    ours = benchmark.pedantic(
        lambda: [answered(case, metrics, metrics, call_of) for case in asked], rounds=1
    )
    counts: Counter[str] = Counter()
    for case, told, mine in zip(asked, theirs, ours, strict=True):
        right = getattr(oracle, case["of"])(**case["given"])
        if right is ...:
            continue
        they = "right" if agrees(told, right) else "wrong"
        we = "right" if agrees(mine, right) else "wrong"
        counts[f"they are {they}, we are {we}"] += 1
        if we == "wrong":
            print(case, told, mine, right, sep="\n", end="\n\n")  # noqa: T201
    both = counts["they are right, we are right"]
    they_alone = counts["they are right, we are wrong"]
    we_alone = counts["they are wrong, we are right"]
    neither = counts["they are wrong, we are wrong"]
    tell(
        cases=len(asked),
        they_right=both + they_alone,
        agreement=both / (both + they_alone),
        right_where_they_are_wrong=we_alone / (we_alone + neither),
    )
    assert both + they_alone > 300
    assert we_alone + neither > 50
    assert both / (both + they_alone) >= 0.97
    assert we_alone / (we_alone + neither) >= 0.9
