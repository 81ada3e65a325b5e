"""What a rule says of a trajectory, made of what it says in every world."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations

from tests.contracts.naive.logic import World, worlds
from tests.contracts.naive.tracks import Track

Outcome = frozenset[str]
"""Subjects of the violations in one world; a trajectory is TRAJECTORY."""

TRAJECTORY = "-"
PASS: Outcome = frozenset()


@dataclass(frozen=True)
class Said:
    """What a rule must say of one trajectory.

    Attributes:
        fails: subjects that must stand at `fail`.
        unchecked: whether something cannot be checked; None: the language does not say.
        loose: on which of these subjects it must fail, the language does not say; with `unchecked` None it may also be
            that this cannot be checked.
    """

    fails: Outcome = PASS
    unchecked: bool | None = False
    loose: bool = False


Rule = Callable[[World], Outcome]


def _relieved(track: Track, rule: Rule) -> list[Outcome]:
    """What it says where some of the calls that were asked for did run."""
    asked = [seen.at for seen in track.calls if not seen.ran]
    return [
        outcome
        for size in range(1, len(asked) + 1)
        for chosen in combinations(asked, size)
        for outcome in worlds(rule, frozenset(chosen))
    ]


def each_by_itself(track: Track, rule: Rule, *, lacks: bool = False) -> Said:
    """A rule with a violation for each subject: those that are one in every world fail."""
    seen = worlds(rule)
    relieved = _relieved(track, rule) if lacks and any(seen) else []
    certain = frozenset.intersection(*seen)
    maybe = frozenset.union(*seen)
    fails = certain.intersection(*relieved) if relieved else certain
    return Said(fails, fails != maybe)


def one_for_all(track: Track, rule: Rule, *, lacks: bool = False) -> Said:
    """A rule with one violation at most: it fails where it does in every world."""
    seen = worlds(rule)
    if not any(seen):
        return Said()
    relieved = _relieved(track, rule) if lacks and all(seen) else []
    if not all((*seen, *relieved)):
        return Said(unchecked=True)
    return Said(frozenset.union(*seen), loose=len(set(seen)) > 1)


def runs(track: Track, rule: Rule) -> Said:
    """A rule with a violation for each run: where a run begins, what is unknown may decide."""
    seen = worlds(rule)
    if len(set(seen)) == 1:
        return Said(seen[0])
    every = frozenset.union(*seen)
    return Said(every, None, loose=True) if all(seen) else Said(PASS, True)


def together(said: Iterable[Said]) -> Said:
    """What several trajectories of one place come to."""
    found = list(said)
    unchecked = [each.unchecked for each in found]
    return Said(
        frozenset[str]().union(*(each.fails for each in found)),
        True if True in unchecked else None if None in unchecked else False,
        any(each.loose for each in found),
    )
