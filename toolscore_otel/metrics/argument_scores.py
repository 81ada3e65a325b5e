"""Arguments against expected ones: over all of them, and field by field."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from toolscore_otel.metrics.arguments import Compared, given, wanted
from toolscore_otel.metrics.given_calls import checked
from toolscore_otel.metrics.pairing import paired_by_tool
from toolscore_otel.metrics.ratios import f1_of
from toolscore_otel.model import ToolCall


def calculate_argument_f1(
    gold_calls: Sequence[ToolCall],
    trace_calls: Sequence[ToolCall],
    strict: bool = False,  # noqa: FBT001, FBT002 - the field's signature
) -> dict[str, float | None]:
    """How far the arguments are the expected ones: fields that are right, over those given and those expected.

    Calls are paired within a tool so that arguments agree best. Expected `args` of None check nothing, `{}` is "no
    arguments"; a matcher (`ANY`, `Regex(...)`) may stand for a value, at any depth. An object counts by the share of its
    fields. An expected call without a partner lacks its fields; one that lists none is no part of the score, but where no call
    lists any: there the calls themselves count.

    Args:
        gold_calls: expected calls.
        trace_calls: calls as they were made.
        strict: no `1` for `1.0`, no white space around texts.

    Returns:
        `precision`, `recall`, `f1`; all None where no argument that counts was observed.
    """
    gold_calls, trace_calls = checked(gold_calls), checked(trace_calls)
    if not gold_calls or not trace_calls:
        score = float(not gold_calls and not trace_calls)
        return {"precision": score, "recall": score, "f1": score}
    ask = partial(wanted, strict=strict)
    paired = paired_by_tool(gold_calls, trace_calls, ask)
    asked = list(map(ask, gold_calls))
    total, matched = Compared(), 0
    for expected, made in paired.pairs.items():
        one = asked[expected].compared(given(trace_calls[made]))
        total += one
        matched += one == Compared()
    lacking = [asked[number] for number in paired.missing]
    if not total.expected and not total.given and not any(one.fields for one in lacking):
        return f1_of(matched, matched, matched + len(lacking))
    total += Compared(expected=sum(len(one.fields or ()) for one in lacking))
    return f1_of(total.right, total.given, total.expected)
