"""The program of each page runs once by each of the page's commands; all tests look at the same runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.frameworks.catalogue import FRAMEWORKS, Framework
from tests.frameworks.environments import NoEnvironmentError, python_of
from tests.frameworks.page import Page
from tests.frameworks.runs import Run, run_all


@pytest.fixture(scope="package", params=FRAMEWORKS, ids=lambda framework: framework.name)
def framework(request: pytest.FixtureRequest) -> Framework:
    """One after the other."""
    chosen: Framework = request.param
    return chosen


@pytest.fixture(scope="package")
def runs(framework: Framework, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """Its runs, by the words for the commands of its page.

    Where the environment cannot be built, that is a failure in CI; elsewhere the machine may be off-line.
    """
    try:
        python = python_of(framework.name)
    except NoEnvironmentError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))
    folder: Path = tmp_path_factory.mktemp(framework.name)
    return run_all(python, Page(framework.name), folder)
