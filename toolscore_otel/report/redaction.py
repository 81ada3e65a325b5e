"""Calls without their secrets: what every output of ours shows."""

from __future__ import annotations

from msgspec import structs

from toolscore_otel.model import ContentState, ToolCall
from toolscore_otel.secrets import Scanner, redact_json, redact_text


def redacted(call: ToolCall, scanner: Scanner) -> ToolCall:
    """The same call with every secret replaced by `[REDACTED:kind]`."""
    changes: dict[str, object] = {}
    if call.args_state is ContentState.OBSERVED:
        changes["args"] = redact_json(call.args, scanner)
    if call.result_state is ContentState.OBSERVED:
        changes["result"] = redact_json(call.result, scanner)
    for name, state in (
        ("args_text", call.args_state),
        ("result_text", call.result_state),
        ("error_message", None),
    ):
        if (text := getattr(call, name)) is not None:
            changes[name] = redact_text(text, scanner, cut=state is ContentState.TRUNCATED)
    return structs.replace(call, **changes)
