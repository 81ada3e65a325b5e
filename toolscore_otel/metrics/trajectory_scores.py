"""The scores of one trajectory, and how sure they are (docs/pages/clauses/scores.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct, structs

from toolscore_otel.matchers import JudgedCall
from toolscore_otel.metrics.against import against, is_made
from toolscore_otel.metrics.efficiency import signature
from toolscore_otel.metrics.expected_calls import ExpectedCall
from toolscore_otel.metrics.given_calls import checked
from toolscore_otel.metrics.ratios import share
from toolscore_otel.metrics.score_range import NONE, ScoreRange, anything, between, exactly
from toolscore_otel.model import Status

SCORES = (
    "selection_precision",
    "selection_recall",
    "selection_f1",
    "argument_f1",
    "argument_exact",
    "required_recall",
    "edit_distance",
    "order",
    "redundant_rate",
    "error_rate",
    "hard_fail",
)
"""The names of all scores, in the order in which they are told."""

ALWAYS = ("required_recall", "redundant_rate", "error_rate")
"""Those that need no expectation."""

Scores = Mapping[str, float | None]
"""By name, 0..1; None where a score does not apply, or where what was not observed decides."""


class Required(Struct, frozen=True):
    """How the `require` rules of a trajectory came out, counted."""

    held: int = 0
    failed: int = 0
    unchecked: int = 0


def trajectory_scores(
    calls: Sequence[JudgedCall],
    expected: Sequence[ExpectedCall] | None = None,
    *,
    required: tuple[int, int] = (0, 0),
) -> Scores:
    """All scores of one trajectory.

    Args:
        calls: of the trajectory, in order, with what the registry says of each (`mutating`, `polling`).
        expected: what it should consist of, in order; None: nothing is said, and only what needs none is scored.
        required: how many `require` rules hold, of how many.
    """
    held, of = required
    safe = checked([one.call for one in calls])
    calls = [
        one if one.call is call else structs.replace(one, call=call)
        for one, call in zip(calls, safe, strict=True)
    ]
    ranges = score_ranges(calls, expected, required=Required(held, of - held))
    return {name: one.value for name, one in ranges.items()}


def score_ranges(
    calls: Sequence[JudgedCall],
    expected: Sequence[ExpectedCall] | None = None,
    *,
    required: Required | None = None,
    hidden: bool = False,
) -> Mapping[str, ScoreRange]:
    """All scores of one trajectory, and where each would lie had everything been observed.

    Args:
        calls: as for `trajectory_scores`.
        expected: the same.
        required: how the `require` rules came out; None: there are none.
        hidden: whether more calls may have been made than are known.
    """
    ran = [call for call in calls if is_made(call)]
    found: dict[str, ScoreRange] = dict.fromkeys(SCORES, NONE)
    found["required_recall"] = _required_recall(required or Required())
    found["redundant_rate"] = anything("spans") if hidden else _redundant_rate(ran)
    found["error_rate"] = _error_rate(ran, hidden=hidden)
    if expected is not None:
        found.update(against(expected, calls, hidden=hidden))
    return found


def _required_recall(required: Required) -> ScoreRange:
    rules = required.held + required.failed + required.unchecked
    if not rules:
        return NONE
    at_best = required.held + required.unchecked
    return between(required.held / rules, at_best / rules, ("rules",))


def _redundant_rate(ran: Sequence[JudgedCall]) -> ScoreRange:
    """Calls whose arguments were not observed may equal any other of their tool, or none. Only tools called twice are looked at."""
    tools = Counter(call.call.tool for call in ran if not call.polling)
    repeated = [c.call for c in ran if not c.polling and tools[c.call.tool] > 1]
    signatures = [(call.tool, signature(call)) for call in repeated]
    known = {one for _, one in signatures if one is not None}
    unseen = [tool for tool, one in signatures if one is None]
    if not ran:
        return NONE
    alone = len(set(unseen) - {tool for tool, one in signatures if one is not None})
    most, least = len(repeated) - len(known) - alone, len(repeated) - len(known) - len(unseen)
    return between(least / len(ran), most / len(ran), ("arguments",))


def _error_rate(ran: Sequence[JudgedCall], *, hidden: bool) -> ScoreRange:
    """The share is told of calls with a known status; what it can be, of all of them."""
    statuses = Counter(call.call.status for call in ran)
    errors, unknown = statuses[Status.ERROR], statuses[Status.UNKNOWN]
    rate = share(errors, errors + statuses[Status.OK])
    if hidden:
        return ScoreRange(rate, missing=("spans",))
    if not unknown:
        return exactly(rate)
    return ScoreRange(rate, errors / len(ran), (errors + unknown) / len(ran), ("status",))
