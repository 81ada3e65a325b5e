"""Loops (docs/pages/clauses/loop.md), of one agent invocation."""

from collections.abc import Callable
from typing import Any

from tests.contracts.naive.logic import World, worlds
from tests.contracts.naive.said import PASS, Outcome, Said, runs, together
from tests.contracts.naive.selecting import Seen, matches, selector_of
from tests.contracts.naive.tracks import Track, tracks_of
from tests.contracts.naive.values import UNKNOWN, Cut, canonical
from toolscore_otel.model import CallKind

WINDOW = 30
ACKNOWLEDGED = {"ok", "done", "success", "true", "accepted"}
Bad = Callable[[list[Seen], int, dict[str, Any], World], bool]


def loop(track: Track, key: str, item: dict[str, Any]) -> Said:
    """One key of a loop clause, for each agent invocation of a trajectory.

    Args:
        item: `n`, with `window`, `ignore`, `only` and `unless` of the clause.
    """
    ours = tracks_of("agent", track.calls)
    return together(_loop(Track(t.place, t.calls, around=track.calls), key, item) for t in ours)


def _loop(track: Track, key: str, item: dict[str, Any]) -> Said:

    def judge(world: World) -> Outcome:
        return _runs(
            _BAD[key], [s for s in track.calls if _looked_at(track, item, s, world)], item, world
        )

    if key == "no_progress" or all(_known(s.args) for s in track.calls):
        return runs(track, judge)
    return _behind_unknown(track, judge)


def _behind_unknown(track: Track, judge: Callable[[World], Outcome]) -> Said:
    """Arguments that were not observed are unknown, and what follows is counted from the call after."""
    said = worlds(judge)
    alone = worlds(lambda world: judge(World({**world.chosen, "barrier": True})))
    certain = Said(frozenset.intersection(*alone), None)
    if not any(said):
        return Said()
    return certain if certain.fails else Said(PASS, True)


def _known(args: Any) -> bool:
    return args is not UNKNOWN and not isinstance(args, Cut)


def _looked_at(track: Track, item: dict[str, Any], seen: Seen, world: World) -> bool:
    if seen.call.kind is not CallKind.TOOL:
        return False

    def fits(name: str) -> bool:
        return any(
            world.settle(
                matches(selector_of(each), seen, stage="any"), (name, canonical(each), seen.at)
            )
            for each in item.get(name, [])
        )

    if fits("ignore") or ("only" in item and not fits("only")):
        return False
    excused = track.excuses(item["unless"], seen) if "unless" in item else False
    return not world.settle(excused, ("unless", seen.at))


def _runs(bad: Bad, calls: list[Seen], item: dict[str, Any], world: World) -> Outcome:
    """The first call of each run of bad ones; equal calls with another result are another run."""
    found = []
    running: dict[str, str | None] = {}
    for at, seen in enumerate(calls):
        name = _key(calls, at, world) if bad in (_same_call, _retry) else bad.__name__
        if not bad(calls, at, item, world):
            running.pop(name, None)
            continue
        result = _returned(calls, at, item, world) if bad is _same_call else None
        if name not in running or len({running[name], result} - {None}) > 1:
            found.append(seen.subject)
            running[name] = result
        running[name] = running[name] or result
    return frozenset(found)


def _may_be(seen: Seen, other: Seen) -> bool:
    return seen.names[0] in (None, other.names[0])


def _returned(calls: list[Seen], at: int, item: dict[str, Any], world: World) -> str | None:
    """What the equal calls up to this one returned, as far as it was observed."""
    results = [_result(calls[place]) for place in _behind(calls, at, _window(item), world)]
    return next((result for result in reversed(results) if result is not None), None)


def _family(seen: Seen) -> str:
    """The tool, or the dispatcher that called it."""
    return (seen.names[0] or seen.names[1]).partition(":")[0]


def _tool(calls: list[Seen], at: int, world: World) -> str:
    return calls[at].names[0] or _what(calls, at, world)[0]


def _key(calls: list[Seen], at: int, world: World) -> str:
    return " ".join(_what(calls, at, world))


