"""The rules of a contract for people: which can be checked here, what is missing, and what to switch on for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rich.console import Console
from rich.text import Text

from toolscore_otel.contracts import Contract
from toolscore_otel.engine.checkable import Checkable, Missing
from toolscore_otel.report.doctor_advice import Turn, turns
from toolscore_otel.report.doctor_words import CUT, EVIDENCE, told
from toolscore_otel.report.terminal import Marks, marks_of, number, plain, print_wrapped, some
from toolscore_otel.rules.wording import SWITCH

INDENT = 2
LONGEST = 28
"""Columns of a rule's name before the answer moves to the right."""

_STYLES = {"yes": "green", "partly": "yellow", "no": "red", "open": "default"}


def print_rules(
    contract: Contract,
    rules: Sequence[Checkable],
    console: Console,
    clean: Callable[[str], str],
) -> None:
    """Print the rules of one contract.

    Args:
        contract: whose.
        rules: of it, in its order.
        console: where to.
        clean: takes secrets and control characters out of a name that telemetry gives.
    """
    print_wrapped(console, Text(_headline(contract, rules), "bold"))
    marks = marks_of(console)
    wide = min(LONGEST, max(len(plain(rule.rule)) for rule in rules))
    for rule in rules:
        name = plain(rule.rule)
        line = Text.assemble(
            (_mark(rule, marks), f"bold {_STYLES[rule.answer]}"),
            f" {name:<{wide}}  ",
            (f"{rule.answer:<6}", _STYLES[rule.answer]),
            f"  {_counted(rule)}",
        )
        print_wrapped(console, line, indent=INDENT)
        for missing in rule.missing:
            print_wrapped(console, Text(_lacks(missing)), indent=3 * INDENT)
        if rule.unchecked and not rule.missing:
            print_wrapped(console, Text(plain(rule.said)), indent=3 * INDENT)
    _print_switches(rules, console, clean)


def _headline(contract: Contract, rules: Sequence[Checkable]) -> str:
    yes = sum(rule.answer == "yes" for rule in rules)
    partly = sum(rule.answer == "partly" for rule in rules)
    some_partly = f", {number(partly)} in part" if partly else ""
    return f"Contract {plain(contract.id)}: {number(yes)} of {some(len(rules), 'rule')} can be checked{some_partly}"


def _mark(rule: Checkable, marks: Marks) -> str:
    return {"yes": marks.ok, "partly": "~", "no": marks.error, "open": marks.unknown}[rule.answer]


def _counted(rule: Checkable) -> str:
    if not rule.of:
        return "" if rule.missing else "no call was recorded that would tell"
    if not rule.tried:
        return f"no call of it here; {number(rule.can)} of {number(rule.of)} others"
    return f"{number(rule.can)} of {some(rule.of, rule.unit)}"


def _lacks(missing: Missing) -> str:
    how = "not observed, or cut" if missing.evidence in CUT else "not observed"
    return f"{_called(missing)} {how}, of {some(missing.count, missing.unit)}"


def _print_switches(
    rules: Iterable[Checkable], console: Console, clean: Callable[[str], str]
) -> None:
    """Each switch once, with the rules that it is for; then what nothing can be switched for."""
    switches: dict[tuple[str, str], dict[str, None]] = {}
    others: dict[str, dict[str, None]] = {}
    for rule in rules:
        for missing in rule.missing:
            found = list(turns(missing))
            for turn in found:
                if turn.switch is not None:
                    what = f"{_called(missing)} from {_name(turn, clean)}"
                    switches.setdefault((what, told(turn.switch)), {})[plain(rule.rule)] = None
            for said in _without_switch(missing, found, clean):
                others.setdefault(said, {})[plain(rule.rule)] = None
    if switches or others:
        console.print(Text("  To check more", "bold"))
    for (what, how), names in switches.items():
        print_wrapped(console, Text(f"{what}, for {', '.join(names)}:"), indent=2 * INDENT)
        print_wrapped(console, Text(how, "bold"), indent=3 * INDENT)
    for said, names in others.items():
        print_wrapped(console, Text(f"{said}, for {', '.join(names)}"), indent=2 * INDENT)


def _without_switch(
    missing: Missing, found: Sequence[Turn], clean: Callable[[str], str]
) -> Iterable[str]:
    for turn in found:
        if turn.never and turn.switch is None:
            yield f"{_called(missing)}: {_name(turn, clean)} never records this"
    if all(turn.switch is None and not turn.never for turn in found):
        yield f"{_called(missing)}: {SWITCH[missing.evidence]}"


def _called(missing: Missing) -> str:
    return EVIDENCE.get(missing.evidence, missing.evidence)


def _name(turn: Turn, clean: Callable[[str], str]) -> str:
    return turn.name or f"{clean(turn.scope)} {clean(turn.version)}".strip()
