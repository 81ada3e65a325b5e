"""Recorded telemetry of real frameworks, held against what really ran beside it.

`floors.json` says for each folder how many calls ran, how many are found, and of how many arguments, status, agent and id
are said as they were: what content that is switched off, or a missing id, leaves. A floor only ever rises.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.corpus.comparing import RIGHT, WRONG, compare
from tests.corpus.recordings import FOLDERS, FRAMEWORKS, files_of, items_in, rebuilt, scenarios_of
from toolscore_otel.conventions import CONVENTIONS

FLOORS: dict[str, list[int]] = json.loads((Path(__file__).parent / "floors.json").read_text())
"""Folder -> numbers in the order of `RIGHT`."""

KNOWN_WRONG: dict[str, Counter[str]] = {
    # The nearest invocation is another agent's: the one that was delegated to has no span of its own.
    "crewai__openinference__1.15.30": Counter(agent_wrong=1),
    # The model calls of the second instrumentation are roots of their own, and tell of the same calls again.
    "langchain__openinference+openai-default__0.1.80": Counter(twice=5),
}


def held(folder: str) -> Counter[str]:
    """What is right and wrong in one folder, counted."""
    count: Counter[str] = Counter()
    scenarios = scenarios_of(folder)
    for name, calls in rebuilt(folder).items():
        count.update(compare(name, calls, scenarios[name]))
    return count


@pytest.mark.parametrize("folder", FOLDERS)
def test_nothing_is_said_that_is_not_so(folder: str) -> None:
    count = held(folder)
    wrong = Counter({name: count[name] for name in WRONG})
    assert wrong - KNOWN_WRONG.get(folder, Counter()) == Counter()


@pytest.mark.parametrize("folder", FOLDERS)
def test_what_can_be_said_is_said(folder: str) -> None:
    count = held(folder)
    fallen = {
        name: (count[name], floor)
        for name, floor in zip(RIGHT, FLOORS[folder], strict=True)
        if count[name] < floor
    }
    assert fallen == {}


def test_a_floor_is_never_above_what_there_is_to_say() -> None:
    assert sorted(FLOORS) == FOLDERS
    for ran, *right in FLOORS.values():
        assert ran > 0
        assert max(right) <= ran


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_scenario_stands_beside_its_truth(folder: str) -> None:
    assert files_of(folder).keys() == scenarios_of(folder).keys()


BINARY = sorted(path for path in FRAMEWORKS.rglob("*.pb*"))


@pytest.mark.parametrize("path", BINARY, ids=lambda path: path.parent.name)
def test_binary_exports_say_what_their_lines_say(path: Path) -> None:
    lines = next(path.parent.glob(f"{path.name.split('.')[0]}.otlp.jsonl*"))
    assert items_in([path]) == items_in([lines])


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_every_convention_has_a_recording(convention: str) -> None:
    assert any(
        source.convention == convention
        for folder in FOLDERS
        for calls in rebuilt(folder).values()
        for call in calls
        for source in call.sources
    )
