"""Contracts, runs and entries made by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from toolscore_otel.contracts import Contract
from toolscore_otel.gate import Entry, Release, Run, Store


def entry(
    scenario: str = "refund",
    *,
    contract: str = "desk",
    expectations: str = "e1",
    model: str = "m1",
    prefix: str = "",
    scores: Mapping[str, Sequence[float | None]] | None = None,
    **more: Sequence[float | None],
) -> Entry:
    """An entry with one run for each value of its scores."""
    columns = {**(scores or {}), **more}
    longest = max(len(values) for values in columns.values())
    runs = tuple(
        Run(
            run=f"{prefix}{scenario}{n}",
            scores={name: values[n] for name, values in columns.items() if n < len(values)},
        )
        for n in range(longest)
    )
    return Entry(
        contract=contract, expectations=expectations, model=model, scenario=scenario, runs=runs
    )


def store_of(**releases: Sequence[Entry]) -> Store:
    """A store of releases by name."""
    return Store(releases=tuple(Release(release=n, entries=tuple(e)) for n, e in releases.items()))


@pytest.fixture
def expecting() -> Callable[..., Contract]:
    """Makes a contract with one `expect` rule for each argument."""

    def made(*rules: Mapping[str, Any], **more: Any) -> Contract:
        return Contract.from_dict({"contract": "desk", "language": 1, "expect": list(rules)} | more)

    return made
