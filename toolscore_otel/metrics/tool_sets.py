"""Checks for tasks that more than one set of tools solves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from toolscore_otel.matchers import Answer, any_of, before
from toolscore_otel.metrics.given_calls import checked
from toolscore_otel.metrics.ratios import f1_of
from toolscore_otel.model import ToolCall


def calculate_best_tool_set(
    trace_calls: Sequence[ToolCall], tool_sets: Sequence[Sequence[str]]
) -> dict[str, Any]:
    """Which of several right sets of tools the calls are nearest to, as multisets.

    Args:
        trace_calls: calls as they were made.
        tool_sets: each right by itself; a tool that is needed twice stands twice.

    Returns:
        `best`: number of the set with the greatest F1, the first of equals; its `precision`, `recall`, `f1`.

    Raises:
        ValueError: no set is given.
    """
    if not tool_sets:
        raise ValueError("`tool_sets` holds no set of tools")
    called = Counter(call.tool for call in checked(trace_calls))
    scores = [
        f1_of((called & Counter(one)).total(), called.total(), len(one))
        if one or called
        else {"precision": 1.0, "recall": 1.0, "f1": 1.0}
        for one in tool_sets
    ]
    best = max(range(len(scores)), key=lambda number: scores[number]["f1"] or 0.0)
    return {"best": best, **scores[best]}


def check_called_before(
    trace_calls: Sequence[ToolCall], any_tool: Collection[str], then: str
) -> bool | None:
    """Whether some call of one of several tools had ended before each call of another one began.

    Calls without any time stand in the order given.

    Args:
        trace_calls: calls as they were made.
        any_tool: names of which one is enough.
        then: the tool that must come after.

    Returns:
        None where `then` was not called, or where times that were not observed decide.
    """
    trace_calls = checked(trace_calls)
    timed = any(call.start_ns is not None or call.end_ns is not None for call in trace_calls)
    answers: list[Answer] = []
    for place, call in enumerate(trace_calls):
        if call.tool != then:
            continue
        others = [
            (n, one) for n, one in enumerate(trace_calls) if one.tool in any_tool and n != place
        ]
        answers.append(
            any_of(before(one, call) for _, one in others)
            if timed
            else Answer.YES
            if any(n < place for n, _ in others)
            else Answer.NO
        )
    if not answers or (Answer.NO not in answers and Answer.UNKNOWN in answers):
        return None
    return Answer.NO not in answers
