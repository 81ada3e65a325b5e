"""`min` and `max` of `expect`: how good scores must be (docs/pages/clauses/scores.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from toolscore_otel.matchers import MatcherError
from toolscore_otel.metrics.score_range import ScoreRange
from toolscore_otel.metrics.trajectory_scores import ALWAYS
from toolscore_otel.model import FindingKind, Label
from toolscore_otel.rules.expectation import Bound
from toolscore_otel.rules.shape import Verdict
from toolscore_otel.rules.wording import because

Share = Annotated[float, Meta(ge=0, le=1)]


class ScoreBounds(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Bounds of scores, 0 to 1. All but `required_recall`, `redundant_rate` and `error_rate` need `calls`.

    Attributes:
        selection_precision: share of the made calls that are expected ones.
        selection_recall: share of the expected calls that were made.
        selection_f1: both in one.
        argument_f1: how many fields of the arguments are right, over all pairs of calls.
        argument_exact: share of the pairs of calls of which all arguments are right.
        required_recall: share of the `require` rules that hold.
        edit_distance: how far apart the two sequences of tools are; lower is better.
        order: how much of the expected order was kept.
        redundant_rate: share of the calls that equal an earlier one; lower is better.
        error_rate: share of the calls that failed; lower is better.
        hard_fail: 1 where a mutating tool was called that is not expected, else 0.
    """

    selection_precision: Share | UnsetType = UNSET
    selection_recall: Share | UnsetType = UNSET
    selection_f1: Share | UnsetType = UNSET
    argument_f1: Share | UnsetType = UNSET
    argument_exact: Share | UnsetType = UNSET
    required_recall: Share | UnsetType = UNSET
    edit_distance: Share | UnsetType = UNSET
    order: Share | UnsetType = UNSET
    redundant_rate: Share | UnsetType = UNSET
    error_rate: Share | UnsetType = UNSET
    hard_fail: Share | UnsetType = UNSET

    def given(self) -> dict[str, float]:
        """The bounds, by score."""
        pairs = ((name, getattr(self, name)) for name in self.__struct_fields__)
        return {name: value for name, value in pairs if value is not UNSET}


def bounds_of(
    least: ScoreBounds | UnsetType, most: ScoreBounds | UnsetType, *, has_calls: bool
) -> Mapping[str, Bound]:
    """`min` and `max`, by score.

    Raises:
        MatcherError: they name no score, cannot both hold, or need `calls` that are not there.
    """
    lows, highs = _named("min", least), _named("max", most)
    for key, bounds in (("min", lows), ("max", highs)):
        for name, value in bounds.items():
            if not 0 <= value <= 1:
                raise MatcherError((key, name), f"`{name}` is a score, 0 to 1")
            if not has_calls and name not in ALWAYS:
                raise MatcherError((key, name), f"`{name}` needs `calls` to be held against")
    for name in lows.keys() & highs.keys():
        if highs[name] < lows[name]:
            message = (
                f"`{name}` may be {highs[name]:g} at most, which is below its `min`, {lows[name]:g}"
            )
            raise MatcherError(("max", name), message)
    return {name: Bound(lows.get(name, 0.0), highs.get(name, 1.0)) for name in {**lows, **highs}}


def _named(key: str, bounds: ScoreBounds | UnsetType) -> dict[str, float]:
    if bounds is UNSET:
        return {}
    if not (given := bounds.given()):
        raise MatcherError((key,), f"`{key}` names no score")
    return given


def beyond(
    bounds: Mapping[str, Bound], scores: Mapping[str, ScoreRange], reason: str | None
) -> dict[str, Verdict | None]:
    """What is to be said of scores that are told, by kind.

    Args:
        bounds: by score.
        scores: of a trajectory; one that could not be worked out is not there.
        reason: of the rule.
    """
    told = [(name, bound, scores[name]) for name, bound in bounds.items() if name in scores]
    applying = [one for one in told if one[2].applies]
    below = [(name, bound.least, one, bound.below(one)) for name, bound, one in applying]
    above = [(name, bound.most, one, bound.above(one)) for name, bound, one in applying]
    return {
        FindingKind.SCORE_BELOW.value: _verdict(FindingKind.SCORE_BELOW, "below", below, reason),
        FindingKind.SCORE_ABOVE.value: _verdict(FindingKind.SCORE_ABOVE, "above", above, reason),
    }


_Told = tuple[str, float, ScoreRange, Label]


def _verdict(kind: FindingKind, word: str, told: list[_Told], reason: str | None) -> Verdict | None:
    failed = [one for one in told if one[3] is Label.FAIL]
    if failed:
        text = "; ".join(f"{_is(name, one)}, {word} {bound:g}" for name, bound, one, _ in failed)
        return Verdict(label=Label.FAIL, kind=kind, explanation=because(text, reason))
    unsure = [one for one in told if one[3] is Label.CANNOT_CHECK]
    if not unsure:
        return None
    names = " and ".join(f"`{name}`" for name, *_ in unsure)
    missing = dict.fromkeys(word for _, _, one, _ in unsure for word in one.missing)
    return Verdict(
        label=Label.CANNOT_CHECK,
        kind=kind,
        explanation=f"whether {names} is {word} its bound",
        missing=tuple(missing),
    )


def _is(name: str, one: ScoreRange) -> str:
    if one.low == one.high:
        return f"`{name}` is {one.low:.3g}"
    return f"`{name}` is {one.low:.3g} to {one.high:.3g}"
