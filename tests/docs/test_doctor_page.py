"""The page about `doctor` has every key that its JSON has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from tests.docs.test_examples import EXAMPLES, ROOT
from toolscore_otel.cli.commands import cli
from toolscore_otel.model import Gap
from toolscore_otel.report.doctor_words import FACTS

PAGE = ROOT / "docs" / "pages" / "doctor.md"
NAMES_OF_OTHERS = {"beside", "of_other_kinds"}
"""Below them stand names that telemetry gives."""


def keys(value: Any, under: str = "") -> Iterator[str]:
    """All keys of a JSON value, on every level."""
    if isinstance(value, dict) and under not in NAMES_OF_OTHERS:
        yield from value
        for key, inner in value.items():
            yield from keys(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner, under)


def built() -> Any:
    files = [str(EXAMPLES / name) for name in ("traces.jsonl", "no_content.jsonl")]
    contracts = ["--contracts", str(EXAMPLES / "support.yaml")]
    command = ["doctor", *files, *contracts, "--format", "json"]
    return json.loads(CliRunner().invoke(cli, command, standalone_mode=False).stdout)


def test_every_key_stands_on_the_page() -> None:
    told = set(re.findall(r"`(\w+)`", PAGE.read_text()))
    found = set(keys(built())) - {gap.value for gap in Gap}
    assert found - told == set()
    assert len(found) > 40


def test_every_fact_stands_on_the_page() -> None:
    (row,) = re.findall(r"^\| `facts` \| (.*?);", PAGE.read_text(), re.MULTILINE)
    assert re.findall(r"`(\w+)`", row) == list(FACTS)


def test_the_recording_that_is_shown_is_one_of_the_corpus() -> None:
    folder = "openai-agents__genai-openai-agents-nocontent__1.3b0"
    recorded = ROOT / "tests" / "corpus" / "frameworks" / folder / "c_retry_loop.otlp.jsonl"
    assert (EXAMPLES / "no_content.jsonl").read_bytes() == Path(recorded).read_bytes()
