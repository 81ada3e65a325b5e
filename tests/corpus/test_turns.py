"""Which model calls of the recordings asked for which calls, and what these used and cost, worked out from the raw spans."""

from collections import Counter
from collections.abc import Iterable, Iterator

import pytest
from msgspec import structs

from tests.corpus.recordings import FOLDERS, files_of, items_in, trajectories
from toolscore_otel.assembly import Assembler, Item, placed_all
from toolscore_otel.model import AgentTotal, CostSource, ToolCall, Trajectory, Turn

PRICED, REPORTED = CostSource.PRICED, CostSource.REPORTED
MILLION = 1_000_000


def told(folder: str, scenario: str) -> list[Trajectory]:
    return trajectories(items_in(files_of(folder)[scenario]))


def asked(folder: str, scenario: str) -> list[tuple[object, ...]]:
    """Of each call: tool, model, provider, begin of the span id of its turn, tokens in and out and cost of that, in millionths."""
    return [
        (
            call.tool,
            call.model,
            call.provider,
            (call.turn_id or "")[:6],
            (tokens.input, tokens.output) if (tokens := call.turn_tokens) else None,
            None if call.turn_cost_usd is None else round(call.turn_cost_usd * MILLION, 4),
            call.turn_cost_source,
        )
        for trajectory in told(folder, scenario)
        for call in trajectory.calls
        if any(source.what in ("span", "request") for source in call.sources)
    ]


def test_the_message_of_a_model_call_says_what_it_asked_for() -> None:
    """Input 0.15, cached input 0.075, output 0.60 dollars a million: 96 x 0.15 + 5 x 0.075 + 11 x 0.60 = 21.375."""
    assert asked("crewai__openinference-events-react__1.15.30", "a_sequence") == [
        ("search_flights", "gpt-4o-mini", None, "b4f92d", (101, 11), 21.375, PRICED),
        ("book_flight", "gpt-4o-mini", None, "66652c", (102, 12), 22.125, PRICED),
    ]


def test_log_records_beside_the_span_say_it_and_the_span_what_it_cost() -> None:
    """The second turn repeats the first request in its history. Costs are those that the spans report."""
    model, provider = "gpt-4o-mini-2024-07-18", "openai"
    assert asked("pydantic-ai__builtin-v1-logs__1.107.10", "a_two_sequential") == [
        ("search_orders", model, provider, "5d3ae1", (302, 24), 59.7, REPORTED),
        ("update_order", model, provider, "606660", (429, 29), 81.75, REPORTED),
    ]


def test_calls_side_by_side_are_of_one_turn() -> None:
    """96 x 0.30 + 5 x 0.03 + 11 x 2.50 = 56.45."""
    model, provider = "gemini-2.5-flash", "gcp.gemini"
    one = ("get_weather", model, provider, "b30640", (101, 11), 56.45, PRICED)
    assert asked("google-adk__native-schema2-event_only__2.13.0", "b_parallel") == [one, one]


def test_of_two_spans_of_one_response_one_is_the_turn() -> None:
    """The instrumentation's span holds the messages, the SDK's own inside it the same response id. 213 x 3 + 24 x 15 = 999."""
    folder, model = "anthropic__genai-anthropic-span_only__1.3b0", "claude-sonnet-4-5"
    assert asked(folder, "a_two_sequential") == [
        ("search_orders", model, "anthropic", "f8e099", (213, 24), 999.0, PRICED),
        ("update_order", model, "anthropic", "b56142", (339, 29), 1452.0, PRICED),
    ]


def test_without_content_ids_and_reasons_to_stop_tell_of_turns_one_after_the_other() -> None:
    """169 x 0.15 + 15 x 0.60 = 34.35; of Claude Code, 300 x 3 + 21 x 15 = 1215, while the answer is still streamed; its log says so."""
    model, provider = "gpt-4o-mini-2024-07-18", "openai"
    assert asked("langchain__genai-langchain-nocontent__1.3b0", "c_retry_loop") == [
        ("fetch_url", model, provider, "751a5e", (169, 15), 34.35, PRICED),
        ("fetch_url", model, provider, "79f61d", (272, 15), 49.8, PRICED),
        ("fetch_url", model, provider, "825f28", (375, 15), 65.25, PRICED),
    ]
    assert asked("claude-code__native-content__2.1.332", "a1_single_shell") == [
        ("Bash", "claude-sonnet-4-5", "anthropic", "d5d680", (300, 21), 1215.0, REPORTED)
    ]


@pytest.mark.parametrize("folder", FOLDERS)
def test_turns_add_up_to_what_a_trajectory_used_and_cost(folder: str) -> None:
    """With what runs add up of which no turn is told; none of these stand inside each other here."""
    for scenario in files_of(folder):
        for trace in told(folder, scenario):
            parts: list[Turn | AgentTotal] = [*trace.turns, *trace.agent_totals]
            tokens = [part.tokens.input for part in parts if part.tokens.input is not None]
            assert trace.tokens.input == (sum(tokens) if tokens else None)
            costs = [part.cost_usd for part in parts if part.cost_usd is not None]
            assert trace.cost_usd == (pytest.approx(sum(costs)) if costs else None)


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_call_is_asked_for_in_a_turn_of_its_own_time(folder: str) -> None:
    for scenario in files_of(folder):
        traces = told(folder, scenario)
        turns = {turn.id: turn for trace in traces for turn in trace.turns}
        for call in (call for trace in traces for call in trace.calls if call.turn_id):
            turn = turns[call.turn_id or ""]
            assert (call.model, call.turn_cost_usd) == (turn.model, turn.cost_usd)
            assert turn.start_ns is not None
            assert call.start_ns is not None
            assert turn.start_ns <= call.start_ns


def silenced(items: Iterable[Item]) -> Iterator[Item]:
    """What is left where no message shows what a model asks for."""
    for place, reading in items:
        if reading is None:
            yield place, reading
            continue
        calls = tuple(call for call in reading.calls if call.what != "request")
        yield place, structs.replace(reading, calls=calls)


def by_order(folder: str, scenario: str) -> Iterator[ToolCall]:
    assembler = Assembler()
    for trace_id, items in placed_all(items_in(files_of(folder)[scenario])).items():
        assembler.add_all(trace_id, silenced(items), 0)
    for trace_id in assembler.trace_ids():
        yield from assembler.trajectory(trace_id).calls


def test_what_order_shows_is_what_the_messages_say() -> None:
    """Of all recordings with messages: these are taken away, and what is then said of turns is held against them."""
    outcomes: Counter[str] = Counter()
    for folder, scenario in ((f, s) for f in FOLDERS for s in files_of(f)):
        shown = {
            (call.trace_id, call.span_id): call.turn_id
            for trace in told(folder, scenario)
            for call in trace.calls
            if any(source.what == "request" for source in call.sources) and call.turn_id
        }
        for call in by_order(folder, scenario):
            turn_id = shown.get((call.trace_id, call.span_id))
            if turn_id is not None and call.turn_id is not None:
                outcomes["same" if call.turn_id == turn_id else "other"] += 1
    assert outcomes["other"] == 0
    assert outcomes["same"] > 100
