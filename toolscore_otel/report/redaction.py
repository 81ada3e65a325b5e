"""Calls without their secrets: what every output of ours shows."""

from __future__ import annotations

from msgspec import structs

from toolscore_otel.model import ContentState, ToolCall
from toolscore_otel.secrets import Scanner, redact_json, redact_text


def redacted(call: ToolCall, scanner: Scanner) -> ToolCall:
    """The same call with every known kind of secret replaced by `[REDACTED:kind]`."""
    changes: dict[str, object] = {}
    if call.args_state is ContentState.OBSERVED:
        changes["args"] = redact_json(call.args, scanner)
    if call.result_state is ContentState.OBSERVED:
        changes["result"] = redact_json(call.result, scanner)
    for name in ("args_text", "result_text", "error_message"):
        text = getattr(call, name)
        if text is not None:
            changes[name] = redact_text(text, scanner)
    return structs.replace(call, **changes)
