from __future__ import annotations

import pytest

from toolscore_otel.assembly.spent import Spent
from toolscore_otel.model import CostSource


def test_adding_and_taking_away_leaves_no_rest():
    tenth, sum_of = Spent.reported(0.1), Spent()
    for _ in range(10):
        sum_of = sum_of.plus(tenth)
    assert sum_of.usd == 1.0
    for _ in range(7):
        sum_of = sum_of.plus(tenth, -1)
    assert sum_of.usd == 0.3
    for _ in range(3):
        sum_of = sum_of.plus(tenth, -1)
    assert sum_of == Spent()


@pytest.mark.parametrize(
    ("spent", "usd", "source", "is_anything"),
    [
        (Spent(), None, None, False),
        (Spent(blind=2), None, None, True),
        (Spent(total=0, known=1), 0.0, CostSource.REPORTED, True),
        (Spent(total=5 * 10**11, known=2, priced=1), 0.5, CostSource.PRICED, True),
    ],
)
def test_unknown_is_none_and_never_zero(spent, usd, source, is_anything):
    assert (spent.usd, spent.source, bool(spent)) == (usd, source, is_anything)
