"""Scores in the same words in every report: the mean of each over the trajectories to which it applies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import fsum
from typing import NamedTuple

from toolscore_otel.model import Label, Score
from toolscore_otel.report.terminal import plain

NO_VALUE = "none"
"""Of a score that does not apply, or that what was not observed decides."""


class Mean(NamedTuple):
    """One score of one contract over several trajectories.

    Attributes:
        value: None where none has one.
        known: how many have one.
        beyond: how many are beyond a bound.
    """

    contract: str
    name: str
    value: float | None
    known: int
    beyond: int


def means(scores: Iterable[Score]) -> list[Mean]:
    """The mean of each score, by contract, in the order in which they stand."""
    groups: dict[tuple[str, str], list[Score]] = {}
    for score in scores:
        groups.setdefault((score.contract or "", score.name), []).append(score)
    found: list[Mean] = []
    for (contract, name), several in groups.items():
        known = [score.value for score in several if score.value is not None]
        mean = fsum(known) / len(known) if known else None
        beyond = sum(score.label is Label.FAIL for score in several)
        found.append(Mean(contract, name, mean, len(known), beyond))
    return found


def value_of(value: float | None) -> str:
    """A score for people."""
    return NO_VALUE if value is None else f"{value:.3f}"


def score_lines(scores: Iterable[Score]) -> Iterator[str]:
    """One line per contract: the scores that have a value."""
    contracts: dict[str, list[Mean]] = {}
    for one in means(scores):
        if one.value is not None:
            contracts.setdefault(one.contract, []).append(one)
    for contract, several in contracts.items():
        told = ", ".join(f"{one.name} {value_of(one.value)}" for one in several)
        most = max(one.known for one in several)
        yield f"{plain(contract)}{f', means of up to {most}' if most > 1 else ''}: {told}"
