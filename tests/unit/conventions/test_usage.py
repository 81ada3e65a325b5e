"""What a model call shows of having asked for tools, and of its tokens."""

from __future__ import annotations

import pytest

from toolscore_otel.conventions.usage import GENAI, asks, model_call

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


@pytest.mark.parametrize("attributes", ASKING, ids=str)
def test_an_answer_that_asks_for_tools_is_seen_to(attributes):
    assert asks(attributes)
    assert model_call("genai", attributes, GENAI).asks


@pytest.mark.parametrize("attributes", NOT_ASKING, ids=str)
def test_offered_tools_and_the_history_ask_for_nothing(attributes):
    assert not asks(attributes)
    assert not model_call("genai", attributes, GENAI).asks


@pytest.mark.parametrize(
    ("input_tokens", "cached", "whole"),
    [
        (1200, 900, 1200),
        (300, 300, 300),
        (300, 900, 1200),
        (300, None, 300),
        (None, 900, None),
    ],
)
def test_more_cached_than_there_is_was_not_included(input_tokens, cached, whole):
    attributes = {
        "gen_ai.usage.input_tokens": input_tokens,
        "gen_ai.usage.cache_read.input_tokens": cached,
    }
    found = model_call("genai", attributes, GENAI)
    assert (found.input_tokens, found.cached_tokens) == (whole, cached)


@pytest.mark.parametrize(
    ("asked", "answered", "thought", "total", "whole"),
    [
        (10, 20, 30, 60, (10, 50)),
        (10, 50, 30, 60, (10, 50)),
        (10, 50, 30, None, (10, 50)),
        (10, None, 30, 40, (10, None)),
        (None, 20, 30, 60, (None, 20)),
        (0, 0, None, 0, (None, None)),
        (0, None, None, None, (None, None)),
        (0, 5, None, 5, (0, 5)),
        (7, 0, 0, 7, (7, 0)),
    ],
)
def test_what_was_not_counted_is_not_nothing_and_thought_counts_once(
    asked, answered, thought, total, whole
):
    names = ("input_tokens", "output_tokens", "reasoning.output_tokens", "total_tokens")
    counts = zip(names, (asked, answered, thought, total), strict=True)
    attributes = {f"gen_ai.usage.{name}": count for name, count in counts}
    call = model_call("genai", attributes, GENAI)
    assert (call.input_tokens, call.output_tokens) == whole
    assert call.reasoning_tokens == thought
