"""Tokens to USD, at list prices."""

from __future__ import annotations

import sys

import pytest

from toolscore_otel.pricing import price, prices


@pytest.fixture(autouse=True)
def _forget_prices():
    prices._price.cache_clear()
    prices._table.cache_clear()
    yield
    prices._price.cache_clear()
    prices._table.cache_clear()


def test_a_known_model_costs_what_its_list_says():
    one, more = price("gpt-4o-mini", None, 1000, 0), price("gpt-4o-mini", None, 3000, 0)
    assert one is not None
    assert more is not None
    assert 0 < one < 0.01
    assert more == pytest.approx(3 * one)


def test_cached_tokens_are_part_of_the_input_and_cheaper():
    whole = price("gpt-4o-mini", "openai", 1000, 10)
    cached = price("gpt-4o-mini", "openai", 1000, 10, 800)
    assert whole is not None
    assert cached is not None
    assert 0 < cached < whole


def test_tokens_written_to_a_cache_are_part_of_the_input_and_cost_more():
    plain = price("claude-sonnet-4-5", "anthropic", 1000, 10)
    written = price("claude-sonnet-4-5", "anthropic", 1000, 10, cache_write_tokens=800)
    both = price("claude-sonnet-4-5", "anthropic", 1000, 10, 200, cache_write_tokens=800)
    assert plain is not None
    assert written is not None
    assert both is not None
    assert plain < written
    assert both < written
    assert price("claude-sonnet-4-5", "anthropic", 1000, 10, 300, cache_write_tokens=800) is None


def test_what_is_paid_in_another_way_has_no_price():
    assert price("gpt-4o-mini", "github-copilot", 1000, 10) is None


@pytest.mark.parametrize("model", ["gpt-4o-mini-2024-07-18", "gpt-4o-mini"])
@pytest.mark.parametrize("provider", ["openai", "no-such-provider", None])
def test_a_dated_model_is_found_and_a_provider_that_nobody_knows_does_not_hide_it(model, provider):
    assert price(model, provider, 1000, 10) == price("gpt-4o-mini", None, 1000, 10)


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        (None, (1000, 10)),
        ("", (1000, 10)),
        ("gpt-4o-mini", (None, None)),
        ("home-made-model-7", (1000, 10)),
    ],
)
def test_what_is_not_known_has_no_price(model, tokens):
    assert price(model, None, *tokens) is None


@pytest.mark.parametrize("tokens", [(1000, None), (None, 10)])
def test_one_side_alone_has_a_price(tokens):
    assert price("gpt-4o-mini", None, *tokens)


def test_tokens_that_make_no_sense_have_no_price():
    assert price("gpt-4o-mini", None, 10, 10, 1000) is None
    assert price("gpt-4o-mini", None, -5, 10) is None


def test_without_the_extra_there_are_no_prices(monkeypatch):
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    assert price("gpt-4o-mini", None, 1000, 10) is None


@pytest.mark.parametrize(
    ("model", "provider"),
    [
        ("openai/gpt-4o-mini", None),
        ("openai/gpt-4o-mini", "litellm"),
        ("custom_name/gpt-4o-mini", "openai"),
    ],
)
def test_who_serves_a_model_may_stand_before_its_name(model, provider):
    assert price(model, provider, 1000, 10) == price("gpt-4o-mini", "openai", 1000, 10)


@pytest.mark.parametrize("provider", [None, "strands-agents", "aws.bedrock"])
def test_a_name_of_bedrocks_is_known_whoever_tells_it(provider):
    known = price("anthropic.claude-3-haiku-20240307-v1:0", "aws", 1000, 10)
    assert known is not None
    for name in (
        "us.anthropic.claude-3-haiku-20240307-v1:0",
        "bedrock/us.anthropic.claude-3-haiku-20240307-v1:0",
        "arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-3-haiku-20240307-v1:0",
    ):
        assert price(name, provider, 1000, 10) == known


@pytest.mark.parametrize("model", ["hosted_vllm/gpt-4o-mini", "ollama/gpt-4o-mini"])
def test_a_model_that_somebody_unknown_serves_has_no_price(model):
    assert price(model, None, 1000, 10) is None
