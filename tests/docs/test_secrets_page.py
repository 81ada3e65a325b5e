"""The page on secrets says what is so."""

from __future__ import annotations

import tomllib
from pathlib import Path

from tests.docs.secret_kinds import HEAD, PAGE, table
from toolscore_otel.contracts import load_text
from toolscore_otel.contracts.pattern_files import read_pattern_file
from toolscore_otel.secrets.patterns import FIRST_GROUP


def block(language: str) -> str:
    return PAGE.read_text().split(f"```{language}\n")[1].split("```")[0]


def test_the_page_lists_every_kind():
    assert PAGE.read_text().endswith(table())
    assert PAGE.read_text().count(HEAD) == 1


def test_its_contract_loads():
    assert load_text(block("yaml"))[0].id == "desk"


def test_its_file_of_patterns_is_read(tmp_path: Path):
    assert tomllib.loads(block("toml"))
    (tmp_path / "own.toml").write_text(block("toml"))
    (own,) = read_pattern_file(tmp_path / "own.toml", "own.toml")
    assert (own.name, own.group, own.entropy) == ("badge", FIRST_GROUP, 2.5)
