"""The best way to give each of some rows a column of its own.

The weight of a pair is a sum of looked-up parts: most rows are alike in most parts, so a part stands once per sort of row
and sort of column.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from importlib import import_module
from math import inf
from typing import Any

from msgspec import Struct

OWN_STEPS = 200_000
"""Past about so many steps a library's solver is worth loading (extra `scores`); without it our own goes on."""


class Part(Struct, frozen=True):
    """One part of the weights.

    Attributes:
        rows: the sort of each row.
        columns: the sort of each column.
        weights: by sort of row and sort of column; 0 where none stands.
    """

    rows: Sequence[int]
    columns: Sequence[int]
    weights: Mapping[tuple[int, int], float]

    def at(self, row: int, column: int) -> float:
        """The weight of a pair."""
        return self.weights.get((self.rows[row], self.columns[column]), 0.0)

    def times(self, factor: float) -> Part:
        """The same, weighing more or less."""
        weights = {pair: weight * factor for pair, weight in self.weights.items()}
        return Part(self.rows, self.columns, weights)


def numbered(keys: Iterable[Hashable]) -> list[int]:
    """For each key its number among the different ones, in the order in which they first stand."""
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]


def best_pairs(rows: int, columns: int, parts: Sequence[Part]) -> list[tuple[int, int]]:
    """As many pairs as rows or columns allow, of the greatest weight together.

    Returns:
        Pairs of row and column, by row.
    """
    fewer, more = sorted((rows, columns))
    if fewer * fewer * more > OWN_STEPS and (solver := _library()) is not None:
        return _solved(solver, rows, columns, parts)
    weights = [
        [sum(part.at(row, column) for part in parts) for column in range(columns)]
        for row in range(rows)
    ]
    if rows <= columns:
        return sorted(_hungarian(weights, columns))
    turned = [list(column) for column in zip(*weights, strict=True)]
    return sorted((row, column) for column, row in _hungarian(turned, rows))


def _library() -> tuple[Any, Any] | None:
    try:
        return import_module("numpy"), import_module("scipy.optimize")
    except ImportError:
        return None


def _solved(
    solver: tuple[Any, Any], rows: int, columns: int, parts: Sequence[Part]
) -> list[tuple[int, int]]:
    numpy, optimize = solver
    total = numpy.zeros((rows, columns))
    for part in parts:
        sorts = [*part.weights, (max(part.rows), max(part.columns))]
        table = numpy.zeros([1 + max(side) for side in zip(*sorts, strict=True)])
        for pair, weight in part.weights.items():
            table[pair] = weight
        total += table[numpy.ix_(part.rows, part.columns)]
    chosen = optimize.linear_sum_assignment(total, maximize=True)
    return list(zip(*(side.tolist() for side in chosen), strict=True))


def _hungarian(weights: Sequence[Sequence[float]], columns: int) -> list[tuple[int, int]]:
    """The greatest sum for no more rows than columns (Kuhn and Munkres, by shortest augmenting paths).

    Columns are counted from 1; 0 stands for none.
    """
    by_row = [0.0] * len(weights)
    by_column = [0.0] * (columns + 1)
    taken_by = [-1] * (columns + 1)
    for row in range(len(weights)):
        taken_by[0] = row
        at, least, came_from, seen = 0, [inf] * (columns + 1), [0] * (columns + 1), {0}
        while taken_by[at] >= 0:
            here = taken_by[at]
            nearest, delta = 0, inf
            for column in range(1, columns + 1):
                if column in seen:
                    continue
                cost = -weights[here][column - 1] - by_row[here] - by_column[column]
                if cost < least[column]:
                    least[column], came_from[column] = cost, at
                if least[column] < delta:
                    nearest, delta = column, least[column]
            for column in range(columns + 1):
                if column in seen:
                    by_row[taken_by[column]] += delta
                    by_column[column] -= delta
                else:
                    least[column] -= delta
            at = nearest
            seen.add(at)
        while at:
            taken_by[at] = taken_by[came_from[at]]
            at = came_from[at]
    return [(row, column - 1) for column, row in enumerate(taken_by) if column and row >= 0]
