"""Calls that several traces tell of are the same in the end, in whatever order, batches and repetitions these come."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, strategies as st

from toolscore_otel.assembly import Assembler, Place
from toolscore_otel.conventions.reading import (
    AgentReading,
    CallReading,
    Layer,
    ModelReading,
    SpanReading,
)
from toolscore_otel.model import (
    ClosedBy,
    ContentState,
    Gap,
    InstrumentationScope,
    Payload,
    Resource,
    Stage,
    Status,
    ToolCall,
)

Fed = tuple[Place, SpanReading | None]
Calls = dict[str, list[ToolCall]]

TRACES = [letter * 32 for letter in "abcd"]
SPANS = [f"{number:016x}" for number in range(3)]
MADE_UP = "call_" + "Q7xT2mVb9KcL4sWnR8dYf3Za"

call_ids = st.sampled_from([None, MADE_UP, MADE_UP, "call_1"])
args = st.sampled_from(
    [Payload(), Payload(ContentState.OBSERVED, {"q": 1}), Payload(ContentState.OBSERVED, {"q": 2})]
)
tools = st.sampled_from(["search", "search", "search", "refund"])
asked = st.builds(
    CallReading,
    convention=st.just("genai"),
    layer=st.just(Layer.MESSAGE),
    what=st.just("request"),
    stage=st.just(Stage.REQUESTED),
    name=tools,
    args=args,
    call_id=call_ids,
)
answered = st.builds(
    CallReading,
    convention=st.just("genai"),
    layer=st.just(Layer.MESSAGE),
    what=st.just("response"),
    name=tools,
    args=args,
    result=args,
    call_id=call_ids,
    status=st.sampled_from(Status),
    stage=st.sampled_from([Stage.EXECUTED, Stage.EXECUTED, Stage.REQUESTED]),
    gaps=st.sampled_from([(), (), (Gap.MAY_HAVE_WAITED,)]),
)
spans = st.builds(
    CallReading,
    convention=st.sampled_from(["mcp", "mcp", "genai"]),
    layer=st.sampled_from([Layer.MCP_CLIENT, Layer.MCP_SERVER, Layer.FRAMEWORK]),
    name=tools,
    args=args,
    result=args,
    call_id=call_ids,
    status=st.sampled_from(Status),
    stage=st.sampled_from([Stage.EXECUTED, Stage.EXECUTED, Stage.REQUESTED]),
    rpc=st.sampled_from([None, "one", "one", "two"]),
    gaps=st.sampled_from([(), (), (Gap.MAY_HAVE_WAITED,)]),
)
talks = st.sampled_from([None, None, None, "talk", "other talk"])
readings = st.one_of(
    st.builds(
        SpanReading,
        model=st.just(ModelReading(convention="genai")),
        calls=st.lists(st.one_of(asked, answered), min_size=1, max_size=2).map(tuple),
        conversation_id=talks,
    ),
    st.builds(SpanReading, calls=st.tuples(spans), conversation_id=talks),
    st.builds(SpanReading, calls=st.tuples(spans)),
    st.builds(SpanReading, agent=st.just(AgentReading(convention="genai")), conversation_id=talks),
)


@st.composite
def places(draw: st.DrawFn) -> Place:
    """Few spans of few traces, so that they link to each other and hold the same ids."""
    trace_id, span_id = draw(st.sampled_from(TRACES)), draw(st.sampled_from(SPANS))
    start, lasts = draw(st.integers(0, 5)), draw(st.integers(0, 5))
    linked = draw(st.tuples(st.sampled_from(TRACES), st.sampled_from(SPANS)))
    is_linked = draw(st.sampled_from([False, False, True])) and linked[0] != trace_id
    return Place(
        trace_id=trace_id,
        id=span_id,
        parent=draw(st.sampled_from([None, None, *SPANS])),
        span_id=span_id,
        start_ns=start,
        end_ns=start + lasts,
        scope=InstrumentationScope(draw(st.sampled_from(["one", "two"]))),
        resource=Resource({"service.name": draw(st.sampled_from(["us", "us", "them"]))}),
        links=(":".join(linked),) if is_linked else (),
    )


fed_items = st.lists(st.tuples(places(), readings), max_size=9)


def _add(assembler: Assembler, lots: Sequence[Sequence[Fed]]) -> None:
    """Each lot at once, as it comes in one request."""
    for lot in lots:
        traces: dict[str, list[Fed]] = {}
        for place, reading in lot:
            traces.setdefault(place.trace_id, []).append((place, reading))
        for trace_id, items in traces.items():
            for twin in assembler.add_all(trace_id, items, 0).twins:
                assembler.add(*twin, 0)


def _calls(assembler: Assembler) -> Calls:
    found = {
        trace_id: sorted(assembler.trajectory(trace_id).calls, key=lambda call: call.key)
        for trace_id in sorted(assembler.trace_ids())
    }
    return {trace_id: calls for trace_id, calls in found.items() if calls}


def rebuilt(*lots: Sequence[Fed], close_after: int | None = None) -> Calls:
    assembler = Assembler()
    for number, lot in enumerate(lots):
        _add(assembler, [lot])
        if number == close_after:
            assembler.close(ClosedBy.IDLE)
    assembler.close(ClosedBy.END_OF_INPUT)
    return _calls(assembler)


@given(st.data(), fed_items)
def test_order_batches_and_repetition_change_nothing(data: st.DataObject, fed: list[Fed]) -> None:
    again = data.draw(st.lists(st.sampled_from(fed), max_size=3)) if fed else []
    order = data.draw(st.permutations([*fed, *again]))
    cut = data.draw(st.integers(0, len(order)))
    one_by_one = rebuilt(*([item] for item in fed))
    assert rebuilt(order[:cut], order[cut:]) == one_by_one
    assert rebuilt(*([item] for item in order)) == one_by_one
    assert rebuilt(fed) == one_by_one


@given(st.data(), fed_items)
def test_what_comes_after_closing_is_told_as_before(data: st.DataObject, fed: list[Fed]) -> None:
    closed_after = data.draw(st.integers(0, max(0, len(fed) - 1)))
    lots = [[item] for item in fed]
    assert rebuilt(*lots, close_after=closed_after) == rebuilt(*lots)


@given(fed_items)
def test_changes_applied_one_after_the_other_give_the_calls_of_all_traces(fed: list[Fed]) -> None:
    assembler = Assembler()
    known: dict[str, dict[str, ToolCall]] = {trace_id: {} for trace_id in TRACES}
    for place, reading in fed:
        one = assembler.add(place, reading, now=0)
        assert not one.twins
        for trace_id, changes in {place.trace_id: one.changes, **one.others}.items():
            for change in changes:
                if change.before is not None:
                    del known[trace_id][change.before]
            for change in changes:
                if change.after is not None:
                    assert change.after.key not in known[trace_id]
                    known[trace_id][change.after.key] = change.after
        for trace_id in assembler.trace_ids():
            trace = assembler.trace(trace_id)
            told = {call.key: trace.retold.get(call.key, call) for call in trace.calls.values()}
            assert known[trace_id] == {key: call for key, call in told.items() if call}
