"""Where the house stands."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return Path(__file__).parent.parent.parent


@pytest.fixture(scope="session")
def package(root: Path) -> Path:
    """The package's folder."""
    return root / "toolscore_otel"
