"""Limits (docs/pages/clauses/limit.md)."""

from typing import Any

from tests.contracts.naive.logic import World
from tests.contracts.naive.said import Outcome, Said, one_for_all, runs
from tests.contracts.naive.selecting import MS, Seen
from tests.contracts.naive.tracks import Track
from tests.contracts.naive.values import ABSENT, UNKNOWN, canonical, is_number, look_up

_UNITS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}
SCOPES = ("trace", "agent", "session")


def window_ns(per: str | None) -> int | None:
    """The length of a window, or None where `per` names a scope."""
    if per is None or per in SCOPES:
        return None
    unit = per.lstrip("0123456789.")
    return round(float(per.removesuffix(unit)) * _UNITS[unit] * MS)


def limit(track: Track, item: dict[str, Any]) -> Said:
    length = window_ns(item.get("per"))

    def judge(world: World) -> Outcome:
        ours = [s for s in track.calls if track.counts(item, s, "executed", world)]
        found: list[str] = []
        passing = False
        for place, look in enumerate(ours):
            counted = [s for s in ours[: place + 1] if length is None or _within(length, s, look)]
            passed = _amount(item, counted, world) > item["max"]
            if passed and not passing:
                found.append(look.subject)
            passing = passed
            if passed and length is None:
                break
        return frozenset(found)

    return one_for_all(track, judge) if length is None else runs(track, judge)


def _within(length: int, seen: Seen, look: Seen) -> bool:
    return (look.call.start_ns or 0) - (seen.call.start_ns or 0) <= length


def _amount(item: dict[str, Any], calls: list[Seen], world: World) -> float:
    if "sum" in item:
        return sum(_summed(item["sum"], s, world) for s in calls)
    if "distinct" in item:
        values = {_told(item["distinct"], s, world) for s in calls}
        return len(values - {None})
    return len(calls)


def _value(path: str, seen: Seen) -> Any:
    return next(look_up(seen.args, path.removeprefix("args.")))


def _summed(path: str, seen: Seen, world: World) -> float:
    value = _value(path, seen)
    if value is ABSENT:
        return 0
    return value if is_number(value) else world.choose(("amount", seen.at), (0, float("inf")))


def _told(path: str, seen: Seen, world: World) -> str | None:
    """A value as text; one that was not observed may be absent, or like no other."""
    value = _value(path, seen)
    if value is UNKNOWN:
        return world.choose(("value", seen.at), (None, f"of {seen.at}"))
    return None if value is ABSENT else canonical(value)
