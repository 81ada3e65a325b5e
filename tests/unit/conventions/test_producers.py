"""Whether input tokens include those of the cache, by who counted them."""

from __future__ import annotations

import pytest

from toolscore_otel.conventions.counts import Cached
from toolscore_otel.conventions.producers import PRODUCERS, cached_by, counts_apart
from toolscore_otel.model import InstrumentationScope


@pytest.mark.parametrize(
    ("provider", "model"),
    [("openai", "gpt-4o"), ("gcp.gemini", None), (None, "gemini-2.5-pro"), ("ibm.watsonx", "x")],
)
def test_all_apis_but_two_count_the_cache_in_whoever_tells(provider, model):
    assert not counts_apart(provider, model)
    for scope in ("my.app", "openlit.instrumentation.anthropic", ""):
        assert cached_by(InstrumentationScope(scope), provider, model) is Cached.WITHIN


@pytest.mark.parametrize(
    ("scope", "provider", "model", "cached"),
    [
        ("opentelemetry.instrumentation.genai.anthropic", "anthropic", None, "within"),
        ("com.anthropic.sdk.python", "anthropic", None, "within"),
        ("opentelemetry.instrumentation.anthropic", None, "claude-sonnet-4-5", "within"),
        ("opentelemetry.instrumentation.bedrock", "aws.bedrock", "x", "beside"),
        ("opentelemetry.instrumentation.langchain", "anthropic", None, "within"),
        ("opentelemetry.instrumentation.langchain", "aws.bedrock", None, "unknown"),
        ("openinference.instrumentation.bedrock", None, "amazon.nova-pro-v1:0", "within"),
        ("openlit.instrumentation.bedrock", "aws.bedrock", None, "beside"),
        ("agent_framework", "anthropic", "x", "beside"),
        ("agent_framework", None, "us.amazon.nova-pro-v1:0", "unknown"),
        ("strands.telemetry.tracer", "strands-agents", "us.anthropic.claude-x", "by_total"),
        ("gcp.vertex.agent", None, "claude-sonnet-4@20250514", "within"),
        ("litellm", "bedrock", "x", "within"),
        ("codex_exec", None, None, "within"),
        ("my.app", "vertex.anthropic.messages", None, "unknown"),
        ("my.app", None, None, "unknown"),
    ],
)
def test_of_the_two_others_the_instrumentation_decides(scope, provider, model, cached):
    assert cached_by(InstrumentationScope(scope), provider, model) == cached


@pytest.mark.parametrize(
    ("version", "cached"), [("5.4.0", "within"), ("3.0.0", "unknown"), ("", "unknown")]
)
def test_some_differ_by_version(version, cached):
    scope = InstrumentationScope("logfire.anthropic", version)
    assert cached_by(scope, "anthropic", None) == cached


def test_each_entry_says_what_shows_it():
    assert all(one.source and one.cached is not Cached.UNKNOWN for one in PRODUCERS)
