"""Names of one model, and what they cost."""

from __future__ import annotations

import pytest

from toolscore_otel.pricing import price
from toolscore_otel.pricing.names import candidates

HAIKU = "anthropic.claude-3-haiku-20240307-v1:0"
SONNET = "anthropic.claude-sonnet-4-20250514-v1:0"

SAME: dict[tuple[str, str], list[str]] = {
    ("gpt-4o-2024-08-06", "openai"): [
        "gpt-4o",
        "openai/gpt-4o-2024-08-06",
        "azure/gpt-4o-2024-08-06",
        "azure/global/gpt-4o-2024-08-06",
        "azure/global-standard/gpt-4o-2024-08-06",
    ],
    ("claude-sonnet-4-20250514", "anthropic"): [
        "anthropic/claude-sonnet-4-20250514",
        "vertex_ai/claude-sonnet-4@20250514",
        "claude-sonnet-4@20250514",
        "publishers/anthropic/models/claude-sonnet-4@20250514",
        "vertex_ai/publishers/anthropic/models/claude-sonnet-4@20250514",
    ],
    (HAIKU, "aws"): [
        f"us.{HAIKU}",
        f"bedrock/us.{HAIKU}",
        f"bedrock/converse/us.{HAIKU}",
        f"arn:aws:bedrock:us-east-1::foundation-model/{HAIKU}",
    ],
    (f"eu.{SONNET}", "aws"): [f"eu.{SONNET}", f"bedrock/eu.{SONNET}"],
    ("gemini-2.5-flash", "google"): [
        "gemini-2.5-flash",
        "models/gemini-2.5-flash",
        "gemini/gemini-2.5-flash",
        "vertex_ai/gemini-2.5-flash",
        "publishers/google/models/gemini-2.5-flash",
        "projects/p/locations/global/publishers/google/models/gemini-2.5-flash",
    ],
    ("anthropic/claude-sonnet-4", "openrouter"): ["openrouter/anthropic/claude-sonnet-4"],
    ("ft:gpt-4o-mini-2024-07-18:another::id", "openai"): [
        "ft:gpt-4o-mini-2024-07-18:acme::AbC1",
        "openai/ft:gpt-4o-mini-2024-07-18:acme::AbC1",
    ],
}
"""A model and a provider of the list, and other names of it."""

UNKNOWN = [
    "azure/eu/gpt-4o-2024-08-06",  # costs more there, and the list has no such entry
    "azure/us/gpt-4o-2024-08-06",
    "azure/our-deployment",
    "gpt-4o-prod",
    f"bedrock/eu-central-1/{HAIKU}",
    f"bedrock/us-east-1/1-month-commitment/{HAIKU}",
    "projects/p/locations/europe-west1/publishers/google/models/gemini-2.5-flash",
    "tunedModels/ours",
    "ft:gpt-4.1-2025-04-14:acme::AbC1",
    "ollama/gpt-oss-20b",
    "hosted_vllm/gpt-4o-mini",
    "fireworks_ai/accounts/fireworks/models/gemini-2.5-flash",
    "github_copilot/gpt-4o",
    "custom/gpt-4o-mini",
]


@pytest.mark.parametrize(
    ("name", "model", "provider"),
    [(name, *known) for known, names in SAME.items() for name in names],
)
def test_a_model_costs_the_same_under_all_its_names(name, model, provider):
    assert price(name, None, 1000, 10, 100) == price(model, provider, 1000, 10, 100) is not None


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_the_list_does_not_hold_has_no_price_by_a_name_that_is_like_it(name):
    assert price(name, None, 1000, 10) is None


def test_a_fine_tuned_model_costs_another_price_than_its_base():
    tuned = price("ft:gpt-4o-mini-2024-07-18:acme::AbC1", None, 1000, 10)
    plain = price("gpt-4o-mini-2024-07-18", None, 1000, 10)
    assert plain is not None
    assert tuned is not None
    assert tuned > plain


@pytest.mark.parametrize(
    ("provider", "model", "known"),
    [
        ("azure.ai.openai", "gpt-4o", "azure"),
        ("aws.bedrock", HAIKU, "aws"),
        ("gcp.vertex_ai", "gemini-2.5-flash", "google"),
        ("gcp.gen_ai", "gemini-2.5-flash", "google"),
        ("x_ai", "grok-4", "x-ai"),
        ("OpenAI", "gpt-4o", "openai"),
    ],
)
def test_providers_are_known_by_the_names_of_telemetry(provider, model, known):
    assert price(model, provider, 1000, 10) == price(model, known, 1000, 10) is not None


@pytest.mark.parametrize("provider", ["ollama", "vllm", "lm_studio"])
def test_on_ones_own_machine_no_model_has_a_list_price(provider):
    assert not candidates("gpt-oss-20b", provider)
    assert price("gpt-oss-20b", "groq", 1000, 10) is not None
    assert price("gpt-oss-20b", provider, 1000, 10) is None
