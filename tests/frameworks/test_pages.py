"""The pages about frameworks say what was seen when their programs ran, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.test_examples import as_shown, tidy
from tests.frameworks import seen
from tests.frameworks.catalogue import FRAMEWORKS, Framework
from tests.frameworks.page import INDEX, PROGRAM, Page
from tests.frameworks.runs import Run
from toolscore_otel.model import ContentState

pytestmark = pytest.mark.net

REQUIREMENTS = Path(__file__).parent / "requirements"
OF_THE_TESTS = "opentelemetry-exporter-otlp-json-file"
SECTIONS = ["What it prints", "What is recorded", "Privacy"]

each = pytest.mark.parametrize("named", FRAMEWORKS, ids=lambda named: named.name)


def test_the_program_prints_what_is_shown(framework: Framework, runs: dict[str, Run]) -> None:
    for word, command in Page(framework.name).commands.items():
        printed = tidy(runs[word].printed)
        assert as_shown(command.shown).fullmatch(printed), f"{word}:\n{printed}"


def test_the_tables_say_what_was_seen(framework: Framework, runs: dict[str, Run]) -> None:
    expected = [*seen.observed_rows(runs), *seen.place_rows(runs)]
    assert rows(Page(framework.name).path) == expected


def test_the_list_of_frameworks_says_what_was_seen(
    framework: Framework, runs: dict[str, Run]
) -> None:
    assert seen.index_row(framework, runs) in rows(INDEX)


def test_our_exporter_hands_on_no_credential(runs: dict[str, Run]) -> None:
    for word, run in runs.items():
        recorded = run.calls[0].args_state is ContentState.OBSERVED
        assert run.token in run.raw or not recorded, word
        assert run.token not in run.redacted, word
        assert len(run.redacted.splitlines()) == len(run.raw.splitlines()), word


def test_no_finding_repeats_what_was_said(runs: dict[str, Run]) -> None:
    for word, run in runs.items():
        assert [kind for kind, text in run.texts.items() if text in run.findings] == [], word


def test_nothing_leaves_this_machine(runs: dict[str, Run]) -> None:
    assert {word: run.refused for word, run in runs.items()} == dict.fromkeys(runs, ())


@each
def test_what_is_to_be_installed_is_what_is_pinned(named: Framework) -> None:
    pinned = (REQUIREMENTS / f"{named.name}.in").read_text().split()
    assert {*Page(named.name).installed, OF_THE_TESTS} == {".", *pinned}


@each
def test_the_first_command_is_the_program_alone(named: Framework) -> None:
    first, *others = Page(named.name).commands.values()
    assert first.variables == {}
    assert all(command.variables for command in others)


@each
def test_every_page_is_built_the_same_way(named: Framework) -> None:
    page = Page(named.name)
    text = page.path.read_text()
    assert text.startswith(f"# {named.title} ({named.instrumentation})\n")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == SECTIONS
    assert {PROGRAM, "shop.py", "shop.yaml"} <= page.files.keys()


def test_every_page_and_every_pinned_environment_is_in_the_catalogue() -> None:
    names = sorted(framework.name for framework in FRAMEWORKS)
    folder = Page(names[0]).path.parent
    assert sorted(path.stem for path in folder.iterdir()) == names
    assert sorted(path.stem for path in REQUIREMENTS.glob("*.txt")) == names
    assert len(rows(INDEX)) == len(names)


def rows(path: Path) -> list[str]:
    """The rows of a page's tables, without their heads."""
    tables = re.findall(r"^\|---.*\n((?:\|.*\n)*)", path.read_text(), re.MULTILINE)
    return [row for table in tables for row in table.splitlines()]
