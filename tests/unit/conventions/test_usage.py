"""What a model call shows of having asked for tools, and of what it used and cost."""

from __future__ import annotations

import json

import pytest

from toolscore_otel.conventions.usage import GENAI, asks, cost, model_call

ASKING = [
    {"gen_ai.response.finish_reasons": ["tool_calls"]},
    {"gen_ai.response.finish_reasons": '["tool_call"]'},
    {"gen_ai.response.finish_reasons": ["stop", "tool_use"]},
    {"gen_ai.response.finish_reasons": "TOOL_EXECUTION"},
    {"gen_ai.completion.0.finish_reason": "function_call"},
    {"llm.finish_reason": "tool_calls"},
    {"ai.response.finishReason": "tool-calls"},
    {"llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "search"},
    {"gen_ai.completion.0.tool_calls.0.name": "search"},
    {"ai.response.toolCalls": "[]"},
]
NOT_ASKING = [
    {},
    {"gen_ai.response.finish_reasons": ["stop"]},
    {"gen_ai.response.finish_reasons": 3},
    {"gen_ai.tool.definitions": '[{"name": "search"}]', "llm.tools.0.tool.json_schema": "{}"},
    {"llm.input_messages.2.message.tool_calls.0.tool_call.function.name": "search"},
    {"gen_ai.prompt.2.tool_calls.0.name": "search", "gen_ai.completion.0.content": "a tool"},
]


@pytest.fixture
def model(make_span):
    """The model call of a span with these attributes."""

    def read(attributes, scope=""):
        return model_call("genai", make_span(attributes, scope=scope), GENAI)

    return read


@pytest.mark.parametrize("attributes", ASKING, ids=str)
def test_an_answer_that_asks_for_tools_is_seen_to(model, attributes):
    assert asks(attributes)
    assert model(attributes).asks


@pytest.mark.parametrize("attributes", NOT_ASKING, ids=str)
def test_offered_tools_and_the_history_ask_for_nothing(model, attributes):
    assert not asks(attributes)
    assert not model(attributes).asks


CACHED = [
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.cache_read_input_tokens",
    "gen_ai.usage.cached_input_tokens",
    "gen_ai.usage.details.cache_read_tokens",
    "gen_ai.usage.input_tokens.cached",
    "gen_ai.usage.prompt_tokens_details.cached_tokens",
]
WRITTEN = [
    "gen_ai.usage.cache_write.input_tokens",
    "gen_ai.usage.cache_creation.input_tokens",
    "gen_ai.usage.cache_creation_input_tokens",
    "gen_ai.usage.cache_write_input_tokens",
    "gen_ai.usage.details.cache_write_tokens",
    "gen_ai.usage.input_tokens.cache_write",
]


@pytest.mark.parametrize(
    ("names", "part"), [(CACHED, "cached_tokens"), (WRITTEN, "cache_write_tokens")]
)
def test_tokens_of_the_cache_are_read_under_all_names_in_use(model, names, part):
    for name in names:
        found = model({"gen_ai.usage.input_tokens": 50, name: 7, "gen_ai.system": "openai"})
        assert (getattr(found, part), found.input_tokens) == (7, 50)


@pytest.mark.parametrize(
    ("scope", "input_tokens", "whole", "unclear"),
    [
        ("opentelemetry.instrumentation.genai.anthropic", 500, 500, False),
        ("openlit.instrumentation.anthropic", 500, 530, False),
        ("my.app", 500, 500, True),
        ("my.app", 20, 50, False),
    ],
)
def test_who_counted_decides_and_what_cannot_be_told_is_kept_and_said(
    model, scope, input_tokens, whole, unclear
):
    attributes = {
        "gen_ai.provider.name": "anthropic",
        "gen_ai.usage.input_tokens": input_tokens,
        "gen_ai.usage.cache_read.input_tokens": 25,
        "gen_ai.usage.cache_write.input_tokens": 5,
    }
    found = model(attributes, scope)
    assert (found.input_tokens, found.is_unclear) == (whole, unclear)
    assert (found.cached_tokens, found.cache_write_tokens) == (25, 5)


def test_parts_may_stand_in_the_object_of_the_provider_alone(model):
    raw = {"input_tokens": 50, "input_tokens_details": {"cached_tokens": 7}}
    attributes = {"gen_ai.usage.input_tokens": 50, "gen_ai.system": "openai"}
    found = model(attributes | {"gen_ai.usage.raw": json.dumps(raw)})
    assert (found.input_tokens, found.cached_tokens) == (50, 7)
    adk = {"usage_metadata": {"cached_content_token_count": 6, "thoughts_token_count": 3}}
    attributes |= {"gen_ai.usage.output_tokens": 9, "gen_ai.usage.cache_read.input_tokens": 5}
    found = model(attributes | {"gcp.vertex.agent.llm_response": json.dumps(adk)})
    assert (found.cached_tokens, found.reasoning_tokens, found.output_tokens) == (5, 3, 9)


@pytest.mark.parametrize(
    ("attributes", "usd"),
    [
        ({"gen_ai.usage.cost": 0.5}, 0.5),
        ({"gen_ai.usage.cost.amount": 0.5, "gen_ai.usage.cost.currency": "usd"}, 0.5),
        ({"gen_ai.usage.cost.amount": 0.5, "gen_ai.usage.cost.currency": "EUR"}, None),
        ({"llm.cost.prompt": 0.25, "llm.cost.completion": 0.25}, 0.5),
        ({"llm.cost.prompt": 0.25}, None),
        ({"llm.cost.completion": 0.25}, None),
        ({"gen_ai.usage.cost": 0}, None),
        ({}, None),
    ],
)
def test_a_cost_is_in_dollars_and_two_parts_make_one(attributes, usd):
    assert cost(attributes) == usd


@pytest.mark.parametrize("value", [-5, 1.5, 1e18, "many"])
@pytest.mark.parametrize("side", ["input", "output"])
def test_beside_a_count_that_can_be_none_the_other_is_unclear(model, side, value):
    used = {"gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 10}
    assert not model(used).is_unclear
    assert model(used | {f"gen_ai.usage.{side}_tokens": value}).is_unclear


def test_one_count_alone_is_clear(model):
    assert not model({"gen_ai.usage.output_tokens": 10}).is_unclear


@pytest.mark.parametrize(
    ("attributes", "usd"),
    [
        ({"llm.usage.cost": 0.5}, 0.5),
        ({"langfuse.observation.cost_details": '{"total": 0.5}'}, 0.5),
        ({"cost_usd": "0.01"}, 0.01),
    ],
    ids=str,
)
def test_a_cost_is_read_under_all_names_in_use(model, attributes, usd):
    assert model(attributes).cost_usd == usd
