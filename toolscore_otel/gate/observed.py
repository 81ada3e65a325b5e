"""The runs of a release as entries of a store: recorded runs by contract, model and scenario, with all their scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from toolscore_otel.contracts import Contract
from toolscore_otel.gate.choice import choice_scores, mean_of_known
from toolscore_otel.gate.expectations import fingerprint_of
from toolscore_otel.gate.measures import measures_of
from toolscore_otel.gate.store import Entry, Run, joined
from toolscore_otel.model import Score, Trajectory
from toolscore_otel.secrets import Scanner, redact_text

UNKNOWN_MODEL = "unknown"
"""Stands for the model of runs that name none."""


def observed(
    contracts: Sequence[Contract],
    runs: Iterable[Trajectory],
    scores: Iterable[Score],
    scanner: Scanner,
) -> tuple[Entry, ...]:
    """The entries of recorded runs.

    A score that several rules of one contract give of one run counts as the mean of what is known; those of a
    conversation count for the trace that it began with.

    Args:
        contracts: that the runs were held against.
        runs: traces that are over.
        scores: as an engine gives them: of every contract that applies to a run, whether they are known or not.
        scanner: takes secrets out of the names of scenarios and models.
    """
    by_trace = _by_trace(scores)
    fingerprint = cache(fingerprint_of)
    return together(
        Entry(
            contract=contract.id,
            expectations=fingerprint(contract, run.scenario),
            model=redact_text(model_of(run), scanner),
            scenario=redact_text(run.scenario or "", scanner),
            runs=(Run(run=run.trace_id, scores=_scores(contract, run, told)),),
        )
        for run in runs
        for contract in contracts
        if (told := by_trace.get((contract.id, run.trace_id)))
    )


def together(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Entries of several recordings as one, in whatever order they come: a trace that several tell of is one run."""
    return joined(sorted(entries, key=repr))


def model_of(run: Trajectory) -> str:
    """The models that its calls and model calls name, joined; `unknown` where they name none."""
    named = {*run.models, *(call.model for call in run.calls if call.model)}
    return " + ".join(sorted(named)) or UNKNOWN_MODEL


def _scores(contract: Contract, run: Trajectory, told: Iterable[Score]) -> dict[str, float | None]:
    by_name: dict[str, list[float | None]] = {}
    for score in told:
        by_name.setdefault(score.name, []).append(score.value)
    means = {name: mean_of_known(values) for name, values in by_name.items()}
    return {**dict(measures_of(run)), **choice_scores(contract, run), **means}


def _by_trace(scores: Iterable[Score]) -> Mapping[tuple[str, str], list[Score]]:
    found: dict[tuple[str, str], list[Score]] = {}
    for score in scores:
        if score.contract is not None and score.trace_id:
            found.setdefault((score.contract, score.trace_id), []).append(score)
    return found
