"""A call that is told in two traces is judged in one."""

from toolscore_otel.assembly import Place
from toolscore_otel.conventions.reading import CallReading, Layer, SpanReading
from toolscore_otel.engine import Engine
from toolscore_otel.model import ContentState, Label, Payload

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
