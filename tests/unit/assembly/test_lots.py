from itertools import count

from toolscore_otel.assembly.lots import LOT, in_lots


def test_lots_hold_everything_in_order():
    lots = list(in_lots(range(2 * LOT + 1)))
    assert [len(lot) for lot in lots] == [LOT, LOT, 1]
    assert [item for lot in lots for item in lot] == list(range(2 * LOT + 1))


def test_of_nothing_there_is_no_lot():
    assert list(in_lots([])) == []


def test_no_more_is_taken_than_a_lot():
    numbers = count()
    assert len(next(in_lots(numbers))) == LOT
    assert next(numbers) == LOT
