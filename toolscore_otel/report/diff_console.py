"""A comparison for people at a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from toolscore_otel.diffing import ScenarioDiff, State
from toolscore_otel.report.diff_words import STATES, by_state, conclusion, name_of, sides, title
from toolscore_otel.report.terminal import plain, print_wrapped

INDENT = 2


def print_diff(diffs: Sequence[ScenarioDiff], console: Console) -> None:
    """Print a comparison, scenario by scenario; changes are bold."""
    for diff in diffs:
        console.print(Text(plain(name_of(diff)), "bold underline"))
        print_wrapped(console, Text(sides(diff)), indent=INDENT)
        for state, differences in by_state(diff.differences).items():
            print_wrapped(console, Text(f"{STATES[state]}:"), indent=INDENT)
            style = "bold" if state is State.CHANGED else ""
            for one in differences:
                line = Text.assemble((plain(title(one)), style), f": {one.old} -> {one.new}")
                print_wrapped(console, line, indent=2 * INDENT)
        if not diff.differences:
            console.print(Text(" " * INDENT + "no difference"))
        console.print()
    console.print(Text(conclusion(diffs), "bold"))
