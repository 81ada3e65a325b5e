from __future__ import annotations

from toolscore_otel.assembly.sums import Sums


def test_it_reaches_from_the_first_known_start_to_the_last_known_end():
    sums = Sums()
    assert (sums.start_ns, sums.end_ns, sums.length_s) == (None, None, None)
    for start, end in ((5, None), (3, 8), (None, 7), (4, 9)):
        sums.reach(start, end)
    assert (sums.start_ns, sums.end_ns) == (3, 9)
    assert sums.length_s == 6e-9
