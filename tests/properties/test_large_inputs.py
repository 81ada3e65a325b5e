"""What is very long or very deep costs itself alone, takes time in proportion, and is counted where it is not looked at."""

from __future__ import annotations

import pytest

from tests.properties.hostile import BIG, DEEP, HALF, KINDS, request, span, text
from tests.properties.test_hostile_inputs import read, rebuilt
from toolscore_otel.assembly import Assembler, Limits
from toolscore_otel.model import ClosedBy, ContentState, Gap, Span

OBSERVED, TRUNCATED, UNPARSABLE = (
    ContentState.OBSERVED,
    ContentState.TRUNCATED,
    ContentState.UNPARSABLE,
)


def asking(arguments: str, number: int) -> str:
    """A message that asks for a tool, in JSON."""
    part = f'{{"type":"tool_call","id":"c{number}","name":"search","arguments":{arguments}}}'
    return f'{{"role":"assistant","parts":[{part}]}}'


def states_of(messages: str) -> list[tuple[str | None, ContentState]]:
    """The calls that an answer asks for, as they come out of a file."""
    chat = {key: text(one) for key, one in KINDS[1].items()}
    items, _ = read(request([span(1, chat | {"gen_ai.output.messages": text(messages)})]))
    return [(call.call_id, call.args_state) for call in rebuilt(items)]


@pytest.mark.parametrize(
    "odd",
    [
        f'{{"q":"{HALF}"}}',
        '{"q":NaN}',
        f'{{"q":{BIG}}}',
        '{"a":' * 50 + "1" + "}" * 50,
        '{"q":"' + "x" * 10_000_000 + '"}',
    ],
    ids=["half an emoji", "NaN", "401 digits", "50 levels", "10 MB"],
)
def test_odd_arguments_cost_neither_themselves_nor_another_message(odd: str) -> None:
    listed = ",".join([asking("{}", 0), asking(odd, 1), asking("{}", 2)])
    assert states_of(f"[{listed}]") == [(f"c{number}", OBSERVED) for number in range(3)]


@pytest.mark.parametrize(
    ("odd", "state"),
    [
        ('{"a":' * DEEP + "1" + "}" * DEEP, UNPARSABLE),
        ("[1," * 200_000, TRUNCATED),
        ('"' + r"\\" * 2_000_000, TRUNCATED),
    ],
    ids=["5,000 levels", "200,000 lists, cut", "4 MB of escapes, cut"],
)
def test_what_cannot_be_read_to_its_end_costs_nothing_that_stands_before_it(
    odd: str, state: ContentState
) -> None:
    message = asking(odd, 1)
    listed = f"[{asking('{}', 0)},{message[: message.index(odd) + len(odd)]}"
    assert states_of(listed) == [("c0", OBSERVED), ("c1", state)]


SPANS, CAP, EVERY = 100_000, 50_000, 50
TRACE = "t"


def part_of_a_large_trace(number: int) -> Span:
    """One in fifty is a tool's; the others say nothing, and stand above one another."""
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search",
        "gen_ai.tool.call.id": f"c{number}",
    }
    return Span(
        trace_id=TRACE,
        span_id=f"{number:016x}",
        parent_span_id=f"{number // 2:016x}" if number else None,
        name="x",
        start_ns=number,
        end_ns=number + 1,
        attributes={} if number % EVERY else tool,
    )


def test_of_a_trace_of_100_000_spans_every_call_is_told_and_what_is_past_the_cap_is_counted() -> (
    None
):
    assembler = Assembler()
    assert assembler.limits == Limits(spans_per_trajectory=CAP)
    for number in range(SPANS):
        assembler.feed(part_of_a_large_trace(number), now=0)
    assembler.close(ClosedBy.END_OF_INPUT)
    found = assembler.trajectory(TRACE)
    assert len(found.calls) == SPANS // EVERY
    assert sum(Gap.SPAN_LIMIT in call.gaps for call in found.calls) == (SPANS - CAP) // EVERY
    assert assembler.counters["spans"] == SPANS
    assert assembler.counters["span_limit"] == SPANS - CAP
    assert (found.incomplete, Gap.SPAN_LIMIT in found.gaps) == (True, True)
