"""Calls without their secrets: what every output of ours shows."""

from __future__ import annotations

from msgspec import structs

from toolscore_otel.model import ContentState, ToolCall, Trajectory, Turn
from toolscore_otel.secrets import Scanner, redact_json, redact_text

_NAMES = (
    *("tool", "recorded_name", "agent", "call_id", "conversation_id"),
    *("service", "environment", "model", "provider", "error_type", "error_message"),
)
"""They come from outside, too."""

_NAMES_OF_TURN = ("agent", "model", "provider")
_NAMES_OF_TRAJECTORY = ("conversation_id", "agent", "service", "environment", "scenario")


def redacted(call: ToolCall, scanner: Scanner) -> ToolCall:
    """The same call with every secret replaced by `[REDACTED:kind]`."""
    changes: dict[str, object] = {}
    if call.args_state is ContentState.OBSERVED:
        changes["args"] = redact_json(call.args, scanner)
    if call.result_state is ContentState.OBSERVED:
        changes["result"] = redact_json(call.result, scanner)
    texts = {"args_text": call.args_state, "result_text": call.result_state}
    for name, state in (texts | dict.fromkeys(_NAMES)).items():
        if (text := getattr(call, name)) is not None:
            changes[name] = redact_text(text, scanner, cut=state is ContentState.TRUNCATED)
    return structs.replace(call, **changes)


def _redacted_turn(turn: Turn, scanner: Scanner) -> Turn:
    named = {name: text for name in _NAMES_OF_TURN if (text := getattr(turn, name))}
    return structs.replace(turn, **{n: redact_text(text, scanner) for n, text in named.items()})


def redacted_trajectory(trajectory: Trajectory, scanner: Scanner) -> Trajectory:
    """The same trajectory, its calls too, with every secret replaced by `[REDACTED:kind]`."""
    changes: dict[str, object] = {
        name: redact_text(text, scanner)
        for name in _NAMES_OF_TRAJECTORY
        if (text := getattr(trajectory, name))
    }
    changes["models"] = tuple(redact_text(name, scanner) for name in trajectory.models)
    changes["turns"] = tuple(_redacted_turn(turn, scanner) for turn in trajectory.turns)
    changes["calls"] = tuple(redacted(call, scanner) for call in trajectory.calls)
    return structs.replace(trajectory, **changes)
