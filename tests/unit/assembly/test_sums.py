from __future__ import annotations

import pytest

from toolscore_otel.assembly.sums import Sums
from toolscore_otel.model import CallKind, Stage, ToolCall

CALL = ToolCall(tool="search")


def test_it_reaches_from_the_first_known_start_to_the_last_known_end():
    sums = Sums()
    assert (sums.start_ns, sums.end_ns) == (None, None)
    for start, end in ((5, None), (3, 8), (None, 7), (4, 9)):
        sums.reach(start, end)
    assert (sums.start_ns, sums.end_ns) == (3, 9)


@pytest.mark.parametrize(
    "other",
    [
        ToolCall(tool="search", stage=Stage.REQUESTED),
        ToolCall(tool="to_billing", kind=CallKind.HANDOFF),
    ],
)
def test_only_executed_calls_of_kind_tool_were_made(other):
    sums = Sums()
    sums.change(None, CALL)
    sums.change(None, other)
    assert sums.made == 1
    sums.change(other, CALL)
    assert sums.made == 2
    sums.change(CALL, None)
    sums.change(CALL, other)
    assert sums.made == 0
