"""Each framework runs once per way of recording; all tests look at the same runs."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.frameworks.catalogue import FRAMEWORKS, Framework
from tests.frameworks.environments import NoEnvironmentError, python_of
from tests.frameworks.runs import Run, run


@pytest.fixture(scope="package", params=FRAMEWORKS, ids=lambda framework: framework.name)
def framework(request: pytest.FixtureRequest) -> Framework:
    """One after the other."""
    chosen: Framework = request.param
    return chosen


@pytest.fixture(scope="package")
def runs(framework: Framework, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """Its runs, by the word for how it recorded.

    Where the environment cannot be built, that is a failure in CI; elsewhere the machine may be off-line.
    """
    try:
        python = python_of(framework.name)
    except NoEnvironmentError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))
    folder: Path = tmp_path_factory.mktemp(framework.name)
    with ThreadPoolExecutor() as pool:
        started = {
            word: pool.submit(run, python, framework.name, variables, folder / str(number))
            for number, (word, variables) in enumerate(framework.variants.items())
        }
        return {word: future.result() for word, future in started.items()}
