"""What each dialect tells of the tokens and the cost of a model call."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolscore_otel.conventions import read_log
from toolscore_otel.model import InstrumentationScope, LogRecord


@pytest.fixture
def used(read_span):
    """Input, output, cached, written and reasoning tokens of a span's model call, and whether it is unclear."""

    def read(attributes, **fields):
        model = read_span(attributes, **fields).model
        return (*_counts(model), model.is_unclear)

    return read


def _counts(model):
    return (
        model.input_tokens,
        model.output_tokens,
        model.cached_tokens,
        model.cache_write_tokens,
        model.reasoning_tokens,
    )


def test_openinference_has_details_of_the_prompt_and_the_completion(used):
    attributes = {
        "openinference.span.kind": "LLM",
        "llm.token_count.prompt": 1010,
        "llm.token_count.completion": 60,
        "llm.token_count.prompt_details.cache_read": 100,
        "llm.token_count.prompt_details.cache_write": 10,
        "llm.token_count.completion_details.reasoning": 4,
        "llm.provider": "anthropic",
    }
    scope = "openinference.instrumentation.anthropic"
    assert used(attributes, scope=scope) == (1010, 60, 100, 10, 4, False)


def test_claude_codes_span_counts_the_cache_in(used):
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.usage.input_tokens": 1210,
        "gen_ai.usage.output_tokens": 4,
        "gen_ai.usage.cache_read.input_tokens": 900,
        "gen_ai.usage.cache_write.input_tokens": 0,
    }
    scope = "com.anthropic.claude_code.tracing"
    found = used(attributes, name="claude_code.llm_request", scope=scope)
    assert found == (1210, 4, 900, 0, None, False)


AI = {"ai.operationId": "ai.generateText.doGenerate", "ai.usage.outputTokens": 9}


@pytest.mark.parametrize(
    ("attributes", "found"),
    [
        (  # 6: in, for every provider
            {
                "ai.model.provider": "anthropic.messages",
                "ai.usage.inputTokens": 50,
                "ai.usage.inputTokenDetails.cacheReadTokens": 30,
                "ai.usage.inputTokenDetails.cacheWriteTokens": 8,
                "ai.usage.outputTokenDetails.reasoningTokens": 2,
            },
            (50, 9, 30, 8, 2, False),
        ),
        (  # 5: as the provider counts
            {
                "ai.model.provider": "anthropic.messages",
                "ai.usage.inputTokens": 50,
                "ai.usage.cachedInputTokens": 30,
                "ai.response.providerMetadata": '{"anthropic":{"cacheCreationInputTokens":8}}',
            },
            (88, 9, 30, 8, None, False),
        ),
        (
            {
                "ai.model.provider": "openai.chat",
                "ai.usage.inputTokens": 50,
                "ai.usage.cachedInputTokens": 30,
                "ai.usage.reasoningTokens": 3,
            },
            (50, 9, 30, None, 3, False),
        ),
        (  # 4: the rest in metadata alone
            {
                "ai.model.provider": "openai.chat",
                "ai.usage.promptTokens": 50,
                "ai.response.providerMetadata": '{"openai":{"cachedPromptTokens":30,"reasoningTokens":2}}',
            },
            (50, 9, 30, None, 2, False),
        ),
    ],
)
def test_the_ai_sdk_counts_differently_by_version(used, attributes, found):
    assert used(AI | attributes) == found


@pytest.mark.parametrize(
    ("model", "used_by_it", "found"),
    [
        (
            "googleai/gemini-2.5-pro",
            {
                "inputTokens": 50,
                "outputTokens": 9,
                "totalTokens": 61,
                "cachedContentTokens": 30,
                "thoughtsTokens": 2,
            },
            (50, 11, 30, None, 2, False),
        ),
        (
            "anthropic/claude-sonnet-4-5",
            {"inputTokens": 50, "outputTokens": 9, "cachedContentTokens": 30},
            (80, 9, 30, None, None, False),
        ),
    ],
)
def test_genkit_tells_cached_tokens_and_thoughts(used, model, used_by_it, found):
    attributes = {
        "genkit:metadata:subtype": "model",
        "genkit:name": model,
        "genkit:output": json.dumps({"usage": used_by_it}),
    }
    assert used(attributes) == found


@pytest.mark.parametrize(
    ("details", "found"),
    [
        (
            {"input": 50, "output": 9, "total": 59, "input_cached_tokens": 30},
            (50, 9, 30, None, None),
        ),
        (
            {
                "input": 12,
                "output": 7,
                "total": 59,
                "input_cache_read": 30,
                "input_cache_creation": 8,
                "output_reasoning": 2,
            },
            (50, 9, 30, 8, 2),
        ),
        (
            {
                "input": 12,
                "output": 9,
                "cache_read_input_tokens": 30,
                "cache_creation_input_tokens": 8,
            },
            (50, 9, 30, 8, None),
        ),
        (
            {
                "prompt_tokens": 50,
                "completion_tokens": 9,
                "total_tokens": 59,
                "prompt_tokens_details": {"cached_tokens": 30},
                "completion_tokens_details": {"reasoning_tokens": 2},
            },
            (50, 9, 30, None, 2),
        ),
        (
            {"input_tokens": 20, "output_tokens": 9, "cache_read_input_tokens": 15},
            (35, 9, 15, None, None),
        ),
    ],
)
def test_langfuse_leaves_out_of_its_input_what_stands_beside_it(used, details, found):
    attributes = {
        "langfuse.observation.type": "generation",
        "langfuse.observation.usage_details": json.dumps(details),
    }
    assert used(attributes) == (*found, False)


