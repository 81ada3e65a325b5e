"""The page about the SDK lists every setting."""

import re
from pathlib import Path

import pytest

from toolscore_otel.sdk import SdkConfig
from toolscore_otel.sdk.config import VARIABLES
from toolscore_otel.sdk.counters import COUNTERS

PAGE = Path(__file__).parent.parent.parent / "docs" / "pages" / "sdk.md"
ROW = re.compile(r"^\| `(\w+)` \| `(TOOLSCORE_\w+)` \| (\S+) \|", re.MULTILINE)


@pytest.fixture(scope="module")
def rows():
    """Setting -> its variable and default as the page has them."""
    return {name: (variable, default) for name, variable, default in ROW.findall(PAGE.read_text())}


def test_every_setting_stands_in_the_table_with_its_variable(rows):
    assert {name: variable for name, (variable, _) in rows.items()} == dict(VARIABLES)


def test_the_defaults_are_those_of_the_code(rows):
    config = SdkConfig()
    numbers = {name: default for name, (_, default) in rows.items() if default.isdigit()}
    assert {name: int(default) for name, default in numbers.items()} == {
        name: getattr(config, name) for name in numbers
    }
    assert len(numbers) == len(VARIABLES) - 3


def test_every_counter_stands_in_its_table():
    rows = re.findall(r"^\| `(\w+)` \| ([^|`][^|]*) \|$", PAGE.read_text(), re.MULTILINE)
    assert {name: told for name, told in rows if name in COUNTERS} == COUNTERS
