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

OWN_STEPS = 10_000_000
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
    costs = _costs(rows, columns, parts)
    if rows <= columns:
        return sorted(_assigned(costs, columns))
    turned = [list(column) for column in zip(*costs, strict=True)]
    return sorted((row, column) for column, row in _assigned(turned, rows))


def _costs(rows: int, columns: int, parts: Sequence[Part]) -> list[list[float]]:
    costs = [[0.0] * columns for _ in range(rows)]
    for part in parts:
        by_sort: dict[int, list[tuple[int, float]]] = {}
        for (row, column), weight in part.weights.items():
            by_sort.setdefault(row, []).append((column, weight))
        places: dict[int, list[int]] = {}
        for column, sort in enumerate(part.columns):
            places.setdefault(sort, []).append(column)
        for cost, sort in zip(costs, part.rows, strict=True):
            for other, weight in by_sort.get(sort, ()):
                for column in places.get(other, ()):
                    cost[column] -= weight
    return costs


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


def _assigned(costs: Sequence[Sequence[float]], columns: int) -> list[tuple[int, int]]:
    """The least sum for no more rows than columns, each with a column.

    What each row likes best is given away first where that hurts nobody; the rest by shortest augmenting paths.

    Source:
        Jonker and Volgenant 1987, in the form of Crouse 2016 ("On implementing 2D rectangular assignment algorithms").
    """
    match = _Match([min(row) for row in costs], [0.0] * columns, [-1] * columns, [-1] * len(costs))
    for number, row in enumerate(costs):
        best = match.by_row[number]
        liked = (n for n, cost in enumerate(row) if cost == best and match.row_of[n] < 0)
        if (column := next(liked, None)) is not None:
            match.row_of[column], match.column_of[number] = number, column
    for number in [n for n, column in enumerate(match.column_of) if column < 0]:
        match.find(costs, number)
    return list(enumerate(match.column_of))


class _Match(Struct):
    """Who has whom so far, and the prices at which nobody would change."""

    by_row: list[float]
    by_column: list[float]
    row_of: list[int]
    column_of: list[int]

    def find(self, costs: Sequence[Sequence[float]], start: int) -> None:
        """A column for one more row, at the least cost for all."""
        far, came_from = [inf] * len(self.row_of), [-1] * len(self.row_of)
        left, passed = list(range(len(self.row_of))), list[int]()
        at, so_far, nearest = start, 0.0, -1
        while at >= 0:
            if nearest >= 0:
                passed.append(nearest)
            nearest = self._nearest(costs[at], at, so_far, left, far, came_from)
            left.remove(nearest)
            so_far, at = far[nearest], self.row_of[nearest]
        self.by_row[start] += so_far
        for column in passed:
            self.by_row[self.row_of[column]] += so_far - far[column]
            self.by_column[column] -= so_far - far[column]
        while nearest >= 0:
            row = came_from[nearest]
            self.row_of[nearest] = row
            nearest, self.column_of[row] = self.column_of[row], nearest

    def _nearest(  # noqa: PLR0917 - one step of `find`
        self,
        costs: Sequence[float],
        row: int,
        so_far: float,
        left: Sequence[int],
        far: list[float],
        came_from: list[int],
    ) -> int:
        """The column that is nearest now, one that is free before others."""
        by_column, row_of = self.by_column, self.row_of
        nearest, least, base = -1, inf, so_far - self.by_row[row]
        for column in left:
            way = base + costs[column] - by_column[column]
            if way < far[column]:
                far[column], came_from[column] = way, row
            else:
                way = far[column]
            if way < least or (way == least and row_of[column] < 0):
                nearest, least = column, way
        return nearest
