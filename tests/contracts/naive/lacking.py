"""Rules about what must have happened, and in which order (docs/pages/clauses/require.md, order.md)."""

from itertools import permutations
from typing import Any

from tests.contracts.naive.logic import World
from tests.contracts.naive.said import PASS, TRAJECTORY, Outcome, Said, each_by_itself, one_for_all
from tests.contracts.naive.selecting import MS, Seen, matches, selector_of
from tests.contracts.naive.tracks import Track
from toolscore_otel.model import CallKind


def require(track: Track, item: Any) -> Said:
    item = {"tool": item} if isinstance(item, str) else item
    if "by" in item:
        rule = _required_before if "before" in item["by"] else _required_within
    else:
        rule = _required

    def judge(world: World) -> Outcome:
        if "if" in item and not any(_holds(track, item["if"], s, world) for s in track.calls):
            return PASS
        return rule(track, item, world)

    return one_for_all(track, judge, lacks=True)


def _holds(track: Track, condition: Any, seen: Seen, world: World) -> bool:
    answer = matches(selector_of(condition), seen, stage="executed")
    return world.settle(answer, ("if", seen.at))


def _required(track: Track, item: dict[str, Any], world: World) -> Outcome:
    found = [s for s in track.calls if track.ran(item, s, world)]
    if len(found) < item.get("min", 1):
        return frozenset([TRAJECTORY])
    seen = [s for s in found if s.at not in world.ran]
    if "max" in item and len(seen) > item["max"]:
        return frozenset([seen[item["max"]].subject])
    return PASS


def _required_before(track: Track, item: dict[str, Any], world: World) -> Outcome:
    until = item["by"]["before"]
    first = next((s for s in track.calls if track.counts(until, s, "executed", world)), None)
    if first is None:
        return PASS
    ours = [s for s in track.calls if s is not first and track.ran(item, s, world)]
    enough = sum(track.before(s, first, world) for s in ours) >= item.get("min", 1)
    return PASS if enough else frozenset([first.subject])


def _required_within(track: Track, item: dict[str, Any], world: World) -> Outcome:
    def in_time(seen: Seen) -> bool:
        if track.start_ns is None:
            return bool(world.choose(("in time", seen.at)))
        until = track.start_ns + item["by"]["within_ms"] * MS
        start, end = seen.call.start_ns, seen.call.end_ns
        late = None if start is None or (end is None and start <= until) else (end or start) > until
        if seen.at in world.ran:
            late = start is not None and start > until
        return not world.settle(late, ("late", seen.at))

    found = [s for s in track.calls if track.ran(item, s, world) and in_time(s)]
    return PASS if len(found) >= item.get("min", 1) else frozenset([TRAJECTORY])


def first_then(track: Track, item: dict[str, Any]) -> Said:
    then = _with_unless(item["then"], item)

    def judge(world: World) -> Outcome:
        return frozenset(
            s.subject
            for s in track.calls
            if track.counts(then, s, "any", world)
            and not any(
                track.ran(item["first"], a, world) and track.before(a, s, world)
                for a in track.calls
                if a is not s
            )
        )

    return each_by_itself(track, judge, lacks=True)


def never_after(track: Track, item: dict[str, Any]) -> Said:
    never = _with_unless(item["never"], item)

    def judge(world: World) -> Outcome:
        return frozenset(
            s.subject
            for s in track.calls
            if track.counts(never, s, "any", world) and _flows(track, item, s, world)
        )

    said = each_by_itself(track, judge)
    if said.fails and _may_be_both(track, item):
        return Said(said.fails, None, loose=True)
    return said


def _may_be_both(track: Track, item: dict[str, Any]) -> bool:
    """Whether times are open of calls that may be of `after` and of `until` at once.

    Such a call fails what comes later either way, as the one or by not being the other: a rule may say so, or that it
    cannot tell which.
    """
    return "until" in item and any(
        s.call.start_ns is None or s.call.end_ns is None for s in track.calls
    )


def _flows(track: Track, item: dict[str, Any], x: Seen, world: World) -> bool:
    sources = [
        y
        for y in track.calls
        if y is not x
        and track.counts(item["after"], y, "executed", world)
        and track.before(y, x, world)
    ]
    if not sources or "until" not in item:
        return bool(sources)
    ends = {y.at: _end(y, x, world) for y in sources}
    last = [y for y in sources if ends[y.at] == max(ends.values())]
    return not any(
        all(track.before(y, z, world) for y in last)
        and track.counts(item["until"], z, "executed", world)
        and track.before(z, x, world)
        for z in track.calls
        if z is not x
    )


def _end(y: Seen, x: Seen, world: World) -> int:
    """When a call that is before another ended: at the earliest as it began, at the latest as that one began."""
    if y.call.end_ns is not None:
        return y.call.end_ns
    return int(world.choose(("end", y.at), (y.call.start_ns or 0, x.call.start_ns or 0)))


def _with_unless(selector: Any, item: dict[str, Any]) -> dict[str, Any]:
    selector = {"tool": selector} if isinstance(selector, str) else selector
    return {**selector, "unless": item["unless"]} if "unless" in item else selector


def sequence(track: Track, item: dict[str, Any]) -> Said:
    if track.outside:
        return Said()

    def judge(world: World) -> Outcome:
        looked_at = [s for s in track.calls if _among(track, item, s, world)]
        return PASS if _fits(track, item, looked_at, world) else frozenset([TRAJECTORY])

    return one_for_all(track, judge, lacks=True)


def _among(track: Track, item: dict[str, Any], seen: Seen, world: World) -> bool:
    if "among" in item:
        return track.ran(item["among"], seen, world)
    return seen.call.kind is CallKind.TOOL and (seen.ran or seen.at in world.ran)


def _fits(track: Track, item: dict[str, Any], calls: list[Seen], world: World) -> bool:
    """Whether some way to give each selector a call of its own fits; overlapping calls may stand in either order."""
    mode, selectors = item.get("mode", "in_order"), item["sequence"]
    if mode in ("strict", "any_order") and len(calls) != len(selectors):
        return False
    if mode == "subset":
        return any(
            all(track.ran(s, c, world) for s, c in zip(chosen, calls, strict=True))
            for chosen in permutations(selectors, len(calls))
        )
    return any(
        all(track.ran(s, c, world) for s, c in zip(selectors, chosen, strict=True))
        and (mode in ("any_order", "superset") or _may_stand(track, chosen, world))
        for chosen in permutations(calls, len(selectors))
    )


def _may_stand(track: Track, calls: tuple[Seen, ...], world: World) -> bool:
    return not any(
        _certainly_before(track, later, earlier, world)
        for place, later in enumerate(calls)
        for earlier in calls[:place]
    )


def _certainly_before(track: Track, first: Seen, second: Seen, world: World) -> bool:
    """When a call that was only asked for ended, nobody knows."""
    return first.at not in world.ran and track.before(first, second, world)
