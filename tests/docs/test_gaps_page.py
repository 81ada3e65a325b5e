"""The page about gaps has the closed list of codes, and what they mean."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from tests.docs.test_examples import ROOT
from toolscore_otel.assembly import Limits
from toolscore_otel.model import Gap
from toolscore_otel.report.doctor_words import GAPS

PAGE = ROOT / "docs" / "pages" / "gaps.md"


def rows() -> Sequence[Sequence[str]]:
    lines = re.findall(r"^\| (`\w+` \| .*) \|$", PAGE.read_text(), re.MULTILINE)
    return [[cell.strip() for cell in line.split(" | ")] for line in lines]


def test_every_code_stands_there_in_order_and_no_other() -> None:
    assert [row[0] for row in rows()] == [f"`{gap}`" for gap in Gap]


@pytest.mark.parametrize("gap", Gap, ids=str)
def test_a_code_means_there_what_doctor_says(gap: Gap) -> None:
    assert {row[0]: row[2] for row in rows()}[f"`{gap}`"] == GAPS[gap]


def test_every_row_says_what_carries_it_what_closes_it_and_what_it_costs() -> None:
    assert {len(row) for row in rows()} == {5}
    assert {row[1] for row in rows()} == {"call", "trace", "both"}
    assert all(row[3] and row[4] for row in rows())


def test_the_limits_that_it_names_are_limits() -> None:
    named = re.findall(r"`limits\.(\w+)`", PAGE.read_text())
    assert len(named) == 2
    assert set(named) <= set(Limits.__struct_fields__)
