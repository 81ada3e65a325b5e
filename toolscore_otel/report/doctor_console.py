"""A diagnosis for people: what each instrumentation shows, what to switch on, what the gaps mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rich.console import Console
from rich.text import Text

from toolscore_otel.contracts import Contract
from toolscore_otel.engine.diagnosis import Diagnosis
from toolscore_otel.engine.observed import OF_CALLS, OF_MODELS, Fact, Observed, Sampling
from toolscore_otel.engine.report import Coverage
from toolscore_otel.model import Gap
from toolscore_otel.report.doctor_advice import Advice, advice
from toolscore_otel.report.doctor_rules import print_rules
from toolscore_otel.report.doctor_words import FACTS, GAPS, told
from toolscore_otel.report.terminal import (
    Column,
    Marks,
    in_columns,
    marks_of,
    number,
    print_wrapped,
    some,
)

INDENT = 2
BAR = 12
"""Columns of a bar."""

HALF = 38
"""Columns of one of the two facts on a line."""

Clean = Callable[[str], str]
"""Takes secrets and control characters out of a name that telemetry gives."""


def print_diagnosis(
    diagnosis: Diagnosis,
    contracts: Sequence[Contract],
    console: Console,
    clean: Clean,
    *,
    spans: int,
    logs: int,
) -> None:
    """Print a diagnosis.

    Args:
        diagnosis: of recorded telemetry.
        contracts: that it was asked of.
        console: where to.
        clean: takes secrets out of the names that telemetry gives.
        spans: how many were read.
        logs: how many log records were read.
    """
    coverage, traces = diagnosis.report.coverage, len(diagnosis.report.trajectories)
    read = f"{some(spans, 'span')}, {some(logs, 'log record')}, {some(traces, 'trace')}"
    print_wrapped(console, Text(read, "bold"))
    print_wrapped(console, Text(_covered(coverage), "bold" if coverage.requested else ""))
    if diagnosis.sampled is not None:
        print_wrapped(console, Text(_sampling(diagnosis.sampled)))
    for service, of_service in _by_service(diagnosis.observed).items():
        console.print()
        name = "without a name" if service is None else clean(service)
        print_wrapped(console, Text(f"Service {name}", "bold"))
        for one in of_service:
            found = advice(one, no_calls=not coverage.requested)
            _print_one(one, found, console, clean)
    _print_gaps(coverage, console)
    for contract in contracts:
        rules = [rule for rule in diagnosis.rules if rule.contract == contract.id]
        console.print()
        print_rules(contract, rules, console, clean)


def _by_service(observed: Iterable[Observed]) -> dict[str | None, list[Observed]]:
    found: dict[str | None, list[Observed]] = {}
    for one in observed:
        found.setdefault(one.origin.service, []).append(one)
    return found


def _covered(coverage: Coverage) -> str:
    """How much of what was asked for was seen to run."""
    if coverage.ratio is None:
        return (
            "No tool call. If the agent has tools, content capture is off, or its tools have no "
            "spans."
        )
    asked = some(coverage.requested, "tool call")
    return f"{asked}, of which {number(coverage.executed)} seen to run ({coverage.ratio:.0%})"


def _sampling(sampling: Sampling) -> str:
    by = ", ".join(sampling.by)
    who = (
        "1 span or record says"
        if sampling.items == 1
        else f"{number(sampling.items)} spans or records say"
    )
    told = f"{who} so by {by}"
    share = "" if sampling.kept is None else f", which kept {sampling.kept:.3g} of all"
    return f"Sampled on the way: {told}{share}. Whatever was left out cannot be judged."


def _print_one(one: Observed, found: Advice, console: Console, clean: Clean) -> None:
    marks = marks_of(console)
    console.print()
    scope = clean(f"{one.origin.scope} {one.origin.version}".strip())
    print_wrapped(console, Text(scope or "without a name", "bold"), indent=INDENT)
    print_wrapped(console, Text(_who(one, found)), indent=INDENT)
    print_wrapped(console, Text(_tells(one, clean)), indent=INDENT)
    digits = max((len(number(fact.of)) for fact in one.facts.values()), default=0)
    for pair in _in_pairs(one.facts):
        line = in_columns(
            [_fact(name, one.facts[name], marks, digits) if name else Text() for name in pair],
            [Column(HALF - 1), Column(console.width)],
        )
        console.print(Text(" " * 2 * INDENT).append_text(line), no_wrap=True, overflow="ellipsis")
    for text in _remarks(one, found):
        print_wrapped(console, text, indent=2 * INDENT)


def _who(one: Observed, found: Advice) -> str:
    conventions = ", ".join(one.conventions)
    known = f"{found.known.name}, " if found.known else ""
    return f"{known}convention {conventions}"


def _tells(one: Observed, clean: Clean) -> str:
    """Of what it tells."""
    parts: list[str] = []
    if one.requested:
        parts.append(f"{some(one.requested, 'call')}, {number(one.executed)} seen to run")
    parts += [f"{number(count)} of kind {kind}" for kind, count in one.others.items()]
    parts += [some(n, f"{what} span") for what, n in _spans(one) if n]
    if one.told:
        calls = some(one.told, "call")
        parts.append(f"{calls} of which another instrumentation tells more")
    beside = [f"{clean(scope)} tells of {n} of them, too" for scope, n in one.beside.items()]
    return "; ".join([", ".join(parts), *beside])


def _spans(one: Observed) -> tuple[tuple[str, int], ...]:
    return ("agent", one.agents), ("model", one.models)


def _in_pairs(facts: Iterable[str]) -> list[tuple[str, str]]:
    """Two columns, to be read downwards: what calls show, then what they show of their surroundings."""
    known = set(facts)
    left = [name for name in OF_CALLS[:5] if name in known]
    right = [name for name in (*OF_CALLS[5:], *OF_MODELS) if name in known]
    lines = max(len(left), len(right))
    if not left:
        return [(name, "") for name in right]
    left += [""] * (lines - len(left))
    right += [""] * (lines - len(right))
    return list(zip(left, right, strict=True))


def _fact(name: str, fact: Fact, marks: Marks, digits: int) -> Text:
    style = "green" if fact.observed == fact.of else "red" if not fact.observed else "yellow"
    return Text.assemble(
        f"{FACTS[name]:<13}",
        (_bar(fact, marks), style),
        f" {number(fact.observed):>{digits}} of {number(fact.of)}",
    )


def _bar(fact: Fact, marks: Marks) -> str:
    """The share that was observed; neither empty nor full where it is neither."""
    halves = round(2 * BAR * fact.observed / fact.of)
    if 0 < fact.observed < fact.of:
        halves = min(max(1, halves), 2 * BAR - 1)
    whole, half = divmod(halves, 2)
    return (marks.whole * whole + marks.left * half).ljust(BAR, marks.line)


def _remarks(one: Observed, found: Advice) -> Iterable[Text]:
    for name, fact in one.facts.items():
        if fact.truncated:
            yield Text(f"{FACTS[name]}: {number(fact.truncated)} cut off at the end")
        if fact.unparsable:
            yield Text(f"{FACTS[name]}: {number(fact.unparsable)} no JSON")
    if one.sampled is not None:
        yield Text(_sampling(one.sampled))
    for switch in found.switches:
        wanted = [FACTS[name] for name in switch.records if name in found.lacking]
        yield Text.assemble(f"for {_joined(wanted)}: ", (told(switch), "bold"))
    if found.never:
        yield Text(f"never recorded by it: {_joined([FACTS[name] for name in found.never])}")
    if found.known is None and found.lacking:
        yield Text(
            f"{_joined([FACTS[name] for name in found.lacking])}: nothing is known here of this "
            "instrumentation; its documentation may say how to record more."
        )
    if found.known is not None and found.known.note and (found.switches or found.never):
        yield Text(found.known.note)


def _joined(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _print_gaps(coverage: Coverage, console: Console) -> None:
    if not coverage.gaps:
        return
    console.print()
    console.print(Text("Gaps", "bold"))
    wide = max(map(len, coverage.gaps))
    for code, count in coverage.gaps.items():
        head = f"{code:<{wide}} {number(count):>6}  "
        lines = Text(GAPS[Gap(code)]).wrap(console, max(20, console.width - INDENT - len(head)))
        for at, line in enumerate(lines):
            line.rstrip()
            start = head if at == 0 else " " * len(head)
            console.print(Text(" " * INDENT + start).append_text(line))
