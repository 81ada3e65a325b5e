"""A comparison as Markdown, for a pull request: changes in tables, the rest folded away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolscore_otel.diffing import Difference, ScenarioDiff, State
from toolscore_otel.report.diff_words import STATES, by_state, conclusion, name_of, sides, title
from toolscore_otel.report.markdown_text import code, escaped, prose, table
from toolscore_otel.report.terminal import number

ROWS = 100
"""Rows of one table; the rest is counted."""


def diff_markdown(diffs: Sequence[ScenarioDiff]) -> str:
    """A comparison as Markdown, with a line end."""
    lines = [f"### Tool calls: {escaped(conclusion(diffs))}"]
    quiet = [diff for diff in diffs if not diff.differences]
    for diff in diffs:
        if diff.differences:
            lines += _scenario(diff)
    if quiet:
        names = ", ".join(code(name_of(diff)) for diff in quiet)
        lines += ["", f"No difference: {names}"]
    return "\n".join(lines) + "\n"


def _scenario(diff: ScenarioDiff) -> Iterator[str]:
    yield from ("", f"#### {code(name_of(diff))}", "", escaped(sides(diff)))
    for state, differences in by_state(diff.differences).items():
        yield ""
        if state is State.CHANGED:
            yield from _rows(differences)
        else:
            said = f"{number(len(differences))} {STATES[state]}"
            yield from (f"<details><summary>{escaped(said)}</summary>", "")
            yield from _rows(differences)
            yield from ("", "</details>")


def _rows(differences: Sequence[Difference]) -> Iterator[str]:
    rows = ((prose(title(one)), escaped(one.old), escaped(one.new)) for one in differences[:ROWS])
    yield from table(("what", "old", "new"), rows)
    if len(differences) > ROWS:
        yield from ("", f"and {number(len(differences) - ROWS)} more; `--format json` has all")
