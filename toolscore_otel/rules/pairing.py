"""The most pairs that can be made: each of some wishes takes one of the things that would do, and no thing is taken twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def most_pairs(wishes: Sequence[Iterable[int]]) -> dict[int, int]:
    """As many pairs as possible (augmenting paths, Kuhn 1955); linear in wishes times what would do.

    Args:
        wishes: for each, in order of preference, the numbers of the things that would do.

    Returns:
        Wish -> the thing that it takes. A wish that found a thing keeps one, whatever later ones take.
    """
    taken_by: dict[int, int] = {}
    takes: dict[int, int] = {}
    for wish in range(len(wishes)):
        reached = _reach(wish, wishes, taken_by)
        if reached is None:
            continue
        thing, came_from = reached
        while True:
            who = came_from[thing]
            let_go = takes.get(who)
            taken_by[thing], takes[who] = who, thing
            if let_go is None:
                break
            thing = let_go
    return takes


def _reach(
    wish: int, wishes: Sequence[Iterable[int]], taken_by: dict[int, int]
) -> tuple[int, dict[int, int]] | None:
    """A free thing that can be reached when others let go of theirs, and who reached which thing on the way."""
    came_from: dict[int, int] = {}
    asking = [wish]
    for who in asking:
        for thing in wishes[who]:
            if thing in came_from:
                continue
            came_from[thing] = who
            if thing not in taken_by:
                return thing, came_from
            asking.append(taken_by[thing])
    return None
