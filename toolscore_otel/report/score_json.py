"""A report as one JSON object: what `score --format json` writes. What is not known is null."""

from __future__ import annotations

from functools import cache, lru_cache

import msgspec

from toolscore_otel.emit.finding_json import finding_object
from toolscore_otel.engine import Report
from toolscore_otel.model import Json, Score, Status, Trajectory
from toolscore_otel.report.redaction import cleaned_total, cleaned_turn
from toolscore_otel.report.spending import spending_object
from toolscore_otel.secrets import Scanner, redact_text

SCORE = ("name", "value", "label", "contract", "trace_id", "conversation_id", "explanation")
"""Keys of a score, in order."""


def report_object(report: Report) -> dict[str, Json]:
    """A report as plain data: `findings`, `scores`, `trajectories`, `coverage`.

    Findings are the last revision of each, corrections (label `pass`) among them. A trajectory's `calls` counts all of
    them, those only asked for included. `turns` are its model calls, each once; `by_agent` and `by_model` are sums of these.
    """
    built: dict[str, Json] = msgspec.to_builtins(
        {
            "findings": [finding_object(finding) for finding in report.findings],
            "scores": [_taken(score, SCORE) for score in report.scores],
            "trajectories": [_trajectory(trajectory) for trajectory in report.trajectories],
            "coverage": report.coverage,
        }
    )
    return built


def _taken(said: Score, keys: tuple[str, ...]) -> dict[str, Json]:
    found = {key: getattr(said, key) for key in keys}
    found["trace_id"] = said.trace_id or None
    return found


def _trajectory(trajectory: Trajectory) -> dict[str, Json]:
    return {
        "scope": trajectory.scope,
        "trace_id": trajectory.trace_id or None,
        "conversation_id": _clean(trajectory.conversation_id),
        "agent": _clean(trajectory.agent),
        "service": _clean(trajectory.service),
        "start_unix_nano": trajectory.start_ns,
        "end_unix_nano": trajectory.end_ns,
        "latency_s": trajectory.latency_s,
        "active_s": trajectory.active_s,
        "calls": len(trajectory.calls),
        "errors": sum(call.status is Status.ERROR for call in trajectory.calls),
        "tokens": trajectory.tokens,
        "cost_usd": trajectory.cost_usd,
        "cost_source": trajectory.cost_source,
        "closed_by": trajectory.closed_by,
        "incomplete": trajectory.incomplete,
        "gaps": trajectory.gaps,
        **spending_object(
            (cleaned_turn(turn, _clean) for turn in trajectory.turns),
            (cleaned_total(total, _clean) for total in trajectory.agent_totals),
        ),
    }


@lru_cache(maxsize=4096)
def _clean(name: str | None) -> str | None:
    return name and redact_text(name, _scanner())


@cache
def _scanner() -> Scanner:
    return Scanner()
