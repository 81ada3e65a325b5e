"""Budgets of more than one call (docs/pages/clauses/budget.md), as far as calls alone give them."""

from typing import Any

from tests.contracts.naive.logic import World, worlds
from tests.contracts.naive.said import PASS, TRAJECTORY, Said
from tests.contracts.naive.selecting import MS, Seen
from tests.contracts.naive.tracks import Track
from toolscore_otel.model import CallKind

LIMITS = ("latency_ms", "active_ms", "tokens", "cost_usd", "calls")
Judged = bool | None
"""Whether a limit is passed; None where it cannot be checked."""


def budget(track: Track, item: dict[str, Any]) -> Said:
    """All limits of an item: findings differ by limit, their subject is the trajectory."""
    found = {
        answer
        for limit in LIMITS
        if limit in item
        for answer in (_decided(worlds(lambda world, of=limit: _passed(track, item, of, world))),)
    }
    return Said(frozenset([TRAJECTORY]) if True in found else PASS, None in found)


def _decided(answers: list[Judged]) -> Judged:
    return answers[0] if len(set(answers)) == 1 else None


def _passed(track: Track, item: dict[str, Any], limit: str, world: World) -> Judged:
    most = item[limit]
    if item["of"] == "tool":
        keys = {key: value for key, value in item.items() if key not in LIMITS}
        ours = [s for s in track.calls if track.counts(keys, s, "executed", world)]
    else:
        ours = [s for s in track.calls if s.ran]
    if limit == "calls":
        return sum(s.call.kind is CallKind.TOOL for s in ours) > most
    if limit == "tokens":
        return None
    if limit == "cost_usd":
        return _cost(ours, most, of_tools=item["of"] == "tool")
    if limit == "active_ms":
        ours = [s for s in ours if not s.entries[0].get("labels", []).count("human_approval")]
        if _active(ours) > most * MS:
            return True
        return None if any(s.duration_ms is None for s in ours) else False
    return _latency(track, item, ours, most)


def _cost(ours: list[Seen], most: float, *, of_tools: bool) -> Judged:
    known = [s.cost for s in ours if s.cost is not None]
    if not known:
        return None if any(of_tools or s.call.kind is CallKind.TOOL for s in ours) else False
    return round(sum(known), 12) > most


def _latency(track: Track, item: dict[str, Any], ours: list[Seen], most: float) -> Judged:
    if item["of"] == "tool":
        known = [s.duration_ms for s in ours if s.duration_ms is not None]
        return True if sum(known) > most else None if len(known) < len(ours) else False
    calls = [s.call for s in track.calls]
    known = [at for c in calls for at in (c.start_ns, c.end_ns) if at is not None]
    if known and max(known) - min(known) > most * MS:
        return True
    return None if not calls or len(known) < 2 * len(calls) else False


def _active(ours: list[Seen]) -> int:
    """The length of the union, as far as it is known."""
    total, reached = 0, 0
    intervals = sorted(
        (s.call.start_ns, s.call.end_ns)
        for s in ours
        if s.call.start_ns is not None and s.call.end_ns is not None
    )
    for start, end in intervals:
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total
