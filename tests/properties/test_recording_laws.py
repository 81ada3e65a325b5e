"""What stands in the end of a real recording depends on what is in it, and not on how it came.

Spans and log records may come in any order, in any batches, several times, and before that with less in them: calls,
sums, coverage and findings are the same. Each example is one recording of the corpus, drawn anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random  # noqa: TID251 - every one is seeded

from hypothesis import given, settings, strategies as st
from msgspec import structs

from tests.corpus.recordings import (
    FOLDERS,
    PRODUCERS,
    Item,
    files_of,
    items_in,
    recorded_files,
    trajectories,
)
from toolscore_otel.contracts import Contract
from toolscore_otel.engine import Engine
from toolscore_otel.engine.report import Report, coverage_of
from toolscore_otel.model import Finding, Label, LogRecord, SpanStatus, Trajectory

RECORDINGS: list[tuple[Path, ...]] = [
    *(tuple(paths) for folder in FOLDERS for paths in files_of(folder).values()),
    *(tuple(paths) for producer in PRODUCERS for paths in recorded_files(producer).values()),
]
"""The files of each."""

EVERYTHING = Contract.from_dict(
    {
        "contract": "everything",
        "language": 1,
        "tools": {"refund_order": {"mutating": True, "cost_usd": 0.02}},
        "allow_only": ["get_*", "search_*", {"tool": "fetch_url", "args": {"timeout": 5}}],
        "forbid": [
            {"tool": "delete_*"},
            {"tool": "*", "status": "error"},
            {"tool": "update_*", "unless": {"before": {"tool": "search_*"}}},
        ],
        "require": [{"tool": "get_weather", "args": {"city": "Paris"}}, {"tool": "*", "max": 2}],
        "limit": [{"tool": "fetch_url", "max": 1}],
        "loop": {"same_call": 2, "retry_after_error": 1, "window": 3},
        "budget": [
            {"of": "call", "latency_ms": 10},
            {"of": "trace", "calls": 2, "tokens": 100, "latency_ms": 50, "cost_usd": 0.0001},
        ],
    }
)
"""A contract of which most recordings break something, and which for many cannot be checked."""

SHORT = 40
"""Characters of the longest name that a span which has lost its content still has."""


@cache
def in_file_order(paths: tuple[Path, ...]) -> tuple[list[Item], list[Trajectory]]:
    items = items_in(paths)
    return items, told(items)


def told(items: Sequence[Item]) -> list[Trajectory]:
    """All trajectories, by trace id."""
    return sorted(trajectories(items), key=lambda trace: trace.trace_id)


def poorer(item: Item, source: Random) -> Item:
    """The same span as it was before it had ended, or without its long texts, or without its numbers."""
    if isinstance(item, LogRecord):
        return item
    way = source.choice(("not ended", "names only", "no numbers"))
    if way == "not ended":
        return structs.replace(item, end_ns=None, events=(), status=SpanStatus.UNSET)
    kept = {
        key: value
        for key, value in item.attributes.items()
        if isinstance(value, str) and (way == "no numbers" or len(value) < SHORT)
    }
    return structs.replace(item, attributes=kept)


def order_of(items: Sequence[Item], source: Random) -> list[Item]:
    """Everything, some of it twice, some of it before in a poorer form, in any order."""
    again = [item for item in items if source.random() < 0.3]
    before = [poorer(item, source) for item in items if source.random() < 0.3]
    mixed = [*items, *again, *before]
    source.shuffle(mixed)
    return mixed


def batches(items: Sequence[Item], source: Random) -> Iterator[Sequence[Item]]:
    rest = list(items)
    while rest:
        size = source.randint(1, len(rest))
        yield rest[:size]
        rest = rest[size:]


def judged(of: Sequence[Sequence[Item]], source: Random | None = None) -> Report:
    """What an engine reports in the end; now and then everything is closed before more comes."""
    engine = Engine([EVERYTHING])
    for number, batch in enumerate(of):
        engine.feed_all(batch, number)
        if source is not None and source.random() < 0.2:
            engine.close()
    engine.close()
    return engine.report()


def standing(report: Report) -> list[Finding]:
    """What failed or could not be checked, however often it was said before."""
    findings = (f for f in report.findings if f.label in (Label.FAIL, Label.CANNOT_CHECK))
    return sorted((structs.replace(f, revision=1) for f in findings), key=lambda f: f.id)


@cache
def judged_in_file_order(paths: tuple[Path, ...]) -> Report:
    return judged([[item] for item in items_in(paths)])


recordings = st.sampled_from(RECORDINGS)
sources = st.randoms(use_true_random=False)


@given(recordings, sources)
@settings(max_examples=300)
def test_order_and_repetition_change_no_call_and_no_sum(
    paths: tuple[Path, ...], source: Random
) -> None:
    items, expected = in_file_order(paths)
    assert told(order_of(items, source)) == expected


@given(recordings, sources)
@settings(max_examples=300)
def test_order_repetition_and_batches_change_no_finding(
    paths: tuple[Path, ...], source: Random
) -> None:
    expected = judged_in_file_order(paths)
    items, calls = in_file_order(paths)
    mixed = order_of(items, source)
    report = judged(list(batches(mixed, source)), source)
    assert report.errors == expected.errors == {}
    assert standing(report) == standing(expected)
    assert report.trajectories == expected.trajectories
    assert report.coverage == expected.coverage == coverage_of(expected.trajectories)
    assert report.outcomes == expected.outcomes
    assert len(expected.trajectories) <= len(calls)


def test_the_contract_is_broken_and_not_to_be_checked_in_many_recordings() -> None:
    labels = {
        label: sum(
            any(finding.label is label for finding in judged_in_file_order(paths).findings)
            for paths in RECORDINGS[::4]
        )
        for label in (Label.FAIL, Label.CANNOT_CHECK)
    }
    assert min(labels.values()) > len(RECORDINGS) // 40


@given(recordings, recordings, sources)
@settings(max_examples=150)
def test_recordings_that_come_together_say_what_each_says_alone(
    one: tuple[Path, ...], other: tuple[Path, ...], source: Random
) -> None:
    (first, apart), (second, too) = in_file_order(one), in_file_order(other)
    if {trace.trace_id for trace in apart} & {trace.trace_id for trace in too}:
        return
    mixed = [*first, *second]
    source.shuffle(mixed)
    assert told(mixed) == sorted([*apart, *too], key=lambda trace: trace.trace_id)
