"""Expected and made calls, paired so that as many as can be have a partner, and the arguments agree best.

Of the ways to pair all that can be paired, the one with the most right fields; of those, the one with the least that was
given besides. The order in which calls stand decides nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

from msgspec import Struct

from toolscore_otel.matchers.value import Value, is_whole
from toolscore_otel.metrics.arguments import Field, Given, Split, Wanted, given, wanted
from toolscore_otel.metrics.assignment import Part, best_pairs, numbered
from toolscore_otel.metrics.likeness import agreement, key_of
from toolscore_otel.model import ToolCall

_PARTS = 1_000
"""A field that is right by so small a part counts more than anything that was given besides."""


class Paired(Struct, frozen=True):
    """Expected calls and those that were made for them, by their numbers.

    Attributes:
        pairs: expected -> made.
        missing: expected calls without a partner.
        surplus: made calls without a partner.
    """

    pairs: Mapping[int, int]
    missing: tuple[int, ...]
    surplus: tuple[int, ...]


def paired_by_tool(
    gold_calls: Sequence[ToolCall],
    trace_calls: Sequence[ToolCall],
    ask: Callable[[ToolCall], Wanted] = wanted,
) -> Paired:
    """Pair calls of one name, as many as both sides have.

    Args:
        gold_calls: expected calls.
        trace_calls: calls as they were made.
        ask: what an expected call says.
    """
    made: dict[str, list[int]] = {}
    for number, call in enumerate(trace_calls):
        made.setdefault(call.tool, []).append(number)
    expected: dict[str, list[int]] = {}
    for number, call in enumerate(gold_calls):
        expected.setdefault(call.tool, []).append(number)
    pairs: dict[int, int] = {}
    for tool in expected.keys() & made.keys():
        rows, columns = expected[tool], made[tool]
        asked = [ask(gold_calls[number]) for number in rows]
        told = [given(trace_calls[number]) for number in columns]
        for row, column in best_by_arguments(asked, told):
            pairs[rows[row]] = columns[column]
    return sides(dict(sorted(pairs.items())), len(gold_calls), len(trace_calls))


def sides(pairs: Mapping[int, int], expected: int, made: int) -> Paired:
    """Pairs, and who is left of so many expected and so many made calls."""
    taken = set(pairs.values())
    return Paired(
        pairs,
        tuple(number for number in range(expected) if number not in pairs),
        tuple(number for number in range(made) if number not in taken),
    )


def best_by_arguments(
    asked: Sequence[Wanted], told: Sequence[Given], allowed: Part | None = None
) -> list[tuple[int, int]]:
    """Pair what is asked with what was told.

    Args:
        asked: of the expected calls.
        told: of the made ones.
        allowed: 1 for pairs that may be, else 0; left out, all may.
    """
    if allowed is None and not any(one.fields for one in asked):
        return _emptiest(asked, told)
    amount = _amount(asked, told)
    most = min(len(asked), len(told))
    per_field = _PARTS * (1 + most * max(amount.weights.values(), default=0))
    fields = (part.times(per_field) for part in _fields(asked, told))
    parts = [amount.times(-1), _bare(asked, told).times(0.5 / max(most, 1)), *fields]
    if allowed is None:
        return best_pairs(len(asked), len(told), parts)
    per_pair = 1 + most * per_field * (1 + max(len(one.fields or ()) for one in asked))
    found = best_pairs(len(asked), len(told), [*parts, allowed.times(per_pair)])
    return [(row, column) for row, column in found if allowed.at(row, column)]


def _emptiest(asked: Sequence[Wanted], told: Sequence[Given]) -> list[tuple[int, int]]:
    """Where no field is asked for: calls that should be given nothing take those that were given the least, if any are left.

    The others stand in their order.
    """
    whatever = [row for row, one in enumerate(asked) if one.fields is None]
    nothing = [row for row, one in enumerate(asked) if one.fields is not None]
    nothing = nothing[: max(0, len(told) - len(whatever))]
    columns = sorted(range(len(told)), key=lambda column: _given_count(told[column]))
    others = sorted(columns[len(nothing) :])
    return sorted(zip([*nothing, *whatever], [*columns[: len(nothing)], *others], strict=False))


def _given_count(told: Given) -> int:
    return len(told.names) + told.unnamed


def _amount(asked: Sequence[Wanted], told: Sequence[Given]) -> Part:
    """How much was given, where it is looked at."""
    rows = [int(one.fields is not None) for one in asked]
    columns = [_given_count(one) for one in told]
    return Part(rows, columns, {(1, size): size for size in set(columns) if size})


def _bare(asked: Sequence[Wanted], told: Sequence[Given]) -> Part:
    """Of calls that are as good as each other, those that list no field are not left over."""
    return Part([int(not one.fields) for one in asked], [0] * len(told), {(1, 0): 1})


def _fields(asked: Sequence[Wanted], told: Sequence[Given]) -> Iterator[Part]:
    """Of each field what its value is worth."""
    for name in dict.fromkeys(name for one in asked for name in one.fields or ()):
        wishes = [(one.fields or {}).get(name) for one in asked]
        rows = numbered(_wish_key(number, wish) for number, wish in enumerate(wishes))
        find = next(one.find for one in asked if name in (one.fields or ()))
        values = [find(one.args, name) for one in told]
        columns = numbered(key_of(value, strict=True) for value in values)
        shapes = _Values(dict(zip(columns, values, strict=True)))
        kinds = dict(zip(rows, wishes, strict=True))
        worths = {
            (row, column): worth
            for row, wish in kinds.items()
            if wish is not None
            for column, worth in shapes.worths(wish).items()
        }
        yield Part(rows, columns, worths)


class _Values:
    """The different values of one field, to be held against many wishes."""

    def __init__(self, values: Mapping[int, Value]) -> None:
        self._values = values
        self._whole = {sort: value for sort, value in values.items() if is_whole(value)}
        self._parts: dict[Split, dict[int, frozenset[bytes]]] = {}
        self._places: dict[Split, dict[bytes, list[int]]] = {}

    def worths(self, wish: Field) -> dict[int, float]:
        """What each value is worth; 0 where none stands."""
        if wish.parts is None:
            return {sort: wish.credit(value) or 0.0 for sort, value in self._values.items()}
        self._look(wish.split)
        parts, places = self._parts[wish.split], self._places[wish.split]
        common = Counter(sort for part in wish.parts for sort in places.get(part, ()))
        return {sort: agreement(wish.parts, parts[sort], n) for sort, n in common.items()} | {
            sort: wish.credit(value) or 0.0
            for sort, value in self._values.items()
            if sort not in self._whole
        }

    def _look(self, split: Split) -> None:
        """Take the values apart, once."""
        if split in self._parts:
            return
        parts = {sort: split(value) for sort, value in self._whole.items()}
        places: dict[bytes, list[int]] = {}
        for sort, each in parts.items():
            for part in each:
                places.setdefault(part, []).append(sort)
        self._parts[split], self._places[split] = parts, places


def _wish_key(number: int, wish: Field | None) -> Hashable:
    if wish is None:
        return None
    return number if wish.key is None else wish.key
