"""What is read of tokens, held against the provider's own numbers where a recording has both."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from tests.corpus.recordings import FOLDERS, files_of, items_in, trajectories
from toolscore_otel.conventions import read
from toolscore_otel.model import LogRecord, Span

RAW = (
    *("output.value", "gen_ai.usage.raw", "gcp.vertex.agent.llm_response", "response"),
    "haystack.agent.step.llm.output",
)
"""Where the provider's answer stands on a model span, with its usage."""
USAGE = ("usage", "usage_metadata", "token_usage")
DEEPEST = 6


def _used(usage: dict[str, Any]) -> tuple[int, int, int, int] | None:
    """Input, output, cached and reasoning tokens of a provider's own object."""

    def number(*path: str) -> int:
        found: Any = usage
        for key in path:
            found = (found or {}).get(key)
        return found or 0

    if "prompt_tokens_details" in usage or "completion_tokens_details" in usage:
        parts = number("prompt_tokens_details", "cached_tokens")
        thought = number("completion_tokens_details", "reasoning_tokens")
        return number("prompt_tokens"), number("completion_tokens"), parts, thought
    if "input_tokens_details" in usage:
        parts = number("input_tokens_details", "cached_tokens")
        thought = number("output_tokens_details", "reasoning_tokens")
        return number("input_tokens"), number("output_tokens"), parts, thought
    if "cache_read_input_tokens" in usage:
        parts = number("cache_read_input_tokens")
        asked = number("input_tokens") + parts + number("cache_creation_input_tokens")
        return asked, number("output_tokens"), parts, 0
    if "prompt_token_count" in usage:
        thought = number("thoughts_token_count")
        answered = number("candidates_token_count") + thought
        return number("prompt_token_count"), answered, number("cached_content_token_count"), thought
    return None


def _objects(value: Any, depth: int = 0) -> Iterator[tuple[int, int, int, int]]:
    if isinstance(value, str) and value[:1] in "{[":
        try:
            value = json.loads(value)
        except ValueError:
            return
    if isinstance(value, dict) and depth < DEEPEST:
        for key, inner in value.items():
            used = _used(inner) if key in USAGE and isinstance(inner, dict) else None
            if used is not None:
                yield used
            yield from _objects(inner, depth + 1)
    elif isinstance(value, list) and depth < DEEPEST:
        for inner in value:
            yield from _objects(inner, depth + 1)


def _raw(span: Span) -> set[tuple[int, int, int, int]]:
    found = {used for name in RAW for used in _objects(span.attributes.get(name))}
    return found | set(_objects({"usage": span.attributes.get("gen_ai.usage.raw")}))


WITH_BOTH: list[tuple[str, Span]] = [
    (folder, item)
    for folder in FOLDERS
    for paths in files_of(folder).values()
    for item in items_in(paths)
    if isinstance(item, Span) and any(name in item.attributes for name in RAW)
]


def test_tokens_are_those_that_the_provider_counted() -> None:
    seen: Counter[str] = Counter()
    for folder, span in WITH_BOTH:
        reading = read(span)
        model = None if reading is None else reading.model
        raw = _raw(span)
        if model is None or model.input_tokens is None or not raw:
            continue
        parts = (model.cached_tokens or 0, model.reasoning_tokens or 0)
        assert (model.input_tokens, model.output_tokens, *parts) in raw, folder
        seen[folder] += 1
    assert len(seen) >= 9


SPANS_AND_LOGS = [
    ("claude-code__native-default__2.1.332", "api_request"),
    ("codex-cli__native-noprompt__0.171.0", "codex.sse_event"),
    ("gemini-cli__native-traces__0.61.0", "gemini_cli.api_response"),
]


INPUTS = ("input_tokens", "input_token_count", "cache_read_tokens", "cache_creation_tokens")
CACHED = ("cache_read_tokens", "cached_token_count", "cached_content_token_count")


@pytest.mark.parametrize(("folder", "event"), SPANS_AND_LOGS)
def test_what_spans_and_logs_of_an_agent_both_tell_counts_once(folder: str, event: str) -> None:
    for paths in files_of(folder).values():
        items = items_in(paths)
        logged = [
            item.attributes
            for item in items
            if isinstance(item, LogRecord) and item.attributes.get("event.name") == event
        ]
        asked, cached = (
            sum(int(str(record.get(name, 0))) for record in logged for name in names)
            for names in (INPUTS, CACHED)
        )
        traces = trajectories(items)
        assert asked == sum(trace.tokens.input or 0 for trace in traces) > 0
        assert cached == sum(trace.tokens.cached or 0 for trace in traces)
        turns = [turn for trace in traces for turn in trace.turns]
        assert all(turn.model for turn in turns)
        assert not any(turn.id.startswith("log:") for turn in turns)
