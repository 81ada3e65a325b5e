"""Which of two calls came before the other."""

from __future__ import annotations

from toolscore_otel.matchers.answer import NO, UNSURE, YES, Answer
from toolscore_otel.model import ToolCall


def before(one: ToolCall, other: ToolCall) -> Answer:
    """Whether a call ended no later than another one began.

    Equal counts, since clocks are coarse; but two calls that stand at one and the same instant overlap. A time that was
    not observed leaves it open unless the others decide, as a call begins no later than it ends.
    """
    ended, began = one.end_ns, other.start_ns
    if ended is None or began is None:
        return NO if _is_too_late(one, other) else UNSURE
    if ended != began:
        return YES if ended < began else NO
    lasted = one.start_ns is not None and one.start_ns < ended
    lasts = other.end_ns is not None and began < other.end_ns
    if lasted or lasts:
        return YES
    return UNSURE if one.start_ns is None or other.end_ns is None else NO


def _is_too_late(one: ToolCall, other: ToolCall) -> bool:
    """Whether even the earliest end lies behind the latest beginning, or both stand at that one instant."""
    earliest_end = one.start_ns if one.end_ns is None else one.end_ns
    latest_begin = other.end_ns if other.start_ns is None else other.start_ns
    if earliest_end is None or latest_begin is None:
        return False
    meet_at_best_at_one_instant = earliest_end == latest_begin == one.start_ns == other.end_ns
    return earliest_end > latest_begin or meet_at_best_at_one_instant
