"""What `docs/pages/tokens.md` says of who counts tokens how, and of prices, is what the code does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolscore_otel.conventions.producers import PRODUCERS
from toolscore_otel.pricing import price

PAGE = (Path(__file__).parent.parent.parent / "docs" / "pages" / "tokens.md").read_text()
HOW = {"within": "in", "beside": "apart", "by_total": "by the total"}
PRICES = re.compile(
    r"^\| `(?P<name>[^`]+)` \| (?:as `(?P<as>[^`]+)` of `(?P<of>[^`]+)`|(?P<not>not known))",
    re.MULTILINE,
)


def rows() -> Iterator[str]:
    """The table of producers."""
    for one in PRODUCERS:
        only = [f"of `{one.models}`"] if one.models else []
        only += [f"`{one.version}`"] if one.version != "*" else []
        yield f"| `{one.scope}` | {', '.join(only)} | {HOW[one.cached]} | {one.source} |"


def test_the_table_of_producers_is_that_of_the_code() -> None:
    assert "\n".join(rows()) in PAGE


def test_the_page_has_names_that_have_a_price_and_names_that_have_none() -> None:
    found = [match["not"] is None for match in PRICES.finditer(PAGE)]
    assert (sum(found) > 4, len(found) - sum(found) > 4) == (True, True)


@pytest.mark.parametrize("row", list(PRICES.finditer(PAGE)), ids=lambda row: row["name"])
def test_each_name_of_a_model_has_the_price_that_the_page_says(row: re.Match[str]) -> None:
    found = price(row["name"], None, 1000, 10)
    if row["not"]:
        assert found is None
    else:
        assert found == price(row["as"], row["of"], 1000, 10) is not None
