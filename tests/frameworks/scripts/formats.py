"""One turn of the model in the wire format of each provider."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from story import ANSWER, Turn

Json = dict[str, Any]


def chat_completion(turn: Turn, number: int) -> Json:
    """OpenAI, `POST /chat/completions`."""
    message: Json = {"role": "assistant", "content": None if turn.tool else ANSWER}
    if turn.tool:
        function = {"name": turn.tool, "arguments": json.dumps(turn.args)}
        message["tool_calls"] = [{"id": f"call_{number}", "type": "function", "function": function}]
    finish = "tool_calls" if turn.tool else "stop"
    return _chat_head(number, "chat.completion") | {
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        "usage": _chat_usage(turn),
    }


def chat_completion_chunks(turn: Turn, number: int) -> Iterator[Json]:
    """The same, streamed: the whole message at once, then why it ended, then the usage."""
    whole = chat_completion(turn, number)
    head = _chat_head(number, "chat.completion.chunk")
    choice = whole["choices"][0]
    delta = choice["message"]
    for index, call in enumerate(delta.get("tool_calls", ())):
        call["index"] = index
    yield head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield head | {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
    yield head | {"choices": [], "usage": whole["usage"]}


def _chat_head(number: int, kind: str) -> Json:
    return {
        "id": f"chatcmpl-{number}",
        "object": kind,
        "created": 1_796_000_000,
        "model": "gpt-4o-2024-08-06",
    }


def _chat_usage(turn: Turn) -> Json:
    return {
        "prompt_tokens": turn.prompt_tokens,
        "completion_tokens": turn.completion_tokens,
        "total_tokens": turn.prompt_tokens + turn.completion_tokens,
    }


def response(turn: Turn, number: int) -> Json:
    """OpenAI, `POST /responses`."""
    item: Json
    if turn.tool:
        item = {
            "type": "function_call",
            "id": f"fc_{number}",
            "call_id": f"call_{number}",
            "name": turn.tool,
            "arguments": json.dumps(turn.args),
            "status": "completed",
        }
    else:
        item = {
            "type": "message",
            "id": f"msg_{number}",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": ANSWER, "annotations": []}],
        }
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 1_796_000_000,
        "status": "completed",
        "model": "gpt-4o-2024-08-06",
        "output": [item],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": turn.prompt_tokens,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": turn.completion_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": turn.prompt_tokens + turn.completion_tokens,
        },
    }


def anthropic_message(turn: Turn, number: int) -> Json:
    """Anthropic, `POST /v1/messages`."""
    content: Json = {"type": "text", "text": ANSWER}
    if turn.tool:
        content = {
            "type": "tool_use",
            "id": f"toolu_{number}",
            "name": turn.tool,
            "input": turn.args,
        }
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-20250514",
        "content": [content],
        "stop_reason": "tool_use" if turn.tool else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": turn.prompt_tokens, "output_tokens": turn.completion_tokens},
    }


def gemini_content(turn: Turn, number: int) -> Json:
    """Gemini, `POST /v1beta/models/MODEL:generateContent`."""
    part: Json = {"text": ANSWER}
    if turn.tool:
        part = {"functionCall": {"id": f"call_{number}", "name": turn.tool, "args": turn.args}}
    return {
        "responseId": f"resp_{number}",
        "modelVersion": "gemini-2.5-flash",
        "candidates": [
            {"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": [part]}}
        ],
        "usageMetadata": {
            "promptTokenCount": turn.prompt_tokens,
            "candidatesTokenCount": turn.completion_tokens,
            "totalTokenCount": turn.prompt_tokens + turn.completion_tokens,
        },
    }
