"""The findings of the HTML report: numbered, by rule, each with a way to the call it sits on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from toolscore_otel.model import Finding, Label, Stage, ToolCall, Trajectory
from toolscore_otel.report.html_text import Html, joined, line, sentence, tag
from toolscore_otel.report.summary import by_rule, name_of
from toolscore_otel.report.terminal import number, plain, some

SHOWN = 3
"""How many findings of one rule stand there at once; the others are a click away."""

Key = tuple[str, str | None, str | None]
"""Trace id, span id and call id."""


class Numbered(Struct, frozen=True):
    """The findings that stand, numbered from 1 in the order in which they are shown.

    Attributes:
        all: those at `fail`, then what could not be checked.
        numbers: finding id -> number.
        sits: call -> the findings at `fail` that sit on it.
        calls: call -> id of its element.
        named: trace id, and call id or span id -> the same.
        traces: trace id -> id of its element.
    """

    all: tuple[Finding, ...]
    numbers: Mapping[str, int]
    sits: Mapping[Key, Sequence[Finding]]
    calls: Mapping[Key, str]
    named: Mapping[tuple[str, str | None], str]
    traces: Mapping[str, str]


def numbered(findings: Iterable[Finding], trajectories: Sequence[Trajectory]) -> Numbered:
    """Findings with their numbers, and the elements of the calls that they may sit on.

    Args:
        findings: corrections are left out.
        trajectories: in the order in which they are shown.
    """
    findings = list(findings)
    shown = [
        finding
        for label in (Label.FAIL, Label.CANNOT_CHECK)
        for group in by_rule(findings, label).values()
        for finding in group
    ]
    sits: dict[Key, list[Finding]] = {}
    for finding in shown:
        if finding.label is Label.FAIL:
            key = (finding.trace_id, finding.span_id, finding.call_id)
            sits.setdefault(key, []).append(finding)
    calls: dict[Key, str] = {}
    named: dict[tuple[str, str | None], str] = {}
    traces: dict[str, str] = {}
    for number_of_trace, one in enumerate(trajectories):
        traces.setdefault(one.trace_id, f"t{number_of_trace}")
        for number_of_call, call in enumerate(one.calls):
            element = element_of(number_of_trace, number_of_call)
            calls.setdefault(key_of(call), element)
            named.setdefault((call.trace_id, call.call_id or call.span_id), element)
    numbers = {finding.id: count for count, finding in enumerate(shown, start=1)}
    return Numbered(tuple(shown), numbers, sits, calls, named, traces)


def element_of(trace: int, call: int) -> str:
    """The id of a call's element."""
    return f"c{trace}-{call}"


def key_of(call: ToolCall) -> Key:
    """What a finding names a call by."""
    return (call.trace_id, call.span_id, call.call_id)


def findings_section(found: Numbered, label: Label) -> Html:
    """The findings of one label, rule by rule; nothing where there is none."""
    rules = by_rule(found.all, label)
    if not rules:
        return Html()
    count = sum(len(findings) for findings in rules.values())
    heading = some(count, "finding") if label is Label.FAIL else "Could not be checked"
    return tag(
        "section",
        tag("h2", heading),
        *(_rule(findings, found) for findings in rules.values()),
        class_="findings",
    )


def _rule(findings: Sequence[Finding], found: Numbered) -> Html:
    first = findings[0]
    items = [_item(finding, found) for finding in findings]
    rest = items[SHOWN:]
    return tag(
        "article",
        tag(
            "h3",
            severity(first) if first.label is Label.FAIL else "",
            tag("code", name_of(first)),
            tag("span", first.kind.replace("_", " "), class_="kind"),
            tag("em", "in shadow: fails nothing") if first.shadow else "",
        ),
        tag("ul", *items[:SHOWN]),
        tag("details", tag("summary", f"and {number(len(rest))} more"), tag("ul", *rest))
        if rest
        else "",
        tag("p", "What to do: ", _runbook(first.runbook)) if first.runbook else "",
    )


def severity(finding: Finding) -> Html:
    """Its severity as a sign with the word in it."""
    return tag("b", finding.severity.value, class_=f"severity {finding.severity}")


def _runbook(text: str) -> Html:
    if text.startswith(("https://", "http://")):
        return tag("a", line(text), href=line(text), rel="noreferrer")
    return line(text)


def _item(finding: Finding, found: Numbered) -> Html:
    count = found.numbers[finding.id]
    return tag(
        "li",
        tag("span", f"{count}", class_="number"),
        sentence(finding.explanation),
        tag("div", *_where(finding, found), class_="where"),
        id=f"f{count}",
        data_t=line(finding.tool or ""),
        data_a=line(finding.agent or ""),
        data_s=finding.severity.rank,
    )


def _where(finding: Finding, found: Numbered) -> Iterator[Html]:
    """Where it sits, as links where that is on the page."""
    call = found.calls.get((finding.trace_id, finding.span_id, finding.call_id))
    yield from _known("tool", finding.tool, call)
    yield from _known("agent", finding.agent)
    yield from _known("at", finding.path)
    yield from _known("call", finding.call_id, call)
    if finding.call_id is None:
        yield from _known("span", finding.span_id, call)
    yield from _known("trace", finding.trace_id, found.traces.get(finding.trace_id))
    if finding.count > 1:
        yield tag("span", some(finding.count, "call"))
        for word, name in (("first", finding.first), ("last", finding.last)):
            yield from _known(word, name, found.named.get((finding.trace_id, name)))
    yield from _known("fingerprint", finding.fingerprint)
    if finding.stage is Stage.REQUESTED:
        yield tag("span", "asked for, not seen to run")
    for name, value in finding.labels.items():
        yield from _known(name, value)


def _known(name: str, value: str | None, element: str | None = None) -> Iterator[Html]:
    if value:
        shown = tag("code", line(value))
        inside = tag("a", shown, href=f"#{element}") if element else shown
        yield tag("span", joined(plain(name), " ", inside))
