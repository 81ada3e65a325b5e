"""Spans a second through the server over real gRPC, beside a real Collector that does a part of its job.

All take turns in one run, each of its own process, with one client and one far end: requests of 512 spans, eight in
flight, acknowledged when the far end has acknowledged them. One whose turn it is not stands still, so that what it still
has to do (traces are closed two seconds after their root) falls into its own turns. Figures are a ratio to the Collector's
rate in the same run; the rates themselves do not carry over to another machine.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import median

import pytest

from tests.bench import candidates
from tests.bench.candidates import PREFIXES, RULES, SCANNED, SMALL, TWENTY, Candidate
from tests.bench.exports import Sent
from tests.bench.far_end import taken
from tests.bench.shapes import SHAPES, SPANS
from tests.parts.fixtures import otelcol, start
from tests.parts.programs import ROOT
from toolscore_otel.contracts import Contract

__all__ = ["otelcol", "start"]

WARMUP_S, MEASURED_S = 0.5, 1.5
ROUNDS = 2
COLLECTOR, OURS = "Collector", "inline"
AT_LEAST = {"tool": 1.0, "one in ten": 0.5, "other": 0.5}
"""Of the Collector's rate, on a machine that others use, too."""


@dataclass(frozen=True)
class Figure:
    """Of one candidate and one shape.

    Attributes:
        rate: spans a second.
        cpu_us: processor time for a span, of the candidate alone.
    """

    rate: float
    cpu_us: float


@pytest.fixture
def far(start):
    return candidates.far_end(start)


@pytest.fixture
def running(start, otelcol, tmp_path, far) -> Mapping[str, Candidate]:
    """Those that take turns; none of them runs yet."""
    to = far.address
    state = {"state_dir": str(tmp_path / "state")}
    made = {
        COLLECTOR: candidates.collector(start, otelcol, tmp_path / "scanned.json", SCANNED, to),
        "Collector, prefixes": candidates.collector(
            start, otelcol, tmp_path / "prefixes.json", PREFIXES, to
        ),
        OURS: candidates.server(start, tmp_path / "inline", SMALL, to),
        "inline, state": candidates.server(start, tmp_path / "kept", SMALL, to, **state),
        "inline, 20 rules": candidates.server(start, tmp_path / "twenty", TWENTY, to),
        "bytes handed on": candidates.far_end(start, to),
    }
    taken(made["bytes handed on"].address)
    for one in made.values():
        with one.its_turn():
            pass
    return made


def turn(one: Candidate, shape: str) -> tuple[Sent, Figure]:
    """Send to one of them for a while."""
    spans = [shape, one.address, str(WARMUP_S), str(MEASURED_S)]
    with one.its_turn():
        before = one.cpu_s()
        done = subprocess.run(
            [sys.executable, "-m", "tests.bench.exports", *spans],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        sent = Sent(**json.loads(done.stdout))
        spent = one.cpu_s() - before
    return sent, Figure(sent.rate, spent * 1e6 / (sent.requests * SPANS))


def measured(running: Mapping[str, Candidate], far: Candidate) -> dict[tuple[str, str], Figure]:
    """The figure of each candidate and shape: the middle of all rounds."""
    taken_turns: dict[tuple[str, str], list[Figure]] = {}
    for shape in SHAPES:
        for number in range(ROUNDS):
            for name in order(running, number):
                before = taken(far.address)
                sent, figure = turn(running[name], shape)
                assert taken(far.address) - before == sent.requests
                taken_turns.setdefault((name, shape), []).append(figure)
    return {
        key: Figure(median(f.rate for f in all_), median(f.cpu_us for f in all_))
        for key, all_ in taken_turns.items()
    }


def order(running: Mapping[str, Candidate], number: int) -> Iterator[str]:
    """There and back again: whatever slows the machine down slows neighbours alike."""
    return iter(running) if number % 2 == 0 else reversed(list(running))


@pytest.mark.benchmark(group="spans a second, over gRPC")
def test_spans_a_second_beside_a_collector(running, far, benchmark, tell):
    figures = benchmark.pedantic(measured, args=(running, far), rounds=1)
    for (name, shape), figure in figures.items():
        times = figure.rate / figures[COLLECTOR, shape].rate
        row = f"{name}, {shape}"
        tell(**{f"{row}: spans/s": figure.rate, "times": times, "cpu_us": figure.cpu_us})
    for shape, least in AT_LEAST.items():
        assert figures[OURS, shape].rate > least * figures[COLLECTOR, shape].rate


def test_the_contract_has_as_many_rules_as_said():
    assert len(Contract.from_dict(TWENTY).rules) == RULES
