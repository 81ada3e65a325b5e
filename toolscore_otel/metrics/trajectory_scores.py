"""The scores of one trajectory against what was expected of it (contract language, section 14)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from toolscore_otel.matchers import Answer, JudgedCall
from toolscore_otel.metrics.arguments import Compared, given
from toolscore_otel.metrics.assignment import Part
from toolscore_otel.metrics.efficiency import signature
from toolscore_otel.metrics.expected_calls import ExpectedCall, who_fits
from toolscore_otel.metrics.order import order_kept
from toolscore_otel.metrics.pairing import best_by_arguments, sides
from toolscore_otel.metrics.ratios import f1_of, share
from toolscore_otel.metrics.sequence import edits
from toolscore_otel.model import CallKind, Stage, Status

SCORES = (
    "selection_precision",
    "selection_recall",
    "selection_f1",
    "argument_f1",
    "argument_exact",
    "required_recall",
    "edit_distance",
    "order",
    "redundant_rate",
    "error_rate",
    "hard_fail",
)
"""The names of all scores, in the order of the contract language."""

Scores = Mapping[str, float | None]
"""By name, 0..1; None where a score does not apply, or where what was not observed decides."""


def trajectory_scores(
    calls: Sequence[JudgedCall],
    expected: Sequence[ExpectedCall] | None = None,
    *,
    required: tuple[int, int] = (0, 0),
) -> Scores:
    """All scores of one trajectory.

    Args:
        calls: of the trajectory, in order, with what the registry says of each (`mutating`, `polling`).
        expected: what it should consist of, in order; None: nothing is said, and only what needs none is scored.
        required: how many `require` rules hold, of how many that could be checked.
    """
    ran = [call for call in calls if _is_made(call)]
    scores: dict[str, float | None] = dict.fromkeys(SCORES)
    scores["required_recall"] = share(*required)
    scores["redundant_rate"] = _redundant_rate(ran)
    scores["error_rate"] = _error_rate(ran)
    if expected is not None:
        scores.update(_against(expected, calls))
    return scores


def _is_made(call: JudgedCall) -> bool:
    return call.call.stage is Stage.EXECUTED and call.call.kind is CallKind.TOOL


def _redundant_rate(ran: Sequence[JudgedCall]) -> float | None:
    """None where calls whose arguments were not observed may be equal to others of their tool."""
    looked_at = [call.call for call in ran if not call.polling]
    tools = Counter(call.tool for call in looked_at)
    known = [(call, signature(call)) for call in looked_at]
    if any(one is None and tools[call.tool] > 1 for call, one in known):
        return None
    different = len({one for _, one in known if one is not None})
    return share(sum(one is not None for _, one in known) - different, len(ran))


def _error_rate(ran: Sequence[JudgedCall]) -> float | None:
    statuses = Counter(call.call.status for call in ran)
    return share(statuses[Status.ERROR], statuses[Status.ERROR] + statuses[Status.OK])


def _against(expected: Sequence[ExpectedCall], calls: Sequence[JudgedCall]) -> Scores:
    """What can be said whether or not open answers turn out to be yes."""
    fits = who_fits(expected, calls)
    named = {sort for row in fits.rows for sort, one in enumerate(row) if one is Answer.YES}
    made = [n for n, call in enumerate(calls) if _is_made(call) or fits.calls[n] in named]
    looked_at = [calls[number] for number in made]
    sorts = fits.expected, [fits.calls[number] for number in made]
    sure = [{sort for sort, one in enumerate(row) if one is Answer.YES} for row in fits.rows]
    may_be = [{sort for sort, one in enumerate(row) if one is not Answer.NO} for row in fits.rows]
    surely = _Run(expected, looked_at, *sorts, sure).scores()
    if sure == may_be:
        return surely
    at_best = _Run(expected, looked_at, *sorts, may_be).scores()
    return {name: value if value == at_best[name] else None for name, value in surely.items()}


class _Run:
    """Expected and made calls, and which may stand for which: sorts of calls by sort of expected call."""

    def __init__(
        self,
        expected: Sequence[ExpectedCall],
        calls: Sequence[JudgedCall],
        expected_sorts: Sequence[int],
        call_sorts: Sequence[int],
        fits: Sequence[set[int]],
    ) -> None:
        self._expected = expected
        self._calls = calls
        self._expected_sorts = expected_sorts
        self._call_sorts = call_sorts
        self._fits = fits
        self._told = [given(call.call) for call in calls]
        self._paired = sides(self._pairs(), len(expected), len(calls))

    def _pairs(self) -> dict[int, int]:
        pairs: dict[int, int] = {}
        for asking, asked in self._groups():
            rows = [n for n, sort in enumerate(self._expected_sorts) if sort in asking]
            columns = [n for n, sort in enumerate(self._call_sorts) if sort in asked]
            if rows and columns:
                allowed = None if len(asking) == 1 else self._allowed(rows, columns)
                wanted = [self._expected[number].wanted for number in rows]
                told = [self._told[number] for number in columns]
                found = best_by_arguments(wanted, told, allowed)
                pairs |= {rows[row]: columns[column] for row, column in found}
        return dict(sorted(pairs.items()))

    def _groups(self) -> list[tuple[set[int], set[int]]]:
        """Sorts of expected calls that compete, and the sorts of calls they compete for; most often a tool and its calls."""
        groups: list[tuple[set[int], set[int]]] = []
        for number, fits in enumerate(self._fits):
            asking, asked = {number}, fits
            for group in [one for one in groups if not one[1].isdisjoint(fits)]:
                groups.remove(group)
                asking, asked = asking | group[0], asked | group[1]
            groups.append((asking, asked))
        return groups

    def _allowed(self, rows: Sequence[int], columns: Sequence[int]) -> Part:
        weights = {(row, sort): 1.0 for row, fits in enumerate(self._fits) for sort in fits}
        return Part(
            [self._expected_sorts[number] for number in rows],
            [self._call_sorts[number] for number in columns],
            weights,
        )

    def scores(self) -> Scores:
        """Those that need an expectation."""
        selection = f1_of(len(self._paired.pairs), len(self._calls), len(self._expected))
        columns = self._columns()
        return {
            **{f"selection_{name}": value for name, value in selection.items()},
            **self._arguments(),
            "edit_distance": share(
                edits(len(self._expected), columns), max(len(self._expected), len(self._calls))
            ),
            "order": order_kept(len(self._expected), [call.call for call in self._calls], columns),
            "hard_fail": self._hard_fail(),
        }

    def _columns(self) -> list[int]:
        """For each call which expected ones it fits, as bits."""
        bits: dict[int, int] = {}
        for number, sort in enumerate(self._expected_sorts):
            bits[sort] = bits.get(sort, 0) | 1 << number
        by_sort: dict[int, int] = {}
        for sort, fits in enumerate(self._fits):
            for call in fits:
                by_sort[call] = by_sort.get(call, 0) | bits[sort]
        return [by_sort.get(sort, 0) for sort in self._call_sorts]

    def _arguments(self) -> Scores:
        total, exact = Compared(), list[bool]()
        for number, call in self._paired.pairs.items():
            wanted = self._expected[number].wanted
            if wanted.fields is not None:
                one = wanted.compared(self._told[call])
                total += one
                exact += [] if one.is_exact is None else [one.is_exact]
        f1 = f1_of(total.right, total.given, total.expected)["f1"]
        return {"argument_f1": f1, "argument_exact": share(sum(exact), len(exact))}

    def _hard_fail(self) -> float | None:
        marks = {self._calls[number].mutating for number in self._paired.surplus}
        if True in marks:
            return 1.0
        return None if None in marks else 0.0
