"""What the spans of agent invocations add up, and of which nothing is taken."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from toolscore_otel.conventions import read
from toolscore_otel.conventions.reading import ModelReading, RollUp
from toolscore_otel.conventions.roll_ups import NOT_OF_THE_RUN
from toolscore_otel.model import InstrumentationScope

AGENT = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "desk"}
USED = {"gen_ai.usage.input_tokens": 30, "gen_ai.usage.output_tokens": 4}
PAGE = Path(__file__).parents[3] / "docs" / "pages" / "tokens.md"


def roll_up(reading):
    assert reading is not None
    assert reading.agent is not None
    return reading.agent.roll_up


def test_an_invocation_tells_tokens_and_cost(read_span):
    told = {**AGENT, **USED, "gen_ai.request.model": "gpt-4o", "gen_ai.usage.cost": 0.5}
    assert roll_up(read_span(told)) == RollUp(
        used=ModelReading(
            convention="genai", model="gpt-4o", input_tokens=30, output_tokens=4, cost_usd=0.5
        )
    )


def test_names_of_openinference_are_read_too(read_span):
    told = {
        "openinference.span.kind": "AGENT",
        "llm.token_count.prompt": 30,
        "llm.token_count.completion": 4,
        "llm.cost.total": 0.5,
    }
    scope = "openinference.instrumentation.claude_agent_sdk"
    found = roll_up(read_span(told, scope=scope))
    assert (found.used.input_tokens, found.used.cost_usd, found.is_cost_so_far) == (30, 0.5, True)


def test_a_cost_alone_is_told(read_span):
    found = roll_up(read_span({**AGENT, "gen_ai.usage.cost": 0.5}))
    assert (found.used.cost_usd, found.used.input_tokens) == (0.5, None)


@pytest.mark.parametrize(
    "told",
    [
        AGENT,
        {**AGENT, "gen_ai.request.model": "gpt-4o"},
        {**AGENT, "gen_ai.usage.input_tokens": "many"},
    ],
)
def test_nothing_is_told_where_nothing_is_added_up(read_span, told):
    assert roll_up(read_span(told)) is None


def test_a_step_adds_up_no_run(read_span):
    told = {
        "openinference.span.kind": "AGENT",
        "metadata": '{"langgraph_node": "agent"}',
        "llm.token_count.prompt": 30,
    }
    reading = read_span(told, name="agent", scope="openinference.instrumentation.langchain")
    assert (reading.agent.is_step, reading.agent.roll_up) == (True, None)


def test_a_call_that_is_a_run_too_tells_its_cost_as_a_call(read_span):
    told = {
        "openinference.span.kind": "TOOL",
        "tool.name": "Delegate work to coworker",
        "llm.token_count.prompt": 30,
    }
    assert roll_up(read_span(told, scope="openinference.instrumentation.crewai")) is None


@pytest.mark.parametrize(("scope", "version", "what"), NOT_OF_THE_RUN)
def test_of_what_is_no_sum_of_the_run_nothing_is_taken(make_span, scope, version, what):
    span = make_span({**AGENT, **USED})
    named = InstrumentationScope(scope.replace("*", "x"), version.replace("*", "1"))
    assert roll_up(read(structs.replace(span, scope=named))) is None
    assert f"| `{scope}` | `{version}` | {what} |" in PAGE.read_text()


@pytest.mark.parametrize(("detail", "tokens"), [(True, 30), (False, None)])
def test_the_ai_sdk_tells_the_last_step_before_version_6(read_span, detail, tokens):
    told = {
        "ai.operationId": "ai.generateText",
        "ai.telemetry.functionId": "desk",
        "ai.usage.inputTokens": 30,
    }
    if detail:
        told["ai.usage.inputTokenDetails.noCacheTokens"] = 30
    found = roll_up(read_span(told, scope="ai"))
    assert (found and found.used.input_tokens) == tokens
