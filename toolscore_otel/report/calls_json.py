"""One call as one JSON object: the line that `calls --format jsonl` writes. What is not known is null.

`model`, `provider` and what begins with `turn_` tell of the model call that asked for it, and stand on the line of each call
that this one asked for: whoever adds them up takes each `turn_id` once.
"""

from __future__ import annotations

import msgspec

from toolscore_otel.model import Json, ToolCall

FIELDS = (
    "trace_id",
    "span_id",
    "call_id",
    "tool",
    "recorded_name",
    "kind",
    "args",
    "args_text",
    "args_state",
    "result",
    "result_state",
    "status",
    "error_type",
    "error_message",
    "stage",
    "agent",
    "conversation_id",
    "service",
    "start_unix_nano",
    "end_unix_nano",
    "duration_s",
    "cost_usd",
    "cost_source",
    "model",
    "provider",
    "turn_id",
    "turn_tokens",
    "turn_cost_usd",
    "turn_cost_source",
    "convention",
    "sources",
    "gaps",
)
"""Keys of a line, in order."""

_OTHER_NAMES = {"start_unix_nano": "start_ns", "end_unix_nano": "end_ns"}


def call_object(call: ToolCall) -> dict[str, Json]:
    """A call as plain data, with the keys of `FIELDS`."""
    found = {name: getattr(call, _OTHER_NAMES.get(name, name)) for name in FIELDS}
    found["trace_id"] = call.trace_id or None
    found["tool"] = call.tool or None
    found["recorded_name"] = call.recorded_name or call.tool or None
    built: dict[str, Json] = msgspec.to_builtins(found)
    return built
