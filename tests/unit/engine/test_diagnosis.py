"""What telemetry shows, by service and instrumentation, and what of it was left out on the way."""

from __future__ import annotations

from typing import Any

from inline_snapshot import snapshot
from msgspec import structs

from tests.unit.engine.conftest import make_span
from toolscore_otel.assembly import Limits
from toolscore_otel.engine.diagnosis import diagnose
from toolscore_otel.engine.observed import Fact, Observed, Origin, Sampling
from toolscore_otel.model import CallKind, Gap, InstrumentationScope, Span


def only(*spans: Span) -> Observed:
    """Of the one instrumentation that there is."""
    (one,) = diagnose(spans).observed
    return one


def counts(one: Observed) -> dict[str, str]:
    return {name: f"{fact.observed}/{fact.of}" for name, fact in one.facts.items()}


def messages(span_id: str, said: str | None, heard: str | None = None, **fields: Any) -> Span:
    """A model call with its chat messages."""
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.output.messages": said,
        "gen_ai.input.messages": heard,
    }
    return make_span(span_id, attributes, **fields)


ASKED = '[{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"x","arguments":{}}]}]'


def test_a_fact_that_is_neither_there_nor_cut_nor_broken_is_not_observed():
    assert Fact(of=9, observed=3, truncated=2, unparsable=1).not_observed == 3


def test_each_fact_is_counted_over_the_calls_that_can_have_it(agent, tool, model):
    one = only(
        agent("a"),
        model("m", tokens=5, cost=0.5, parent="a"),
        model("n", parent="a"),
        tool("x", args={"a": 1}, result="done", call_id="c1", parent="a"),
        tool("y", args=None, failed=True, parent="a", at=20),
    )

    assert (one.requested, one.executed, one.agents, one.models) == (2, 2, 1, 2)
    assert one.conventions == ("genai",)
    assert counts(one) == snapshot(
        {
            "name": "2/2",
            "arguments": "1/2",
            "result": "1/1",
            "status": "2/2",
            "times": "2/2",
            "agent": "2/2",
            "call_id": "1/2",
            "conversation": "0/2",
            "cost": "0/2",
            "tokens": "1/2",
            "model_cost": "1/2",
        }
    )
    assert one.gaps == {Gap.ARGS_NOT_OBSERVED: 1, Gap.NO_CALL_ID: 1, Gap.RESULT_NOT_OBSERVED: 1}


def test_what_was_cut_and_what_is_no_json_is_neither_observed_nor_missing(tool):
    cut = structs.replace(tool("x"), attributes={**tool("x").attributes, "gen_ai.tool.call.arguments": '{"a": "b'})  # fmt: skip
    broken = make_span(
        "y", {**tool("y").attributes, "gen_ai.tool.call.arguments": "city=Paris"}, at=20
    )

    fact = only(cut, broken).facts["arguments"]
    assert (fact.of, fact.observed, fact.truncated, fact.unparsable) == (2, 0, 1, 1)


def test_a_call_that_was_only_asked_for_can_have_no_result():
    one = only(messages("m", ASKED))

    assert (one.requested, one.executed) == (1, 0)
    assert counts(one) == {
        "name": "1/1",
        "arguments": "1/1",
        "agent": "0/1",
        "call_id": "1/1",
        "conversation": "0/1",
        "tokens": "0/1",
        "model_cost": "0/1",
    }


def test_a_call_counts_under_the_instrumentation_that_tells_it_best(tool):
    outer = tool("x", args={"a": 1}, service="app", scope="framework")
    inner = make_span(
        "y",
        {"mcp.method.name": "tools/call", "gen_ai.tool.name": "search"},
        parent="x",
        at=1,
        took=5,
        service="server",
        scope="mcp",
    )
    first, second = diagnose([outer, inner]).observed

    assert (first.origin, first.requested) == (Origin("app", "framework", ""), 1)
    assert first.beside == {"mcp": 1}
    assert (second.origin, second.requested, second.told) == (Origin("server", "mcp", ""), 0, 1)
    assert second.conventions == ("mcp",)
    assert second.facts == {}


def test_handoffs_are_counted_apart(tool):
    attributes = {"gen_ai.operation.name": "handoff", "gen_ai.handoff.to_agent": "billing"}
    one = only(tool("x"), make_span("y", attributes, at=20))

    assert one.requested == 1
    assert one.others == {CallKind.HANDOFF: 1}


def test_model_calls_that_asked_for_tools_unseen_are_a_gap():
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.response.finish_reasons": ["tool_calls"],
    }
    one = only(make_span("m", attributes))

    assert one.gaps == {Gap.TOOL_SPANS_MISSING: 1}


def test_calls_past_the_cap_of_their_trace_are_counted_without_a_name_of_who_tells_them(tool):
    spans = [tool(f"s{n}", at=n, scope="lib") for n in range(5)]
    first, last = diagnose(spans, limits=Limits(spans_per_trajectory=3)).observed

    assert (first.requested, last.requested) == (3, 2)
    assert last.origin == Origin(None, "", "")
    assert last.conventions == ()


def test_services_and_versions_are_told_apart(tool):
    def versioned(span_id: str, version: str) -> Span:
        scope = InstrumentationScope("lib", version)
        made: Span = structs.replace(tool(span_id, service="app", trace=span_id), scope=scope)
        return made

    spans = [versioned("a", "1"), versioned("b", "2"), versioned("c", "2")]

    assert [(one.origin, one.requested) for one in diagnose(spans).observed] == [
        (Origin("app", "lib", "2"), 2),
        (Origin("app", "lib", "1"), 1),
    ]


def test_sampling_is_said_of_whom_it_is_and_of_all(tool, plain):
    half = structs.replace(tool("x", scope="lib"), trace_state="ot=th:8")
    quarter = structs.replace(tool("y", scope="lib", at=20), trace_state="ot=th:c")
    other = structs.replace(plain("z"), attributes={"tailsampling.policy": "slow"})
    diagnosis = diagnose([half, quarter, other])

    assert diagnosis.observed[0].sampled == Sampling(2, ("ot=th",), 0.25)
    assert diagnosis.sampled == Sampling(3, ("ot=th", "tailsampling.policy"), 0.25)


def test_where_nothing_is_said_of_sampling_nothing_is_known_of_it(tool, plain):
    unsaid = structs.replace(plain("z"), attributes={"tailsampling.policy": "slow"})

    assert diagnose([tool("x")]).sampled is None
    assert diagnose([unsaid]).sampled == Sampling(1, ("tailsampling.policy",), None)


def test_who_wrote_what_is_not_read_is_known_too(plain):
    spans = [plain("x", scope="http", service="app"), plain("y", scope="http", service="app")]

    assert diagnose(spans).writers == {Origin("app", "http", ""): 2}


def test_nothing_at_all_is_a_diagnosis_too():
    diagnosis = diagnose([])

    assert (diagnosis.observed, diagnosis.rules, diagnosis.report.trajectories) == ((), (), ())
