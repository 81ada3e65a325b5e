"""Whether calls mean the same as the expected ones, as a judge says who is passed in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from toolscore_otel.errors import clip
from toolscore_otel.matchers.canonical import written
from toolscore_otel.matchers.value import is_list, is_object
from toolscore_otel.metrics.given_calls import checked
from toolscore_otel.metrics.pairing import paired_by_tool
from toolscore_otel.metrics.ratios import share
from toolscore_otel.metrics.safety import redact_secrets, redacted
from toolscore_otel.model import ContentState, Json, ToolCall

Judge = Callable[[Sequence[Mapping[str, Any]]], Sequence[Any]]
"""Given pairs of `expected` and `actual` calls, each a mapping of `tool` and `args` (None: not said, or not observed), one
answer for each: a number 0..1, or a mapping of `score` and `explanation`. Its attribute `model`, if any, names it."""


def calculate_semantic_correctness(
    gold_calls: Sequence[ToolCall],
    trace_calls: Sequence[ToolCall],
    *,
    judge: Judge | None = None,
) -> dict[str, Any]:
    """How near in meaning the calls are to the expected ones.

    Calls of one tool are paired by their arguments, the others in their order. The judge sees no secrets.

    Args:
        gold_calls: expected calls; a matcher among arguments is told as it is written.
        trace_calls: calls as they were made.
        judge: asked once, about all pairs; None: nobody is asked.

    Returns:
        `semantic_score`, 0..1: the mean over pairs, less the share of calls without a partner; None where nobody was asked or no
        answer makes sense. `per_call_scores` (None where an answer makes none), `explanations`, `model_used`, `gold_count`,
        `trace_count`.

    Raises:
        ValueError: the judge did not give one answer for each pair.
    """
    gold_calls, trace_calls = checked(gold_calls), checked(trace_calls)
    pairs = _pairs(gold_calls, trace_calls)
    answers = [] if judge is None else _answers(judge, pairs)
    scores = [score for score, _ in answers]
    return {
        "semantic_score": _overall(
            scores, len(gold_calls), len(trace_calls), judged=judge is not None
        ),
        "per_call_scores": scores,
        "explanations": [explanation for _, explanation in answers],
        "model_used": getattr(judge, "model", None),
        "gold_count": len(gold_calls),
        "trace_count": len(trace_calls),
    }


def calculate_batch_semantic_correctness(
    evaluations: Iterable[tuple[Sequence[ToolCall], Sequence[ToolCall]]],
    *,
    judge: Judge | None = None,
) -> dict[str, Any]:
    """The same over several evaluations, each expected and actual calls.

    Returns:
        `average_score` over those that have one, None where none has; `individual_scores`, `total_evaluations`.
    """
    scores = [
        calculate_semantic_correctness(gold, trace, judge=judge)["semantic_score"]
        for gold, trace in evaluations
    ]
    known = [score for score in scores if score is not None]
    return {
        "average_score": share(sum(known), len(known)),
        "individual_scores": scores,
        "total_evaluations": len(scores),
    }


def _answers(judge: Judge, pairs: Sequence[Mapping[str, Any]]) -> list[tuple[float | None, str]]:
    told: Any = judge(pairs) if pairs else []
    if not is_list(told):
        raise ValueError("the judge gave no list of answers")
    if len(told) != len(pairs):
        raise ValueError(f"the judge gave {len(told)} answers about {len(pairs)} pairs")
    return list(map(_answer, told))


def _pairs(gold_calls: Sequence[ToolCall], trace_calls: Sequence[ToolCall]) -> list[dict[str, Any]]:
    paired = paired_by_tool(gold_calls, trace_calls)
    others = zip(paired.missing, paired.surplus, strict=False)
    both = sorted((*paired.pairs.items(), *others))
    return [
        {"expected": _told(gold_calls[expected]), "actual": _told(trace_calls[made])}
        for expected, made in both
    ]


def _told(call: ToolCall) -> dict[str, Json]:
    args = call.args if call.args_state is ContentState.OBSERVED else None
    return {"tool": redact_secrets(call.tool), "args": redacted(args)}


def _answer(answer: Any) -> tuple[float | None, str]:
    score = answer.get("score") if is_object(answer) else answer
    said = answer.get("explanation", "") if is_object(answer) else ""
    if isinstance(score, bool) or not isinstance(score, (int, float)) or not 0 <= score <= 1:
        return None, f"no score from 0 to 1 was given: {clip(written(score))}"
    return float(score), clip(said) if isinstance(said, str) else clip(written(said))


def _overall(
    scores: Sequence[float | None], expected: int, made: int, *, judged: bool
) -> float | None:
    known = [score for score in scores if score is not None]
    if not judged or len(known) < len(scores):
        return None
    if not expected and not made:
        return 1.0
    paired = min(expected, made) / max(expected, made)
    return paired * (sum(known) / len(known) if known else 0.0)
