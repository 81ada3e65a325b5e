"""Where tokens, money and time went, in the HTML report: by tool, agent and model, each with a bar for its share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from toolscore_otel.model import Status, ToolCall, Trajectory, Turn
from toolscore_otel.report.html_text import Html, joined, line, tag
from toolscore_otel.report.sums import Sum, count
from toolscore_otel.report.terminal import UNKNOWN, money, number, took


def used(turns: Sequence[Turn]) -> str:
    """What model calls used and cost, in one line; empty where there is none."""
    if not turns:
        return ""
    given, made = (Sum.of(getattr(turn.tokens, name) for turn in turns) for name in _PARTS)
    cost = Sum.of(turn.cost_usd for turn in turns)
    return f"{given.said(count)} tokens in, {made.said(count)} out, {cost.said(money)}"


_PARTS = ("input", "output")

Row = tuple[str, int, Sequence[Sum]]
"""A name, how many, and sums; the last is drawn."""


def spending_section(trajectories: Sequence[Trajectory]) -> Html:
    """The tables; nothing where there is no call of a tool or model."""
    turns = [turn for one in trajectories for turn in one.turns]
    calls = [call for one in trajectories for call in one.calls]
    if not (turns or calls):
        return Html()
    tables = [
        _table("tool", ("calls", "failed", "time", "cost"), _of_calls(calls), (count, took, money)),
        _table("agent", _OF_TURNS, _of_turns(turns, lambda turn: turn.agent), _FORMS),
        _table("model", _OF_TURNS, _of_turns(turns, lambda turn: turn.model), _FORMS),
    ]
    return tag(
        "section",
        tag("h2", "Where tokens, time and money went"),
        tag("div", *tables, class_="spending"),
        id="spending",
    )


_OF_TURNS = ("model calls", "tokens in", "tokens out", "cost")
_FORMS = (count, count, money)


def _of_calls(calls: Iterable[ToolCall]) -> list[Row]:
    groups: dict[str, list[ToolCall]] = {}
    for call in calls:
        groups.setdefault(call.tool or UNKNOWN, []).append(call)
    return [
        (
            name,
            len(each),
            (
                Sum.of(_failed(call) for call in each),
                Sum.of(call.duration_s for call in each),
                Sum.of(call.cost_usd for call in each),
            ),
        )
        for name, each in groups.items()
    ]


def _failed(call: ToolCall) -> int | None:
    return None if call.status is Status.UNKNOWN else int(call.status is Status.ERROR)


def _of_turns(turns: Iterable[Turn], of: Callable[[Turn], str | None]) -> list[Row]:
    groups: dict[str, list[Turn]] = {}
    for turn in turns:
        groups.setdefault(of(turn) or "not recorded", []).append(turn)
    return [
        (
            name,
            len(each),
            (
                *(Sum.of(getattr(turn.tokens, part) for turn in each) for part in _PARTS),
                Sum.of(turn.cost_usd for turn in each),
            ),
        )
        for name, each in groups.items()
    ]


def _table(
    what: str, heads: Sequence[str], rows: Sequence[Row], forms: Sequence[Callable[[float], str]]
) -> Html:
    """The rows with the most first: by the last sum of which anything is known, the first aside; its shares are drawn."""
    if not rows:
        return Html()
    places = range(len(forms) - 1, 0, -1)
    drawn = next((at for at in places if any(sums[at].value for _, _, sums in rows)), None)
    named = heads[0 if drawn is None else drawn + 1]

    def value(row: Row) -> float:
        return row[1] if drawn is None else row[2][drawn].value or 0.0

    whole = sum(value(row) for row in rows)
    shown = sorted(rows, key=value, reverse=True)
    head = tag("tr", *(tag("th", name) for name in (what, *heads)), tag("th", f"share of {named}"))
    lines = (
        tag(
            "tr",
            tag("th", line(name), scope="row"),
            tag("td", number(many)),
            *(tag("td", one.said(form)) for one, form in zip(sums, forms, strict=True)),
            tag(
                "td", tag("i", style=f"--w:{value((name, many, sums)) / whole:.4f}"), class_="share"
            ),
        )
        for name, many, sums in shown
    )
    return joined(tag("table", head, *lines))
