"""What stands in the end depends on what was fed, never on its order, its batches or its repetitions."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from msgspec import structs

from toolscore_otel.assembly import Assembler, Limits, Place
from toolscore_otel.assembly.node import Node
from toolscore_otel.conventions.reading import (
    AgentReading,
    CallReading,
    Layer,
    ModelReading,
    RollUp,
    SpanReading,
    Spoken,
)
from toolscore_otel.model import (
    CallKind,
    ClosedBy,
    ContentState,
    Gap,
    InstrumentationScope,
    LogRecord,
    Payload,
    Span,
    Stage,
    Status,
    ToolCall,
    Trajectory,
)
from toolscore_otel.wire import read_file

Fed = tuple[Place, SpanReading | None]
Item = Span | LogRecord

CORPUS = Path(__file__).parent.parent / "corpus" / "frameworks"
TRACE = "a" * 32
IDS = [f"{number:016x}" for number in range(9)]
NOT_OBSERVED = Payload()

payloads = st.sampled_from(
    [
        NOT_OBSERVED,
        NOT_OBSERVED,
        Payload(ContentState.OBSERVED, {"q": 1}),
        Payload(ContentState.OBSERVED, {}),
        Payload(ContentState.TRUNCATED, None, '{"q'),
    ]
)
names = st.sampled_from(
    ["search", "search", "mcp__shop__search", "mcp__web__search", "refund", "transfer_to_x", None]
)
MADE_UP = "call_" + "Q7xT2mVb9KcL4sWnR8dYf3Za"

call_ids = st.sampled_from([None, None, "x", "y", "x#1", MADE_UP])
costs = st.sampled_from([None, None, None, 0.1, 0.2])

span_calls = st.builds(
    CallReading,
    convention=st.sampled_from(["genai", "openinference"]),
    layer=st.sampled_from([Layer.FRAMEWORK, Layer.FRAMEWORK, Layer.MCP_CLIENT, Layer.MCP_SERVER]),
    name=names,
    kind=st.sampled_from([CallKind.TOOL, CallKind.TOOL, CallKind.HANDOFF]),
    args=payloads,
    result=payloads,
    call_id=call_ids,
    status=st.sampled_from(Status),
    error_message=st.sampled_from([None, "no such order"]),
    agent=st.sampled_from([None, None, "Clerk"]),
    agent_id=st.sampled_from([None, None, "a1"]),
    stage=st.sampled_from([Stage.EXECUTED, Stage.EXECUTED, Stage.REQUESTED]),
    cost_usd=costs,
    gaps=st.sampled_from([(), (), (Gap.MAY_HAVE_WAITED,)]),
)
log_calls = st.builds(
    CallReading,
    convention=st.just("codex"),
    what=st.just("log"),
    name=names,
    args=payloads,
    call_id=call_ids,
    status=st.sampled_from(Status),
)
requests = st.builds(
    CallReading,
    convention=st.just("genai"),
    layer=st.just(Layer.MESSAGE),
    what=st.just("request"),
    stage=st.just(Stage.REQUESTED),
    name=names,
    args=payloads,
    call_id=call_ids,
    position=st.integers(0, 2),
    agent=st.sampled_from([None, None, "Asker"]),
    fills=st.sampled_from([False, False, True]),
)
responses = st.builds(
    CallReading,
    convention=st.just("genai"),
    layer=st.just(Layer.MESSAGE),
    what=st.just("response"),
    name=names,
    args=payloads,
    result=payloads,
    call_id=call_ids,
    position=st.integers(0, 2),
    fills=st.booleans(),
    stage=st.sampled_from([Stage.EXECUTED, Stage.EXECUTED, Stage.REQUESTED]),
    gaps=st.sampled_from([(), (), (Gap.MAY_HAVE_WAITED,)]),
)
failures = st.builds(
    CallReading,
    convention=st.just("genai"),
    what=st.just("log"),
    status=st.just(Status.ERROR),
    fills=st.just(value=True),
)
handoffs = st.builds(
    CallReading,
    convention=st.just("genai"),
    kind=st.just(CallKind.HANDOFF),
    fills=st.booleans(),
)
roll_ups = st.builds(
    RollUp,
    used=st.builds(
        ModelReading,
        convention=st.just("genai"),
        input_tokens=st.sampled_from([None, 40]),
        output_tokens=st.sampled_from([None, 4]),
        cost_usd=costs,
    ),
    is_cost_so_far=st.booleans(),
)
agents = st.builds(
    AgentReading,
    convention=st.just("genai"),
    name=st.sampled_from([None, "Clerk", "Buyer"]),
    is_step=st.sampled_from([False, False, True]),
    runs_outer=st.sampled_from([False, False, True]),
    roll_up=st.one_of(st.none(), roll_ups),
)
models = st.builds(
    ModelReading,
    convention=st.just("genai"),
    model=st.sampled_from([None, "gpt-4o-mini"]),
    input_tokens=st.sampled_from([None, 10, 1000]),
    output_tokens=st.sampled_from([None, 3]),
    cost_usd=costs,
    response_id=st.sampled_from([None, "r1", "r2"]),
    asks=st.booleans(),
)
messages = st.lists(st.one_of(requests, responses), max_size=3).map(tuple)
readings = st.one_of(
    st.none(),
    st.builds(SpanReading, conversation_id=st.sampled_from(["c1", "c2"])),
    st.builds(SpanReading, agent=agents, conversation_id=st.sampled_from([None, "c1"])),
    st.builds(SpanReading, model=models, calls=messages),
    st.builds(SpanReading, calls=messages),
    st.builds(SpanReading, calls=st.tuples(span_calls), scenario=st.sampled_from([None, "s1"])),
    st.builds(SpanReading, calls=st.tuples(span_calls)),
    st.builds(SpanReading, calls=st.tuples(span_calls), agent=agents),
    st.builds(SpanReading, calls=st.tuples(log_calls)),
    st.builds(SpanReading, calls=st.tuples(st.one_of(failures, handoffs))),
    st.builds(SpanReading, calls=messages, spoken=st.sampled_from([None, *Spoken])),
    st.builds(SpanReading, is_twin=st.just(value=True)),
    st.builds(SpanReading, logged=models),
    st.builds(SpanReading, named=st.sampled_from([("a1", "Seller"), ("a1", "Buyer")])),
)


@st.composite
def places(draw: st.DrawFn) -> Place:
    """A small trace has few ids: parents that come late or never, circles and reused ids come by themselves."""
    span_id = draw(st.sampled_from(IDS))
    start = draw(st.one_of(st.none(), st.integers(0, 6)))
    lasts = draw(st.one_of(st.none(), st.integers(0, 6)))
    return Place(
        trace_id=TRACE,
        id=span_id,
        parent=draw(st.one_of(st.none(), st.sampled_from(IDS), st.sampled_from(IDS[:3]))),
        span_id=span_id,
        start_ns=start,
        end_ns=None if start is None or lasts is None else start + lasts,
        ended=lasts is not None,
        scope=InstrumentationScope(draw(st.sampled_from(["one", "two"]))),
        is_log=draw(st.booleans()),
    )


traces = st.lists(st.tuples(places(), readings), max_size=14)


def trajectory(fed: Sequence[Fed], close_after: int | None = None) -> Trajectory | None:
    assembler = Assembler()
    for number, (place, reading) in enumerate(fed):
        assembler.add(place, reading, now=number)
        if number == close_after:
            assembler.close(ClosedBy.END_OF_INPUT)
    assembler.close(ClosedBy.END_OF_INPUT)
    return assembler.trajectory(TRACE) if fed else None


@given(st.data(), traces)
def test_order_and_repetition_change_nothing(data: st.DataObject, fed: list[Fed]) -> None:
    repeated = [*fed, *data.draw(st.lists(st.sampled_from(fed), max_size=4))] if fed else []
    assert trajectory(data.draw(st.permutations(repeated))) == trajectory(fed)


@given(st.data(), traces)
def test_closing_in_between_changes_nothing(data: st.DataObject, fed: list[Fed]) -> None:
    closed_after = data.draw(st.integers(0, max(0, len(fed) - 1)))
    assert trajectory(fed, closed_after) == trajectory(fed)


@given(traces)
def test_changes_applied_one_after_the_other_give_the_calls(fed: list[Fed]) -> None:
    assembler = Assembler()
    known: dict[str, ToolCall] = {}
    for place, reading in fed:
        changes = assembler.add(place, reading, now=0).changes
        for change in changes:
            if change.before is not None:
                del known[change.before]
        for change in changes:
            if change.after is not None:
                assert change.after.key not in known
                known[change.after.key] = change.after
        calls = assembler.trace(TRACE).calls.values()
        assert known == {call.key: call for call in calls}
        assert len(known) == len(calls)


def tells(node: Node) -> bool:
    """Whether a call stands for it: it is no repetition, and does not only add to one that is not there."""
    if node.call is None or node.is_repeat or node.is_history:
        return False
    return bool(node.members) or not node.call.fills


@given(traces)
def test_every_reading_of_a_call_is_told_by_exactly_one_call(fed: list[Fed]) -> None:
    assembler = Assembler()
    for place, reading in fed:
        assembler.add(place, reading, now=0)
        trace = assembler.trace(TRACE)
        telling = [node for node in trace.nodes.values() if tells(node)]
        assert sorted(trace.calls) == sorted({node.group.place.id for node in telling})
        for node in telling:
            assert [member is node for member in node.members].count(True) == 1
            assert all(member.members is node.members for member in node.members)


@given(traces)
def test_every_span_is_placed_or_counted(fed: list[Fed]) -> None:
    assembler = Assembler(Limits(spans_per_trajectory=5))
    for place, reading in fed:
        assembler.add(place, reading, now=0)
    counters = assembler.counters
    placed = {place.id for place, _ in fed if place.id in assembler.trace(TRACE).placed}
    counted = ("span_limit", "duplicates", "replaced", "reused", "reuse_limit")
    again = [r for _, r in fed if r is not None and (r.is_twin or r.logged is not None)]
    assert len(fed) - len(again) == counters["spans"]
    assert len(fed) == len(placed) + sum(counters[name] for name in counted)


@given(traces, st.integers(1, 6), st.integers(1, 3), st.integers(0, 3))
def test_caps_hold(fed: list[Fed], most_spans: int, most_open: int, most_closed: int) -> None:
    limits = Limits(
        spans_per_trajectory=most_spans,
        open_trajectories=most_open,
        closed_trajectories=most_closed,
    )
    assembler = Assembler(limits)
    seen: set[str] = set()
    gone: set[str] = set()
    for number, (place, reading) in enumerate(fed):
        elsewhere = structs.replace(place, trace_id=place.id[-1] * 32)
        one = assembler.add(elsewhere, reading, now=number)
        seen.add(one.trace_id)
        gone = (gone | set(one.forgotten)) - {one.trace_id}
        assert assembler.open_trajectories <= most_open
        assert len(list(assembler.trace_ids())) <= most_open + most_closed + 1
        assert set(assembler.trace_ids()) == seen - gone
        for trace_id in one.closed:
            assert assembler.trajectory(trace_id).closed_by is ClosedBy.EVICTED


def shuffled(items: Sequence[Item], seed: str) -> list[Item]:
    def place(item: Item) -> bytes:
        return blake2b(f"{seed} {item}".encode()).digest()

    return sorted(items, key=place)


def rebuilt(items: Sequence[Item]) -> dict[str, Trajectory]:
    """All trajectories with a call; a trace of which nothing is left is none."""
    assembler = Assembler()
    for item in items:
        assembler.feed(item, now=0)
    assembler.close(ClosedBy.END_OF_INPUT)
    found = {trace_id: assembler.trajectory(trace_id) for trace_id in assembler.trace_ids()}
    return {trace_id: trace for trace_id, trace in found.items() if trace.calls}


@pytest.mark.parametrize("folder", sorted(path.name for path in CORPUS.iterdir()))
def test_recordings_give_the_same_calls_in_any_order(folder: str) -> None:
    items = [
        item for path in sorted((CORPUS / folder).glob("*.jsonl*")) for item in read_file(path)
    ]
    in_order = rebuilt(items)
    assert rebuilt(items[::-1]) == in_order
    for seed in ("one", "two"):
        assert rebuilt(shuffled([*items, *items[::3]], seed)) == in_order
