"""Recorded telemetry of real frameworks, held against what really ran beside it (`truth.json`)."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from toolscore_otel.assembly import Assembler, in_order
from toolscore_otel.conventions import CONVENTIONS
from toolscore_otel.model import (
    CallKind,
    ClosedBy,
    ContentState,
    Gap,
    Stage,
    Status,
    ToolCall,
)
from toolscore_otel.wire import group_recordings, read_file

FRAMEWORKS = Path(__file__).parent / "frameworks"
FOLDERS = sorted(path.name for path in FRAMEWORKS.iterdir() if (path / "truth.json").exists())

TOLD_BY_NOTHING = {
    "litellm__otel-callback-nocontent__1.110.2": 2,
    "openai__openinference-hidden__0.1.66": 2,
}
"""Calls that nothing tells of: content is off, so that chat messages have neither names nor ids."""

OTHER_AGENT = {"crewai__openinference__1.15.30": 1}
"""Calls whose nearest invocation is another agent's: the one that was delegated to has no span of its own."""

ONLY_ONE = {None, "", "main", "mcp-server"}
"""Names in the truth that only say: the one agent that there was."""


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


@cache
def recordings(folder: str) -> dict[str, tuple[ToolCall, ...]]:
    """The executed calls of each recording, in order."""
    found = {}
    paths = sorted(str(path) for path in (FRAMEWORKS / folder).glob("*.jsonl"))
    for name, files in group_recordings(paths).items():
        assembler = Assembler()
        for file in files:
            for item in read_file(file):
                assembler.feed(item, now=0)
        assembler.close(ClosedBy.END_OF_INPUT)
        traces = [assembler.trajectory(trace_id) for trace_id in assembler.trace_ids()]
        calls = in_order(call for trace in traces for call in trace.calls)
        found[name] = tuple(call for call in calls if call.stage is Stage.EXECUTED)
    return found


def likeness(call: ToolCall, truth: dict[str, Any]) -> float:
    """How well a rebuilt call fits one that ran; negative where the name differs."""
    if bare(call.tool) != bare(truth["name"]):
        return -1
    has_id = call.call_id is not None and call.call_id == truth.get("call_id")
    has_args = is_seen(call) and plain(call.args) == plain(truth["args"])
    started: int = truth["started_unix_nano"]
    away = abs((call.start_ns or 0) - started) / 1e9
    return 8 * has_id + 4 * has_args + max(0.0, 1.0 - away)


def is_seen(call: ToolCall) -> bool:
    """Whether it shows what it was called with: neither absent nor a placeholder."""
    return call.args_state is ContentState.OBSERVED and Gap.CONTENT_HIDDEN not in call.gaps


def pairs(
    calls: Sequence[ToolCall], truths: Sequence[dict[str, Any]]
) -> Iterator[tuple[ToolCall, dict[str, Any]]]:
    """The best fitting rebuilt call of each that ran."""
    ranked = sorted(
        (
            (likeness(call, truth), -i, -t)
            for i, call in enumerate(calls)
            for t, truth in enumerate(truths)
        ),
        reverse=True,
    )
    taken: set[int] = set()
    told: set[int] = set()
    for points, i, t in ranked:
        if points >= 0 and i not in taken and t not in told:
            taken.add(i)
            told.add(t)
            yield calls[-i], truths[-t]


def asked_for(scenario: dict[str, Any]) -> Counter[str]:
    """What may be rebuilt besides what ran: rejected attempts, and what the framework does itself."""
    keys = ("requested_by_model", "model_requested", "framework_tool_calls", "not_executed")
    items = [item for key in keys for item in scenario.get(key) or []]
    names = Counter(bare(item.get("name") if isinstance(item, dict) else item) for item in items)
    names.update(bare(item.get("tool_name")) for item in scenario.get("handoffs") or [])
    return names


def held(folder: str) -> Counter[str]:
    """What is right and wrong in one folder, counted."""
    count: Counter[str] = Counter()
    scenarios = json.loads((FRAMEWORKS / folder / "truth.json").read_text())["scenarios"]
    for name, calls in recordings(folder).items():
        truths = scenarios[name].get("calls") or []
        matched = list(pairs(calls, truths))
        count.update(ran=len(truths), found=len(matched))
        for call, truth in matched:
            count.update(compared(call, truth, either="error_as_result" in name))
        used = {id(call) for call, _ in matched}
        spare = asked_for(scenarios[name])
        spare.subtract(bare(truth["name"]) for truth in truths)
        for call in calls:
            if id(call) in used or call.kind is not CallKind.TOOL:
                continue
            spare[bare(call.tool)] -= 1
            if spare[bare(call.tool)] < 0:
                ran = bare(call.tool) in {bare(truth["name"]) for truth in truths}
                count["twice" if ran else "false"] += 1
    return count


def compared(call: ToolCall, truth: dict[str, Any], *, either: bool) -> Iterator[str]:
    """What is right and what is wrong; a failure that was given back as data may be told either way."""
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


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_call_that_ran_is_rebuilt_as_it_ran(folder: str) -> None:
    count = held(folder)
    assert count["ran"] - count["found"] <= TOLD_BY_NOTHING.get(folder, 0)
    assert count["agent_wrong"] <= OTHER_AGENT.get(folder, 0)
    wrong = ("twice", "args_wrong", "status_wrong", "id_wrong", "false")
    assert [count[name] for name in wrong] == [0] * 5


def test_together_the_recordings_reach_the_floor() -> None:
    total: Counter[str] = Counter()
    for folder in FOLDERS:
        total.update(held(folder))
    assert total["ran"] >= 320
    assert total["found"] / total["ran"] >= 0.98
    assert total["args_right"] / total["found"] >= 0.8
    assert total["status_right"] / total["found"] >= 0.78
    assert total["id_right"] / total["found"] >= 0.8


def test_calls_stand_in_the_order_in_which_they_ran() -> None:
    for folder in FOLDERS:
        scenarios = json.loads((FRAMEWORKS / folder / "truth.json").read_text())["scenarios"]
        for name, calls in recordings(folder).items():
            truths = {id(call): truth for call, truth in pairs(calls, scenarios[name]["calls"])}
            ran = [truths[id(call)] for call in calls if id(call) in truths]
            for first, second in pairwise(ran):
                assert second["ended_unix_nano"] >= first["started_unix_nano"], (folder, name)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_every_convention_has_a_recording(convention: str) -> None:
    assert any(
        source.convention == convention
        for folder in FOLDERS
        for calls in recordings(folder).values()
        for call in calls
        for source in call.sources
    )
