"""Rebuilt calls beside the calls that really ran."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from toolscore_otel.model import CallKind, ContentState, Gap, Stage, Status, ToolCall

ONLY_ONE = {None, "", "main", "mcp-server"}
"""Names in the truth that only say: the one agent that there was."""

WRONG = (
    "false",
    "twice",
    "args_wrong",
    "status_wrong",
    "agent_wrong",
    "id_wrong",
    "order_wrong",
)
"""What is said and is not so."""

RIGHT = ("ran", "found", "args_right", "status_right", "agent_right", "id_right")
"""How much there is to say, and what of it is said."""


def plain(value: Any) -> Any:
    """The value that is meant: JSON in text decoded, whole numbers as integers."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and value.strip()[:1] in {"{", "["}:
        try:
            return plain(json.loads(value))
        except ValueError:
            return value
    return value


def bare(name: str | None) -> str:
    """A name without what frameworks put before it."""
    lowered = re.sub(r"^(mcp__.+?__|tools-)", "", (name or "").strip().lower())
    return re.sub(r"[\s-]+", "_", lowered)


def is_seen(call: ToolCall) -> bool:
    """Whether it shows what it was called with: neither absent nor a placeholder."""
    return call.args_state is ContentState.OBSERVED and Gap.CONTENT_HIDDEN not in call.gaps


def compare(name: str, calls: Sequence[ToolCall], scenario: dict[str, Any]) -> Counter[str]:
    """What is right and what is wrong in one scenario, counted (`RIGHT`, `WRONG`).

    Args:
        name: of the scenario; a failure that was given back as data may be told either way.
        calls: as rebuilt, in order.
        scenario: of `truth.json`.
    """
    truths = scenario.get("calls") or []
    executed = [call for call in calls if call.stage is Stage.EXECUTED]
    matched = pairs(executed, truths)
    count = Counter(ran=len(truths), found=len(matched))
    for call, truth in matched:
        count.update(_said(call, truth, either="error_as_result" in name))
    count.update(_too_many(executed, [call for call, _ in matched], scenario))
    ran = {id(call): truth for call, truth in matched}
    in_order = [ran[id(call)] for call in executed if id(call) in ran]
    count["order_wrong"] = sum(
        second["ended_unix_nano"] < first["started_unix_nano"]
        for first, second in pairwise(in_order)
    )
    return count


def pairs(
    calls: Sequence[ToolCall], truths: Sequence[dict[str, Any]]
) -> list[tuple[ToolCall, dict[str, Any]]]:
    """Each call that ran with the rebuilt one that fits it best."""
    ranked = sorted(
        (
            (likeness(call, truth), -i, -t)
            for i, call in enumerate(calls)
            for t, truth in enumerate(truths)
        ),
        reverse=True,
    )
    taken: dict[int, int] = {}
    for points, i, t in ranked:
        if points >= 0 and -i not in taken and -t not in taken.values():
            taken[-i] = -t
    return [(calls[i], truths[t]) for i, t in taken.items()]


def likeness(call: ToolCall, truth: dict[str, Any]) -> float:
    """How well a rebuilt call fits one that ran; negative where the name differs."""
    if bare(call.tool) != bare(truth["name"]):
        return -1
    has_id = call.call_id is not None and call.call_id == truth.get("call_id")
    has_args = is_seen(call) and plain(call.args) == plain(truth["args"])
    started: int = truth["started_unix_nano"]
    away = abs((call.start_ns or 0) - started) / 1e9
    return 8 * has_id + 4 * has_args + max(0.0, 1.0 - away)


def _said(call: ToolCall, truth: dict[str, Any], *, either: bool) -> Iterator[str]:
    if is_seen(call):
        yield "args_right" if plain(call.args) == plain(truth["args"]) else "args_wrong"
    if call.status is not Status.UNKNOWN and not either:
        failed = bool(truth.get("error")) or truth.get("status") == "error"
        yield "status_right" if (call.status is Status.ERROR) == failed else "status_wrong"
    if call.agent and truth.get("agent") not in ONLY_ONE:
        is_right = bare(call.agent).startswith(bare(truth["agent"]))
        yield "agent_right" if is_right else "agent_wrong"
    if call.call_id and truth.get("call_id"):
        yield "id_right" if call.call_id == truth["call_id"] else "id_wrong"


def _too_many(
    executed: Sequence[ToolCall], matched: Sequence[ToolCall], scenario: dict[str, Any]
) -> Iterator[str]:
    """Of the rebuilt calls that none that ran fits: what nobody asked for, or not as often."""
    used = {id(call) for call in matched}
    ran = [bare(truth["name"]) for truth in scenario.get("calls") or []]
    spare = _asked_for(scenario)
    spare.subtract(ran)
    for call in executed:
        if id(call) in used or call.kind is not CallKind.TOOL:
            continue
        spare[bare(call.tool)] -= 1
        if spare[bare(call.tool)] < 0:
            yield "twice" if bare(call.tool) in ran else "false"


def _asked_for(scenario: dict[str, Any]) -> Counter[str]:
    """What may be rebuilt besides what ran: rejected attempts, and what the framework does itself."""
    keys = ("requested_by_model", "model_requested", "framework_tool_calls", "not_executed")
    items = [item for key in keys for item in scenario.get(key) or []]
    names = Counter(bare(item.get("name") if isinstance(item, dict) else item) for item in items)
    names.update(bare(item.get("tool_name")) for item in scenario.get("handoffs") or [])
    return names
