"""Three answers, and all that what was not observed might have been.

An answer is True, False or None (unknown). A rule is written for a `World` in which nothing is unknown: where it asks
for something that nobody saw, the world forks, and the rule is run again for each way it may have been.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeVar

Answer = bool | None
T = TypeVar("T")
MOST = 2000
"""How many worlds are looked at."""


def both(answers: Iterable[Answer]) -> Answer:
    found = list(answers)
    return False if False in found else None if None in found else True


def some(answers: Iterable[Answer]) -> Answer:
    found = list(answers)
    return True if True in found else None if None in found else False


def no(answer: Answer) -> Answer:
    return None if answer is None else not answer


class Fork(Exception):  # noqa: N818 - it is no error
    """Something was asked that was not observed."""

    def __init__(self, key: Hashable, values: Sequence[Any]) -> None:
        super().__init__(key)
        self.key = key
        self.values = values


class World:
    """One way in which things may have been.

    Attributes:
        ran: requested calls that ran here, although nobody saw it (by place).
    """

    def __init__(self, chosen: dict[Hashable, Any], ran: frozenset[int] = frozenset()) -> None:
        self.chosen = chosen
        self.ran = ran

    def choose(self, key: Hashable, values: Sequence[Any] = (False, True)) -> Any:
        if key not in self.chosen:
            raise Fork(key, values)
        return self.chosen[key]

    def settle(self, answer: Answer, key: Hashable) -> bool:
        return self.choose(key) if answer is None else answer


class TooManyWorldsError(Exception):
    """More than a test should take the time for."""


def worlds(rule: Callable[[World], T], ran: frozenset[int] = frozenset()) -> list[T]:
    """What a rule says in every world; first in the one where every unknown answer is no."""
    said: list[T] = []
    open_: list[dict[Hashable, Any]] = [{}]
    while open_:
        if len(said) + len(open_) > MOST:
            raise TooManyWorldsError
        chosen = open_.pop()
        try:
            said.append(rule(World(chosen, ran)))
        except Fork as fork:
            open_ += [{**chosen, fork.key: value} for value in reversed(fork.values)]
    return said