def _what(calls: list[Seen], at: int, world: World) -> tuple[str, str]:
    """Tool and arguments; those not observed may be any that stand here, or others."""
    seen = calls[at]
    name = seen.names[0] or seen.names[1]
    alone = f"? {seen.at}"
    if _known(seen.args):
        return name, canonical(seen.args)
    if world.chosen.get("barrier"):
        return name, alone
    alike = [s for s in calls if _family(s) == _family(seen)]
    known = {(s.names[0] or "", canonical(s.args)) for s in alike if _known(s.args)}
    may_be = {name}
    if seen.names[0] is None or isinstance(seen.args, Cut):
        may_be = {s.names[0] for s in alike if s.names[0]} | {f"{name}:?", f"{name}:??"}
    values = {(each, "?") for each in may_be} | {(each, "??") for each in may_be}
    values |= {each for each in known if each[0] in may_be} | {(each, alone) for each in may_be}
    return world.choose(("called", seen.at), ((name, alone), *sorted(values)))


def _window(item: dict[str, Any]) -> int:
    return item.get("window", WINDOW)


def _needed(item: dict[str, Any], seen: Seen) -> int:
    return item["n"] * (3 if seen.entries[0].get("polling") else 1)


def _behind(calls: list[Seen], at: int, size: int, world: World) -> list[int]:
    """The calls equal to one (tool, arguments), itself last, among the last ones."""
    key = _key(calls, at, world)
    found = []
    for place in range(at, max(-1, at - size), -1):
        if _key(calls, place, world) == key:
            found.append(place)
        elif (
            world.chosen.get("barrier")
            and not _known(calls[place].args)
            and _family(calls[place]) == _family(calls[at])
            and (isinstance(calls[place].args, Cut) or _may_be(calls[place], calls[at]))
        ):
            break
    return found[::-1]


def _result(seen: Seen) -> str | None:
    return None if seen.result is UNKNOWN else canonical(seen.result)


def _same_call(calls: list[Seen], at: int, item: dict[str, Any], world: World) -> bool:
    count, result = 0, None
    for place in reversed(_behind(calls, at, _window(item), world)):
        here = _result(calls[place])
        if result is not None and here not in (None, result):
            break
        result = result or here
        count += 1
    return count >= _needed(item, calls[at])


def _retry(calls: list[Seen], at: int, item: dict[str, Any], world: World) -> bool:
    repeats = -1
    for place in reversed(_behind(calls, at, _window(item), world)):
        failed = {"ok": False, "error": True}.get(calls[place].status)
        if not world.settle(failed, ("failed", calls[place].at)):
            break
        repeats += 1
    return repeats >= item["n"]


def _says_nothing(result: Any) -> bool:
    if isinstance(result, str):
        return not result.strip() or result.strip().rstrip(".").casefold() in ACKNOWLEDGED
    return result is None or isinstance(result, bool) or result in ([], {})


def _no_progress(calls: list[Seen], at: int, item: dict[str, Any], world: World) -> bool:
    last = calls[at]
    if last.entries[0].get("mutating"):
        return False
    first = at + 1 - _needed(item, last)
    row = calls[max(0, first) : at + 1]
    if first < 0 or len({_tool(calls, place, world) for place in range(first, at + 1)}) > 1:
        return False
    known = {canonical(s.result) for s in row if s.result is not UNKNOWN}
    if len(known) > 1 or any(s.result is not UNKNOWN and _says_nothing(s.result) for s in row):
        return False
    return all(s.result is not UNKNOWN for s in row) or bool(
        world.choose(("same results", *(s.at for s in row)))
    )


def _cycle(calls: list[Seen], at: int, item: dict[str, Any], world: World) -> bool:
    return any(_stands(calls[: at + 1], size, item["n"], world) for size in range(2, 9))


def _stands(calls: list[Seen], size: int, times: int, world: World) -> bool:
    if len(calls) < size * times:
        return False
    start = len(calls) - size * times
    columns = [range(start + place, len(calls), size) for place in range(size)]
    if any(not _all_equal(calls, column, world) for column in columns):
        return False
    return not _all_equal(calls, range(start, len(calls)), world)


def _all_equal(calls: list[Seen], places: range, world: World) -> bool:
    results = {_result(calls[place]) for place in places} - {None}
    return len(results) <= 1 and len({_key(calls, place, world) for place in places}) == 1


_BAD: dict[str, Bad] = {
    "same_call": _same_call,
    "retry_after_error": _retry,
    "no_progress": _no_progress,
    "cycle": _cycle,
}
