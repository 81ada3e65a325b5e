"""What a comparison says, in words."""

from __future__ import annotations

from collections.abc import Sequence

from toolscore_otel.diffing import Difference, Kind, ScenarioDiff, State
from toolscore_otel.report.terminal import UNKNOWN, money, number, some, took

STATES = {
    State.CHANGED: "changed",
    State.NOT_OBSERVED: "not known, since one side does not show it, or not often enough",
    State.FLAPS: "flaps in the old runs, no change",
}
"""Headings, in the order in which they are shown."""

_TITLES = {
    Kind.SCENARIO: "runs",
    Kind.OUTCOME: "how a run ends",
    Kind.STATUS: "how calls of `{tool}` end",
    Kind.TOOL_GONE: "tool `{tool}` is gone",
    Kind.TOOL_APPEARED: "tool `{tool}` appeared",
    Kind.ARGUMENT_GONE: "argument `{path}` of `{tool}` is gone",
    Kind.ARGUMENT_APPEARED: "argument `{path}` of `{tool}` appeared",
    Kind.ARGUMENT_TYPE: "type of argument `{path}` of `{tool}`",
    Kind.ARGUMENT_GIVEN: "how often `{tool}` is given argument `{path}`",
    Kind.ORDER: "`{tool}` before `{path}`",
    Kind.PARALLEL: "calls of one agent",
    Kind.CALLS: "calls of `{tool}` in a run",
    Kind.COST: "cost of a run",
    Kind.LATENCY: "duration of a run",
    Kind.TOKENS: "tokens of a run",
}


def title(difference: Difference) -> str:
    """What is different, names in backticks."""
    if difference.state is State.CHANGED:
        return _title(difference)
    neutral = {
        Kind.TOOL_APPEARED: "tool `{tool}`",
        Kind.TOOL_GONE: "tool `{tool}`",
        Kind.ARGUMENT_APPEARED: "argument `{path}` of `{tool}`",
        Kind.ARGUMENT_GONE: "argument `{path}` of `{tool}`",
    }
    return _title(difference, neutral.get(difference.kind))


def _title(difference: Difference, words: str | None = None) -> str:
    if difference.kind is Kind.ARGUMENT_TYPE and difference.path is None:
        words = "arguments of `{tool}`"
    told = words or _TITLES[difference.kind]
    return told.format(tool=difference.tool, path=difference.path)


def by_state(differences: Sequence[Difference]) -> dict[State, list[Difference]]:
    """Differences by what is known of them, changes first."""
    return {
        state: told
        for state in STATES
        if (told := [one for one in differences if one.state is state])
    }


def gathered(
    diffs: Sequence[ScenarioDiff], state: State
) -> list[list[tuple[ScenarioDiff, Difference]]]:
    """Differences of one state, each with all scenarios that show it: what weighs most, then what most of them show."""
    found: dict[tuple[Kind, str], list[tuple[ScenarioDiff, Difference]]] = {}
    for diff in diffs:
        for one in diff.differences:
            if one.state is state:
                found.setdefault((one.kind, title(one)), []).append((diff, one))
    ranks = list(Kind)
    return sorted(found.values(), key=lambda told: (ranks.index(told[0][1].kind), -len(told)))


def name_of(diff: ScenarioDiff) -> str:
    """The name of a scenario."""
    return diff.scenario or "all runs"


def sides(diff: ScenarioDiff) -> str:
    """The sums of both sides."""
    return "; ".join(
        f"{word} {some(side.runs, 'run')}, {some(side.calls, 'call')}, "
        f"{_known(took(side.latency_s), 'duration')}, {_known(money(side.cost_usd), 'cost')}"
        for word, side in (("old:", diff.old), ("new:", diff.new))
    )


def _known(text: str, what: str) -> str:
    return f"{what} not known" if text == UNKNOWN else text


def conclusion(diffs: Sequence[ScenarioDiff]) -> str:
    """In one sentence, how much changed."""
    changed = sum(len(diff.changed) for diff in diffs)
    within = sum(1 for diff in diffs if diff.changed)
    said = (
        f"in {within} of {some(len(diffs), 'scenario')}"
        if changed
        else f"in {some(len(diffs), 'scenario')}"
    )
    unknown = sum(one.state is State.NOT_OBSERVED for diff in diffs for one in diff.differences)
    rest = f", {number(unknown)} not known" if unknown else ""
    alone = sum(diff.old.runs == 1 for diff in diffs)
    rest += f"; {number(alone)} with one old run, which shows no noise" if alone else ""
    return f"{some(changed, 'change') if changed else 'no change seen'} {said}{rest}"
