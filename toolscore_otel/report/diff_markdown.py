"""A comparison as Markdown, for a pull request: the changes of all scenarios in one table, the rest folded away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from toolscore_otel.diffing import Difference, ScenarioDiff, Side, State
from toolscore_otel.report.diff_words import STATES, conclusion, gathered, name_of, title
from toolscore_otel.report.markdown_text import code, escaped, prose, table
from toolscore_otel.report.terminal import money, number, took

ROWS = 25
"""Rows of one table; the rest is counted."""


def diff_markdown(diffs: Sequence[ScenarioDiff]) -> str:
    """A comparison as Markdown, with a line end."""
    lines = [f"### Tool calls: {escaped(conclusion(diffs))}"]
    for state, heading in STATES.items():
        if found := gathered(diffs, state):
            count = sum(len(told) for told in found)
            lines += ["", *_part(state, f"{number(count)} {heading}", found)]
    runs = [(code(name_of(diff)), *_runs(diff.old), *_runs(diff.new)) for diff in diffs]
    heads = ("scenario", *(f"{side}: {what}" for side in ("old", "new") for what in _OF_RUNS))
    rest = _rest(len(runs))
    lines += ["", *_folded("Runs", (*table(heads, runs[:ROWS]), *rest))]
    return "\n".join(lines) + "\n"


def _part(
    state: State, heading: str, found: Sequence[Sequence[tuple[ScenarioDiff, Difference]]]
) -> Iterator[str]:
    rows = (
        (prose(title(told[0][1])), _where(told), escaped(told[0][1].old), escaped(told[0][1].new))
        for told in found[:ROWS]
    )
    lines = (*table(("what", "scenario", "old", "new"), rows), *_rest(len(found)))
    yield from lines if state is State.CHANGED else _folded(heading, lines)


def _where(told: Sequence[tuple[ScenarioDiff, Difference]]) -> str:
    """The scenario whose numbers stand there, and how many others show the same."""
    more = f" and {number(len(told) - 1)} more" if len(told) > 1 else ""
    return f"{code(name_of(told[0][0]))}{more}"


def _folded(heading: str, lines: Iterable[str]) -> Iterator[str]:
    yield from (f"<details><summary>{escaped(heading)}</summary>", "", *lines, "", "</details>")


def _rest(count: int) -> Iterator[str]:
    if count > ROWS:
        yield from ("", f"and {number(count - ROWS)} more; `--format json` has all")


_OF_RUNS = ("runs", "calls", "duration", "cost")


def _runs(side: Side) -> tuple[str, ...]:
    known = (number(side.runs), number(side.calls), took(side.latency_s), money(side.cost_usd))
    return tuple(escaped(text) for text in known)
