"""A call, or a model call, that is told in two traces is judged in one."""

from typing import Any

import pytest

from toolscore_otel.assembly import Place
from toolscore_otel.conventions.reading import CallReading, Layer, ModelReading, SpanReading
from toolscore_otel.engine import Engine, replay
from toolscore_otel.model import ContentState, InstrumentationScope, Label, Payload

ARGS = Payload(ContentState.OBSERVED, {"q": 1})


def told(
    trace: str, span: str, parent: str | None, at: tuple[int, int], call: CallReading
) -> tuple[Place, SpanReading]:
    place = Place(trace, span, parent, span, *at)
    return place, SpanReading(calls=(call,))


def test_what_a_server_in_the_agents_process_told_first_is_taken_back(contract):
    engine = Engine([contract(forbid=[{"tool": "*search"}])])
    server = CallReading(convention="mcp", layer=Layer.MCP_SERVER, name="search", args=ARGS)
    agents = CallReading(convention="genai", name="mcp__shop__search", args=ARGS)
    said = [
        *engine.add(*told("b" * 32, "s", None, (12, 18), server), 0),
        *engine.add(*told("a" * 32, "t", "root", (10, 20), agents), 1),
    ]
    engine.close()

    assert [(f.trace_id[0], f.label) for f in said] == [
        ("b", Label.FAIL),
        ("a", Label.FAIL),
        ("b", Label.PASS),
    ]


def model_call(trace: str, place_id: str, **said: Any) -> tuple[Place, SpanReading]:
    is_log = place_id.startswith("log:")
    scope = InstrumentationScope("codex_otel")
    place = Place(trace, place_id, None, place_id, 1, 2, is_log=is_log, scope=scope)
    return place, SpanReading(model=ModelReading(convention="codex", input_tokens=10, **said))


@pytest.mark.parametrize("log_first", [False, True])
def test_what_a_log_record_told_of_a_span_is_told_again_after_a_restart(log_first):
    span, log = model_call("s" * 32, "m"), model_call("c" * 32, "log:1", model="gpt-5.5")
    first, again = Engine(keeps_records=True), Engine(keeps_records=True)
    for item in (log, span) if log_first else (span, log):
        first.add(*item, 0)
    first.close()
    kept = first.take_new()
    for trace_id in sorted(kept, reverse=True):
        replay(again, trace_id, kept[trace_id])
    for engine in (first, again):
        (turn,) = engine.assembler.trajectory("s" * 32).turns
        assert (turn.id, turn.model) == ("m", "gpt-5.5")
        assert engine.assembler.trajectory("c" * 32).turns == ()
        assert engine.open_traces() == ()
    assert again.take_new() == {}
