"""The recordings that stand here, and what is rebuilt from them.

`frameworks/FRAMEWORK__INSTRUMENTATION__VERSION/` holds `SCENARIO.otlp.jsonl`, `SCENARIO.logs.jsonl` (some packed) and
`truth.json`, what really ran beside them. `recorded/PRODUCER/` holds `SCENARIO.MODE.traces.json.gz` and
`SCENARIO.MODE.logs.json.gz`: the same few scenarios in every mode of content capture.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from toolscore_otel.assembly import Assembler, in_order
from toolscore_otel.model import ClosedBy, LogRecord, Span, ToolCall, Trajectory
from toolscore_otel.wire import group_recordings, read_file

FRAMEWORKS = Path(__file__).parent / "frameworks"
RECORDED = Path(__file__).parent / "recorded"

FOLDERS = sorted(path.name for path in FRAMEWORKS.iterdir())
PRODUCERS = sorted(path.name for path in RECORDED.iterdir())

Item = Span | LogRecord


def scenarios_of(folder: str) -> Mapping[str, dict[str, Any]]:
    """What ran in each scenario of a folder."""
    scenarios: dict[str, dict[str, Any]] = json.loads(
        (FRAMEWORKS / folder / "truth.json").read_text()
    )["scenarios"]
    return scenarios


def files_of(folder: str) -> Mapping[str, Sequence[Path]]:
    """Scenario -> its files."""
    return group_recordings(sorted((FRAMEWORKS / folder).glob("*.jsonl*")))


def recorded_files(producer: str) -> Mapping[tuple[str, str], Sequence[Path]]:
    """Scenario and mode -> their files."""
    found: dict[tuple[str, str], list[Path]] = {}
    for path in sorted((RECORDED / producer).iterdir()):
        scenario, mode, *_ = path.name.split(".")
        found.setdefault((scenario, mode), []).append(path)
    return found


def items_in(paths: Iterable[Path]) -> list[Item]:
    """All spans and log records of some files."""
    return [item for path in paths for item in read_file(path)]


def trajectories(items: Iterable[Item]) -> list[Trajectory]:
    """What is rebuilt, trace by trace."""
    assembler = Assembler()
    for item in items:
        assembler.feed(item, now=0)
    assembler.close(ClosedBy.END_OF_INPUT)
    return [assembler.trajectory(trace_id) for trace_id in assembler.trace_ids()]


def calls_in(paths: Iterable[Path]) -> tuple[ToolCall, ...]:
    """What is rebuilt, in order."""
    return in_order(call for trace in trajectories(items_in(paths)) for call in trace.calls)


@cache
def rebuilt(folder: str) -> Mapping[str, tuple[ToolCall, ...]]:
    """The calls of each scenario of a folder."""
    return {scenario: calls_in(paths) for scenario, paths in files_of(folder).items()}
