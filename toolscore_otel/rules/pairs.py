"""Expected and made calls, paired as well as can be, where something may not have been observed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from toolscore_otel.matchers import Answer, JudgedCall
from toolscore_otel.metrics.expected_calls import ExpectedCall
from toolscore_otel.rules.pairing import most_pairs

_SURE = frozenset({Answer.YES})
_AT_BEST = frozenset({Answer.YES, Answer.UNKNOWN})


class Pairs:
    """Which made call may stand for which expected one. What is not observed counts as fitting `at_best`, else as not."""

    def __init__(
        self,
        expected: Sequence[ExpectedCall],
        calls: Sequence[JudgedCall],
        *,
        had_all_run: bool = False,
    ) -> None:
        """Ask each expected call about each made one.

        Args:
            expected: in the order of the contract.
            calls: in order.
            had_all_run: calls that were only asked for stand for what they would have been.
        """
        asked = [one.could_be if had_all_run and one.could_be else one.who for one in expected]
        self._who = [[who.match(call) for call in calls] for who in asked]
        self._args = [[one.has_arguments(call) for call in calls] for one in expected]

    def most(self, *, at_best: bool) -> dict[int, int]:
        """Expected -> made: the most pairs, whatever the arguments."""
        fits = _AT_BEST if at_best else _SURE
        return most_pairs([[n for n, who in enumerate(row) if who in fits] for row in self._who])

    def right(self, *, at_best: bool, args_at_best: bool) -> dict[int, int]:
        """The same, of pairs with the expected arguments."""
        fits = _AT_BEST if at_best else _SURE
        args_fit = _AT_BEST if args_at_best else _SURE
        rows = zip(self._who, self._args, strict=True)
        return most_pairs(
            [
                [
                    n
                    for n, (w, a) in enumerate(zip(who, args, strict=True))
                    if w in fits and a in args_fit
                ]
                for who, args in rows
            ]
        )

    def are_right(self) -> Answer:
        """Whether as many pairs can be made with the expected arguments as can be made at all."""
        answers = {
            len(self.right(at_best=at_best, args_at_best=args)) == len(self.most(at_best=at_best))
            for at_best, args in product((False, True), repeat=2)
        }
        if len(answers) > 1:
            return Answer.UNKNOWN
        return Answer.YES if answers.pop() else Answer.NO
