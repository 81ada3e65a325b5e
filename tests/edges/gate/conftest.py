"""A folder to hold gates in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.edges.gate.desk import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)
