"""Calls against what was expected of a trajectory: the scores that need an expectation (docs/pages/clauses/scores.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from toolscore_otel.matchers import Answer, JudgedCall
from toolscore_otel.matchers.value import is_whole
from toolscore_otel.metrics.arguments import Compared, given
from toolscore_otel.metrics.assignment import Part
from toolscore_otel.metrics.expected_calls import ExpectedCall, Fits, who_fits
from toolscore_otel.metrics.order import order_kept
from toolscore_otel.metrics.pairing import best_by_arguments, sides
from toolscore_otel.metrics.ratios import f1_of, share
from toolscore_otel.metrics.score_range import ScoreRange, anything, between, exactly
from toolscore_otel.metrics.sequence import edits
from toolscore_otel.model import CallKind, Stage

Ranges = Mapping[str, ScoreRange]

_GROWING = ("selection_precision", "selection_recall", "selection_f1", "edit_distance", "order")
"""Scores that only grow, or only fall, with every call that may stand for an expected one."""

_ALL = (*_GROWING, "argument_f1", "argument_exact", "hard_fail")


def is_made(call: JudgedCall) -> bool:
    """Whether it is a call of a tool that ran."""
    return call.call.stage is Stage.EXECUTED and call.call.kind is CallKind.TOOL


def against(
    expected: Sequence[ExpectedCall], calls: Sequence[JudgedCall], *, hidden: bool
) -> Ranges:
    """The scores of calls against expected ones, and where each would lie had everything been observed.

    Args:
        expected: in order.
        calls: of the trajectory, in order.
        hidden: whether more calls may have been made than are known.
    """
    fits = who_fits(expected, calls)
    surely = [{sort for sort, one in enumerate(row) if one is Answer.YES} for row in fits.rows]
    may_be = [{sort for sort, one in enumerate(row) if one is not Answer.NO} for row in fits.rows]
    named, maybe_named = set[int]().union(*surely), set[int]().union(*may_be)
    made = [n for n, call in enumerate(calls) if is_made(call) or fits.calls[n] in named]
    run = _Run(expected, [calls[n] for n in made], fits.expected, [fits.calls[n] for n in made])
    scores = run.scores(surely)
    if hidden or any(fits.calls[n] in maybe_named for n in set(range(len(calls))) - set(made)):
        found: dict[str, ScoreRange] = dict.fromkeys(_ALL, anything("spans"))
        if surely == may_be and scores["hard_fail"].low == 1:  # more calls make it no better
            found["hard_fail"] = scores["hard_fail"]
        return found
    if surely == may_be:
        return scores
    missing = tuple(dict.fromkeys(_unsure(expected, calls, fits)))
    return _of_extremes(scores, run.scores(may_be), missing)


def _of_extremes(surely: Ranges, at_best: Ranges, missing: Sequence[str]) -> Ranges:
    """What stands for an expected call is open: with no such call, and with all of them."""
    found: dict[str, ScoreRange] = dict.fromkeys(_ALL, anything(*missing))
    for name in _GROWING:
        one, other = surely[name].value, at_best[name].value
        if one is not None and other is not None:
            found[name] = between(one, other, missing)
    return found


def _unsure(
    expected: Sequence[ExpectedCall], calls: Sequence[JudgedCall], fits: Fits
) -> Iterator[str]:
    """Which evidence is lacking that says what a call may stand for."""
    askers = dict(zip(fits.expected, expected, strict=True))
    shapes = dict(zip(fits.calls, calls, strict=True))
    for asked, row in enumerate(fits.rows):
        for sort, answer in enumerate(row):
            if answer is Answer.UNKNOWN:
                yield from askers[asked].who.missing(shapes[sort])


class _Pairs(Struct, frozen=True):
    """Pairs, by the numbers of expected and made calls, and who is left.

    Attributes:
        surplus: made calls without a partner.
        is_sure: whether all arguments that could have made other pairs were observed.
    """

    pairs: Mapping[int, int]
    surplus: Sequence[int]
    is_sure: bool


class _Run:
    """Expected and made calls: sorts of calls by sort of expected call."""

    def __init__(
        self,
        expected: Sequence[ExpectedCall],
        calls: Sequence[JudgedCall],
        expected_sorts: Sequence[int],
        call_sorts: Sequence[int],
    ) -> None:
        self._expected = expected
        self._calls = calls
        self._expected_sorts = expected_sorts
        self._call_sorts = call_sorts
        self._told = [given(call.call) for call in calls]

    def scores(self, fits: Sequence[set[int]]) -> dict[str, ScoreRange]:
        """Those that need an expectation, where these sorts of calls stand for each sort of expected call."""
        paired, columns = self._paired(fits), self._columns(fits)
        asked, made = len(self._expected), len(self._calls)
        selection = f1_of(len(paired.pairs), made, asked)
        return {
            **{f"selection_{name}": exactly(value) for name, value in selection.items()},
            **self._arguments(paired),
            "edit_distance": self._in_time(share(edits(asked, columns), max(asked, made))),
            "order": self._order(columns),
            "hard_fail": self._hard_fail(paired),
        }

    def _paired(self, fits: Sequence[set[int]]) -> _Pairs:
        pairs: dict[int, int] = {}
        is_sure = True
        for asking, asked in _groups(fits):
            rows = [n for n, sort in enumerate(self._expected_sorts) if sort in asking]
            columns = [n for n, sort in enumerate(self._call_sorts) if sort in asked]
            if rows and columns:
                allowed = None if len(asking) == 1 else self._allowed(rows, columns, fits)
                wanted = [self._expected[number].wanted for number in rows]
                told = [self._told[number] for number in columns]
                found = best_by_arguments(wanted, told, allowed)
                pairs |= {rows[row]: columns[column] for row, column in found}
                if any(one.fields is not None for one in wanted):
                    is_sure = is_sure and all(is_whole(one.args) for one in told)
        paired = sides(dict(sorted(pairs.items())), len(self._expected), len(self._calls))
        return _Pairs(paired.pairs, paired.surplus, is_sure)

    def _allowed(
        self, rows: Sequence[int], columns: Sequence[int], fits: Sequence[set[int]]
    ) -> Part:
        weights = {(row, sort): 1.0 for row, sorts in enumerate(fits) for sort in sorts}
        return Part(
            [self._expected_sorts[number] for number in rows],
            [self._call_sorts[number] for number in columns],
            weights,
        )

    def _columns(self, fits: Sequence[set[int]]) -> list[int]:
        """For each call which expected ones it fits, as bits."""
        bits: dict[int, int] = {}
        for number, sort in enumerate(self._expected_sorts):
            bits[sort] = bits.get(sort, 0) | 1 << number
        by_sort: dict[int, int] = {}
        for sort, sorts in enumerate(fits):
            for call in sorts:
                by_sort[call] = by_sort.get(call, 0) | bits[sort]
        return [by_sort.get(sort, 0) for sort in self._call_sorts]

    def _arguments(self, paired: _Pairs) -> Ranges:
        if not paired.is_sure:
            return dict.fromkeys(("argument_f1", "argument_exact"), anything("arguments"))
        total, exact = Compared(), list[bool]()
        for number, call in paired.pairs.items():
            wanted = self._expected[number].wanted
            if wanted.fields is not None:
                one = wanted.compared(self._told[call])
                total += one
                exact.append(bool(one.is_exact))
        f1 = f1_of(total.right, total.given, total.expected)["f1"]
        return {
            "argument_f1": exactly(f1),
            "argument_exact": exactly(share(sum(exact), len(exact))),
        }

    def _order(self, columns: Sequence[int]) -> ScoreRange:
        if not self._expected:
            return exactly(None)
        kept = order_kept(len(self._expected), [call.call for call in self._calls], columns)
        return anything(*self._lacks_order()) if kept is None else exactly(kept)

    def _lacks_order(self) -> Iterator[str]:
        times = [time for one in self._calls for time in (one.call.start_ns, one.call.end_ns)]
        yield "times" if None in times else "order"

    def _in_time(self, value: float | None) -> ScoreRange:
        """A score that hangs on when calls began: of all of them, or, where none says so, as they stand."""
        known = {call.call.start_ns is not None for call in self._calls}
        return exactly(value) if len(known) < len((True, False)) else anything("times")

    def _hard_fail(self, paired: _Pairs) -> ScoreRange:
        marks = {self._calls[number].mutating for number in paired.surplus}
        others = {call.mutating for call in self._calls}
        if others <= {False} or not marks:
            return exactly(0.0)
        if not paired.is_sure and len(others) > 1:
            return anything("arguments")
        if True in marks:
            return exactly(1.0)
        return anything("dispatch") if None in marks else exactly(0.0)


def _groups(fits: Iterable[set[int]]) -> list[tuple[set[int], set[int]]]:
    """Sorts of expected calls that compete, and the sorts of calls they compete for; most often a tool and its calls."""
    groups: list[tuple[set[int], set[int]]] = []
    for number, sorts in enumerate(fits):
        asking, asked = {number}, sorts
        for group in [one for one in groups if not one[1].isdisjoint(sorts)]:
            groups.remove(group)
            asking, asked = asking | group[0], asked | group[1]
        groups.append((asking, asked))
    return groups
