"""Expected calls (docs/pages/clauses/expect.md): exact tool names, and arguments."""

from itertools import permutations
from typing import Any

from tests.contracts.naive.logic import World
from tests.contracts.naive.said import PASS, TRAJECTORY, Outcome, Said, one_for_all
from tests.contracts.naive.selecting import Seen
from tests.contracts.naive.tracks import Track
from toolscore_otel.model import CallKind

CLOSED = ("strict", "any_order", "subset")
"""Modes in which no other call is allowed."""
KINDS = ("missing_call", "unexpected_call", "wrong_arguments")


def expect(track: Track, item: dict[str, Any]) -> dict[str, Said]:
    """What an item says, by kind of finding."""
    expected = [{"tool": e} if isinstance(e, str) else e for e in item["calls"]]
    mode = item.get("order", "in_order")

    def judge(kind: str, world: World) -> Outcome:
        made = [s for s in track.calls if _made(s, world)]
        names = {e["tool"] for e in expected} | {_name(s) for s in made}
        found = any(_TESTS[kind](track, expected, made, name, mode, world) for name in names)
        return frozenset([TRAJECTORY]) if found else PASS

    return {
        kind: one_for_all(
            track, lambda world, k=kind: judge(k, world), lacks=kind != "unexpected_call"
        )
        for kind in KINDS
    }


def _made(seen: Seen, world: World) -> bool:
    return seen.call.kind is CallKind.TOOL and (seen.ran or seen.at in world.ran)


def _name(seen: Seen) -> str:
    return seen.names[0] or seen.names[1]


def _of(
    expected: list[dict[str, Any]], made: list[Seen], name: str
) -> tuple[list[Any], list[Seen]]:
    return [e for e in expected if e["tool"] == name], [s for s in made if _name(s) == name]


def _missing(track: Track, expected: Any, made: Any, name: str, mode: str, world: World) -> bool:
    asked, ours = _of(expected, made, name)
    return mode != "subset" and len(asked) > len(ours)


def _unexpected(track: Track, expected: Any, made: Any, name: str, mode: str, world: World) -> bool:
    asked, ours = _of(expected, made, name)
    return (mode in CLOSED or not expected) and len(ours) > len(asked)


def _wrong(track: Track, expected: Any, made: Any, name: str, mode: str, world: World) -> bool:
    """Whether no pairing is right throughout."""
    asked, ours = _of(expected, made, name)
    few, many = sorted((asked, ours), key=len)
    return not any(
        all(
            track.ran(e, s, world)
            for e, s in (
                zip(few, chosen, strict=True) if few is asked else zip(chosen, few, strict=True)
            )
        )
        for chosen in permutations(many, len(few))
    )


_TESTS = {"missing_call": _missing, "unexpected_call": _unexpected, "wrong_arguments": _wrong}