@pytest.mark.parametrize(
    ("details", "usd"),
    [
        ({"total": 0.5, "input": 0.1}, 0.5),
        ({"input": 0.25, "output": 0.25, "note": "x"}, 0.5),
        ({"total": 0}, None),
        ({}, None),
    ],
)
def test_langfuses_parts_make_the_cost_where_it_has_no_total(read_span, details, usd):
    attributes = {
        "langfuse.observation.type": "generation",
        "langfuse.observation.cost_details": json.dumps(details),
    }
    assert read_span(attributes).model.cost_usd == usd


@pytest.mark.parametrize(
    ("model", "unclear"), [("gpt-4o-mini", False), ("claude-sonnet-4-5", True)]
)
def test_haystacks_generators_are_read_by_their_answers(used, model, unclear):
    meta = {
        "model": model,
        "usage": {"prompt_tokens": 50, "completion_tokens": 9, "cache_read_input_tokens": 30},
    }
    attributes = {"haystack.agent.step.llm.output": json.dumps({"replies": [{"meta": meta}]})}
    found = used(attributes, name="haystack.agent.step.llm")
    assert found == (50, 9, 30, None, None, unclear)


def test_codexs_span_is_read_by_openais_usage(used):
    attributes = {
        "gen_ai.usage.input_tokens": 1300,
        "gen_ai.usage.output_tokens": 25,
        "gen_ai.usage.cache_read.input_tokens": 1024,
        "codex.usage.reasoning_output_tokens": 5,
        "codex.usage.total_tokens": 1325,
    }
    found = used(attributes, name="handle_responses", scope="codex_exec")
    assert found == (1300, 25, 1024, None, 5, False)


def test_codexs_other_spans_of_a_model_call_say_nothing(read_span):
    attributes = {"gen_ai.request.model": "gpt-5.5", "from": "output_item_done"}
    assert read_span(attributes, name="handle_responses", scope="codex_exec") is None


def log(attributes, scope) -> Any:
    return read_log(
        LogRecord(
            event_name=None,
            body=None,
            attributes=attributes,
            scope=InstrumentationScope(scope),
            time_ns=5,
        )
    )


CLAUDE = {
    "event.name": "api_request",
    "session.id": "s1",
    "model": "claude-sonnet-4-5",
    "input_tokens": 310,
    "output_tokens": 4,
    "cache_read_tokens": 900,
    "cache_creation_tokens": 20,
    "cost_usd": 0.00126,
    "duration_ms": 38,
}


@pytest.mark.parametrize(
    ("provider", "named"),
    [("firstParty", "anthropic"), ("bedrock", "aws.bedrock"), ("foundry", None), (None, None)],
)
def test_claude_codes_log_tells_a_model_call_and_what_it_cost(provider, named):
    found = log(CLAUDE | {"anthropic.provider": provider}, "com.anthropic.claude_code.events")
    model = found.model
    assert _counts(model) == (1230, 4, 900, 20, None)
    assert (model.model, model.provider, model.cost_usd) == ("claude-sonnet-4-5", named, 0.00126)
    assert (found.duration_ns, found.conversation_id) == (38_000_000, "s1")


def test_it_may_name_the_sub_agent_too_and_events_of_others_say_nothing():
    named = CLAUDE | {"agent_id": "a1", "agent.name": "reviewer"}
    found = log(named, "com.anthropic.claude_code.events")
    assert (found.named, found.model.input_tokens) == (("a1", "reviewer"), 1230)
    assert log(named, "my.app") is None


def test_of_codexs_two_events_of_an_answer_one_has_the_tokens():
    event = {
        "event.name": "codex.sse_event",
        "event.kind": "response.completed",
        "model": "gpt-5.5",
    }
    assert log(event, "codex_otel.log_only") is None
    tokens = {
        "input_token_count": 1300,
        "output_token_count": 25,
        "cached_token_count": 1024,
        "cache_write_token_count": 0,
        "reasoning_token_count": 3,
        "tool_token_count": 1325,
        "conversation.id": "s1",
    }
    found = log(event | tokens, "codex_otel.log_only")
    assert _counts(found.model) == (1300, 25, 1024, 0, 3)
    assert (found.model.model, found.conversation_id) == ("gpt-5.5", "s1")


@pytest.mark.parametrize(("of_tools", "asked"), [(0, 1300), (40, 1340), (None, 1300)])
def test_gemini_clis_log_has_thoughts_and_results_of_tools_apart(of_tools, asked):
    event = {
        "event.name": "gemini_cli.api_response",
        "model": "gemini-2.5-pro",
        "input_token_count": 1300,
        "output_token_count": 4,
        "cached_content_token_count": 1024,
        "thoughts_token_count": 6,
        "tool_token_count": of_tools,
        "duration_ms": 71,
    }
    found = log(event, "gemini-cli")
    assert _counts(found.model) == (asked, 10, 1024, None, 6)
    assert found.duration_ns == 71_000_000
