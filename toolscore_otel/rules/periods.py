"""How far back a sequence of calls repeats itself, for every length of a block: what `cycle` is found by.

For each place and each length L it is known how many places in a row, up to this one, hold the same as L places before.
Where that is m, the last m + L places have the period L. Unobserved results are equal to all, but what stands at one place
of the block must be equal in all repetitions: so each place remembers what was last observed at its place of the block,
and where a call differs from that, only what came after it can be of one period with the call.
"""

from __future__ import annotations

from typing import NamedTuple

from toolscore_otel.rules.repetition import ANY_MARK

LENGTHS = range(1, 9)
"""Those that are looked at; 1 tells whether all calls of a longer block are equal."""

BLOCKS = LENGTHS[1:]
"""How many calls a block may have."""

DIVISORS = {length: [d for d in LENGTHS if d < length and length % d == 0] for length in BLOCKS}
"""What has one of these periods, too, is a block of that length."""


class _Symbol(NamedTuple):
    """One call: what is compared."""

    tool: str
    key: bytes | None
    mark: bytes


class _Told(NamedTuple):
    """What was last observed at one place of a block, up to some call, and where; None for nothing."""

    key: tuple[bytes, int] | None
    mark: tuple[bytes, int] | None


_NONE = (0,) * len(LENGTHS)
"""One for all places that hold nothing again, as most do."""


class Periods:
    """The sequence, as a stack."""

    def __init__(self, *, wild: bool = False) -> None:
        """Empty.

        Args:
            wild: whether a key that was not observed may be any; else it is equal to none.
        """
        self._wild = wild
        self._symbols: list[_Symbol] = []
        self._matches: list[tuple[int, ...]] = []
        self._told: dict[tuple[int, int], _Told] = {}

    def push(self, tool: str, key: bytes | None, mark: bytes) -> None:
        """A further call."""
        self._symbols.append(_Symbol(tool, key, mark))
        matches = tuple(self._matching(length) for length in LENGTHS)
        self._matches.append(matches if any(matches) else _NONE)

    def pop(self) -> None:
        """Without the last one."""
        self._symbols.pop()
        self._matches.pop()
        for length in LENGTHS:
            self._told.pop((len(self._symbols), length), None)

    def matches(self, place: int, length: int) -> int:
        """How many places in a row, up to this one, hold the same as so many places before."""
        return self._matches[place][length - 1] if place >= 0 else 0

    def _matching(self, length: int) -> int:
        place = len(self._symbols) - 1
        at, symbol = place - length, self._symbols[place]
        if at < 0 or not self._may_equal(symbol, self._symbols[at]):
            return 0
        told = self._told.get((at, length)) or _own(self._symbols[at], at)
        room = min(
            _room(symbol.key, told.key, place, length),
            _room(symbol.mark or None, told.mark, place, length),
        )
        matches = min(self.matches(place - 1, length) + 1, room)
        own = _own(symbol, place)
        so_far = _Told(own.key or told.key, own.mark or told.mark)
        if matches and so_far != own:
            self._told[place, length] = so_far
        return matches

    def _may_equal(self, one: _Symbol, other: _Symbol) -> bool:
        if one.tool != other.tool:
            return False
        if self._wild:
            return None in (one.key, other.key) or one.key == other.key
        return one.key is not None and one.key == other.key


def _own(symbol: _Symbol, place: int) -> _Told:
    return _Told(
        None if symbol.key is None else (symbol.key, place),
        None if symbol.mark == ANY_MARK else (symbol.mark, place),
    )


def _room(mine: bytes | None, told: tuple[bytes, int] | None, place: int, length: int) -> int:
    """How many places in a row can match at most, by what was observed at this place of the block before."""
    if mine is None or told is None or mine == told[0]:
        return place
    return place - told[1] - length
