"""Calls without their secrets: what every output of ours shows."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import structs

from toolscore_otel.model import AgentTotal, ContentState, ToolCall, Trajectory, Turn
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


def cleaned_turn(turn: Turn, clean: Callable[[str | None], str | None]) -> Turn:
    """The same turn, its names cleaned."""
    return structs.replace(turn, **{name: clean(getattr(turn, name)) for name in _NAMES_OF_TURN})


def cleaned_total(total: AgentTotal, clean: Callable[[str | None], str | None]) -> AgentTotal:
    """The same total, its agent's name cleaned."""
    return structs.replace(total, agent=clean(total.agent))


def redacted_trajectory(trajectory: Trajectory, scanner: Scanner) -> Trajectory:
    """The same trajectory, its calls too, with every secret replaced by `[REDACTED:kind]`."""

    def clean(name: str | None) -> str | None:
        return name and redact_text(name, scanner)

    return structs.replace(
        trajectory,
        **{name: clean(getattr(trajectory, name)) for name in _NAMES_OF_TRAJECTORY},
        models=tuple(map(clean, trajectory.models)),
        turns=tuple(cleaned_turn(turn, clean) for turn in trajectory.turns),
        agent_totals=tuple(cleaned_total(total, clean) for total in trajectory.agent_totals),
        calls=tuple(redacted(call, scanner) for call in trajectory.calls),
    )
