"""What a gate says, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from toolscore_otel.gate import MEASURES, Comparison, Gate, NotCompared, Verdict, Why, runs_needed
from toolscore_otel.gate.measures import COST, LATENCY, TOKENS
from toolscore_otel.report.terminal import money, number, some, took

POINTS = 100
LARGE = 0.1
"""A drop that people ask about."""

NAMED = 3
"""Of what was not compared, in a notice."""

TOLD = "told"
"""Stands for the verdict of a number that nobody judges."""

VERDICTS = {
    Verdict.FAIL: "failed",
    Verdict.INCONCLUSIVE: "inconclusive",
    Verdict.PASS: "passed",
    None: TOLD,
}

Group = tuple[str, str]


def by_group(comparisons: Iterable[Comparison]) -> dict[Group, list[Comparison]]:
    """Comparisons by contract and model, those that failed first."""
    groups: dict[Group, list[Comparison]] = {}
    for one in comparisons:
        groups.setdefault((one.contract, one.model), []).append(one)
    order = list(VERDICTS)
    return {
        group: sorted(found, key=lambda one: order.index(one.verdict))
        for group, found in groups.items()
    }


def verdict_of(one: Comparison) -> str:
    """The verdict in a word."""
    return VERDICTS[one.verdict]


def numbers_of(one: Comparison) -> str:
    """The score before and now; shares in points out of 100."""
    said = _SAID.get(one.score, "{:.2f}".format) if one.score in MEASURES else _points
    return f"{said(one.old)} -> {said(one.new)}"


_SAID: Mapping[str, Callable[[float], str]] = {
    COST: money,
    LATENCY: took,
    TOKENS: lambda value: number(round(value)),
}


def drop_of(one: Comparison) -> str:
    """By how many points it dropped, and what the runs leave open; empty where nobody judges it. Measures rise, in percent."""
    if one.drop is None:
        return ""
    is_measure = one.score in MEASURES
    word, unit = ("rise", "%") if is_measure else ("drop", "")
    said = f"{word} {_points(one.drop)}{unit}"
    if one.low is not None and one.high is not None:
        said += f" ({_points(one.low)}{unit} to {_points(one.high)}{unit})"
    return said


def runs_of(one: Comparison) -> str:
    """How much it rests on."""
    said = (
        f"{some(one.scenarios, 'scenario')}, {number(one.runs[0])} and {some(one.runs[1], 'run')}"
    )
    if any(one.unknown):
        said += f", none in {number(one.unknown[0])} and {number(one.unknown[1])}"
    return said


def releases_of(one: Comparison) -> str:
    """The releases it was held against."""
    return ", ".join(one.releases)


def enough(gate: Gate) -> str:
    """How many runs it takes, where these cannot tell."""
    shares = [one for one in gate.comparisons if one.score not in MEASURES]
    allowed = max((one.allowed or 0.0 for one in shares), default=0.0)
    if (not_dropped := _not_dropped(gate)) is not None:
        return not_dropped
    runs = runs_needed(LARGE, scores=gate.told_apart, allowed=allowed)
    said = "these runs are too few to tell a drop from noise"
    if runs is None or all(one.verdict is None for one in shares):
        return said
    return f"{said}; with about {number(runs)} runs on each side a drop of {LARGE * POINTS:g} points is seen, mostly"


def _not_dropped(gate: Gate) -> str | None:
    """That no score that is left open dropped, and how many runs would let them pass; None where one did, or where none is."""
    left_open = [one for one in gate.comparisons if one.verdict is Verdict.INCONCLUSIVE]
    if not left_open or any(one.drop is None or one.drop > 0 for one in left_open):
        return None
    known = [one.passes_at for one in left_open if one.passes_at is not None]
    if len(known) < len(left_open):
        return "no drop seen; these runs are too few to be sure that there is none"
    return (
        f"no drop seen; {number(max(known))} runs of each side that go like these would let it pass"
    )


def why_not(one: NotCompared) -> str:
    """What was not compared, and why, as a sentence; names in backticks."""
    why = _WHY[one.why]
    if one.release is not None:
        why = f"release `{one.release}` has runs of it, and there is none now"
    return f"{_where(one)}: {why}"


def named(left_out: Sequence[NotCompared]) -> str:
    """What was not compared by its names in backticks; of many the first few, and how many more."""
    rest = len(left_out) - NAMED
    more = f" (and {number(rest)} more)" if rest > 0 else ""
    return "; ".join(_where(one) for one in left_out[:NAMED]) + more


def _where(one: NotCompared) -> str:
    where = f"`{one.contract}`, model `{one.model}`"
    if one.scenario is not None:
        where += f", scenario `{one.scenario or 'no name'}`"
    if one.score is not None:
        where += f", score `{one.score}`"
    return where


_WHY = {
    Why.NO_BASELINE: "no release before has a run of it, so that nothing was compared; `--accept` keeps these runs",
    Why.NO_RUN: "a release before has runs of it, and there is none now",
    Why.NOT_OBSERVED: "known on one side only",
    Why.OTHER_EXPECTATIONS: (
        "not comparable: the contract expects something else of it than when the baseline was accepted; "
        "`--accept` begins anew with these runs"
    ),
    Why.NO_COMMON_SCENARIO: "not comparable: both sides have runs, and no scenario is on both",
    Why.NOT_A_NUMBER: "not comparable: a score is NaN, infinite, or outside of 0 to 1, or a measure below 0",
}


def conclusion(gate: Gate) -> str:
    """In one sentence, how the gate ends."""
    judged = [one for one in gate.comparisons if one.verdict is not None]
    counts = ", ".join(
        f"{number(count)} {word}"
        for verdict, word in VERDICTS.items()
        if verdict is not None and (count := sum(one.verdict is verdict for one in judged))
    )
    refused = f" {some(len(gate.refused), 'comparison')} refused." if gate.refused else ""
    if not judged:
        return f"Gate of {gate.release}: nothing was compared.{refused}"
    said = _not_dropped(gate) if gate.verdict is Verdict.INCONCLUSIVE else None
    why = f" {said[0].upper()}{said[1:]}." if said else ""
    unit = " of the score before" if gate.max_drop.endswith("%") else " points"
    rise = "" if gate.max_rise is None else f", and a rise of {gate.max_rise * POINTS:g}%"
    return (
        f"Gate of {gate.release}: {VERDICTS[gate.verdict]}. A drop of {gate.max_drop}{unit} is allowed{rise}; "
        f"of {some(len(judged), 'score')} {counts}.{why}{refused}"
    )


def _points(share: float) -> str:
    return f"{share * POINTS:.1f}"
