"""A gate for people at a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from toolscore_otel.gate import Comparison, Gate, Verdict
from toolscore_otel.report.gate_words import (
    by_group,
    conclusion,
    drop_of,
    numbers_of,
    releases_of,
    runs_of,
    verdict_of,
    why_not,
)
from toolscore_otel.report.terminal import plain, print_wrapped

INDENT = 2
_STYLES = {Verdict.FAIL: "bold red", Verdict.INCONCLUSIVE: "yellow"}


def print_gate(gate: Gate, console: Console) -> None:
    """Print a gate: each score of each model, what was not compared, and how it ends."""
    for (contract, model), comparisons in by_group(gate.comparisons).items():
        head = f"{contract}, model {model}, against {releases_of(comparisons[0])}"
        print_wrapped(console, Text(plain(head), "bold underline"))
        most = max(comparisons, key=lambda one: one.runs)
        print_wrapped(console, Text(runs_of(most)), indent=INDENT)
        wide = max(len(plain(one.score)) for one in comparisons)
        for one in comparisons:
            rest = "" if one.runs == most.runs else f", {one.runs[0]} and {one.runs[1]} runs"
            _print_score(one, console, wide, rest)
        console.print()
    if gate.not_compared:
        console.print(Text("Not compared", "bold"))
        for missing in gate.not_compared:
            print_wrapped(console, Text(plain(why_not(missing))), indent=INDENT)
        console.print()
    style = "bold red" if gate.verdict is Verdict.FAIL or gate.refused else "bold"
    print_wrapped(console, Text(plain(conclusion(gate)), style))


def _print_score(one: Comparison, console: Console, wide: int, rest: str) -> None:
    style = "" if one.verdict is None else _STYLES.get(one.verdict, "")
    line = Text.assemble(
        (f"{verdict_of(one):<14}", style),
        (plain(one.score).ljust(wide), "bold"),
        f"  {numbers_of(one)}",
    )
    if told := drop_of(one):
        line.append(f"  {told}")
    line.append(rest)
    print_wrapped(console, line, indent=INDENT)
