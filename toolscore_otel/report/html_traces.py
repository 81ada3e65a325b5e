"""One trace of the HTML report: what is known of it, its calls as bars on one time axis, and each call to look into."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from toolscore_otel.model import Label, Score, Status, ToolCall, Trajectory, Turn
from toolscore_otel.report.html_call import call_row
from toolscore_otel.report.html_findings import Numbered, element_of, key_of, severity
from toolscore_otel.report.html_lanes import Member, lanes
from toolscore_otel.report.html_spending import used
from toolscore_otel.report.html_text import Html, line, sentence, tag
from toolscore_otel.report.html_time import Axis
from toolscore_otel.report.scores import value_of
from toolscore_otel.report.terminal import UNKNOWN, money, number, plain, some, took

LOT = 50
"""Calls that are drawn, or not drawn, at once."""


def trace_section(
    count: int,
    trajectory: Trajectory,
    found: Numbered,
    scores: Sequence[Score],
    *,
    is_open: bool,
) -> Html:
    """One trace.

    Args:
        count: its place among all of them, from 0.
        trajectory: without secrets.
        found: the findings of all of them.
        scores: of this one.
        is_open: from the start.
    """
    axis = Axis.of(trajectory.calls)
    agents = _agents(count, trajectory.calls, found)
    parts: list[Html] = []
    if axis is not None and len(trajectory.calls) > 1:
        parts.append(lanes(agents, axis))
    if trajectory.calls:
        parts.append(_head(axis))
    turns = _turns(trajectory.turns)
    for name, members in agents.items():
        rows = [call_row(element, call, found, axis) for element, call, _ in members]
        said = _agent(name, members, turns.get(_whose(members[0][1]), ()))
        parts.append(tag("div", tag("h4", said), *_lots(rows), class_="agent"))
    return tag(
        "details",
        tag("summary", *_summary(trajectory, found)),
        tag("p", *_facts(trajectory), class_="facts"),
        *parts,
        *([_scores(scores)] if scores else []),
        id=f"t{count}",
        class_="trace",
        open=is_open,
    )


def _agents(count: int, calls: Sequence[ToolCall], found: Numbered) -> dict[str, list[Member]]:
    """Calls by agent invocation, under a name that tells invocations of one agent apart."""
    groups: dict[str, list[Member]] = {}
    for place, call in enumerate(calls):
        said = found.sits.get(key_of(call), ())
        worst = max((f.severity for f in said), key=lambda s: s.rank, default=None)
        member = (element_of(count, place), call, worst)
        groups.setdefault(_whose(call), []).append(member)
    named: dict[str, list[Member]] = {}
    for members in groups.values():
        agent = plain(members[0][1].agent or "agent not recorded")
        name, other = agent, 1
        while name in named:
            other += 1
            name = f"{agent} ({other})"
        named[name] = members
    return named


def _lots(rows: Sequence[Html]) -> Iterator[Html]:
    """Rows in lots of which the browser draws only those that are seen."""
    for at in range(0, len(rows), LOT):
        lot = rows[at : at + LOT]
        yield tag("div", *lot, class_="lot", style=f"--n:{len(lot)}")


def _whose(one: ToolCall | Turn) -> str:
    """What tells the agent invocation of a call, of a tool or a model, from others of its trace."""
    return one.invocation_id or one.agent or ""


def _turns(turns: Iterable[Turn]) -> Mapping[str, Sequence[Turn]]:
    groups: dict[str, list[Turn]] = {}
    for turn in turns:
        groups.setdefault(_whose(turn), []).append(turn)
    return groups


def _agent(name: str, members: Sequence[Member], turns: Sequence[Turn]) -> str:
    failed = sum(call.status is Status.ERROR for _, call, _ in members)
    failures = f"{number(failed)} failed" if failed else ""
    said = (name, some(len(members), "call"), failures, used(turns))
    return ", ".join(part for part in said if part)


def _summary(trajectory: Trajectory, found: Numbered) -> Iterator[Html]:
    what = trajectory.scenario or trajectory.agent or trajectory.service or "trace"
    yield tag("strong", line(what))
    if trajectory.trace_id:
        yield tag("code", line(trajectory.trace_id))
    calls = trajectory.calls
    failed = sum(call.status is Status.ERROR for call in calls)
    yield tag("span", some(len(calls), "call"))
    if failed:
        yield tag("span", f"{number(failed)} failed", class_="bad")
    yield tag("span", f"took {took(trajectory.latency_s)}")
    yield tag("span", f"cost {money(trajectory.cost_usd)}")
    worst = [
        finding
        for one in dict.fromkeys(key_of(call) for call in calls)
        for finding in found.sits.get(one, ())
    ] + list(found.sits.get((trajectory.trace_id, None, None), ()))
    if worst:
        yield severity(max(worst, key=lambda finding: finding.severity.rank))
        yield tag("span", some(len(worst), "finding"))


def _facts(trajectory: Trajectory) -> Iterator[Html]:
    tokens = trajectory.tokens
    known = (
        ("service", trajectory.service),
        ("environment", trajectory.environment),
        ("agent", trajectory.agent),
        ("conversation", trajectory.conversation_id),
        ("at work", took(trajectory.active_s)),
        ("tokens in", number(tokens.input)),
        ("out", number(tokens.output)),
        ("cached", None if tokens.cached is None else number(tokens.cached)),
        ("cache writes", None if tokens.cache_write is None else number(tokens.cache_write)),
        ("reasoning", None if tokens.reasoning is None else number(tokens.reasoning)),
        ("cost comes from", trajectory.cost_source),
        ("known to lack calls", "yes" if trajectory.incomplete else None),
        ("gaps", ", ".join(gap.replace("_", " ") for gap in trajectory.gaps)),
    )
    for name, value in known:
        if value:
            yield tag("span", f"{name} ", tag("b", line(value)))


def _scores(scores: Sequence[Score]) -> Html:
    """All scores of a trace; how many of them are beyond a bound is said from the start."""
    beyond = sum(score.label is Label.FAIL for score in scores)
    rows = (
        tag(
            "tr",
            tag("td", f"{score.contract or ''} {score.name}".strip()),
            tag("td", value_of(score.value)),
            tag("td", _SAID[score.label], class_="bad" if score.label is Label.FAIL else None),
            tag("td", sentence(score.explanation)),
        )
        for score in scores
    )
    told = [" ", tag("span", f"{number(beyond)} beyond a bound", class_="bad")] if beyond else []
    head = tag("tr", *(tag("th", name) for name in ("score", "value", "bound", "")))
    summary = tag("summary", some(len(scores), "score"), *told)
    return tag("details", summary, tag("table", head, *rows), class_="scores")


_SAID: Mapping[Label | None, str] = {
    None: "",
    Label.PASS: "held",
    Label.FAIL: "failed",
    Label.CANNOT_CHECK: "cannot be checked",
}


def _head(axis: Axis | None) -> Html:
    """Names of the columns, and the numbers of the time axis."""
    return tag(
        "div",
        tag("span", "", class_="st"),
        tag("span", "tool", class_="tool"),
        tag("span", "arguments", class_="args"),
        tag("span", *(axis.ticks() if axis else [UNKNOWN]), class_="track"),
        tag("span", "took", class_="took"),
        tag("span", "cost", class_="cost"),
        tag("span", "finding", class_="marks"),
        class_="head",
        aria_hidden="true",
    )
