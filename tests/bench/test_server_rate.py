"""Spans a second through the server over real gRPC, beside a real Collector that does a part of its job.

All take turns in one run, each of its own process, with one client and one far end: requests of 512 spans, eight in
flight, acknowledged when the far end has acknowledged them. One whose turn it is not stands still, so that what it still
has to do (traces are closed two seconds after their root) falls into its own turns. What is said is the rate, how many
times that is the Collector's in the same run, and the processor time of a span; only the ratios carry over.

How fast the Collector is depends on its patterns above all, so it stands there twice: with patterns as scanners publish
them, which is what the ratios go by, and with the cheapest there are.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
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
pytestmark = pytest.mark.net

WARMUP_S, MEASURED_S = 0.4, 1.0
ROUNDS = 2
COLLECTOR, OURS = "collector", "inline"
AT_LEAST = {"tool": 0.2, "one in ten": 0.3, "other": 1.0}
"""Of the Collector's rate, on a machine that others use, too."""


@dataclass(frozen=True)
class Figure:
    """Of one candidate.

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
    to, state = far.address, {"state_dir": str(tmp_path / "state")}
    scanned, prefixes = tmp_path / "scanned.json", tmp_path / "prefixes.json"
    made = {
        COLLECTOR: candidates.collector(start, otelcol, scanned, SCANNED, to),
        OURS: candidates.server(start, tmp_path / "inline", SMALL, to),
        "inline_state": candidates.server(start, tmp_path / "kept", SMALL, to, **state),
        "inline_20_rules": candidates.server(start, tmp_path / "twenty", TWENTY, to),
        "collector_prefixes": candidates.collector(start, otelcol, prefixes, PREFIXES, to),
        "bytes_handed_on": candidates.far_end(start, to),
    }
    assert taken(made["bytes_handed_on"].address) == 0
    for one in made.values():
        with one.its_turn():
            """It stands still afterwards."""
    return made


def turn(one: Candidate, shape: str) -> tuple[Sent, Figure]:
    """Send to one of them for a while."""
    send = [shape, one.address, str(WARMUP_S), str(MEASURED_S)]
    with one.its_turn():
        before = one.cpu_s()
        done = subprocess.run(
            [sys.executable, "-m", "tests.bench.exports", *send],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        sent = Sent(**json.loads(done.stdout))
        spent = one.cpu_s() - before
    return sent, Figure(sent.rate, spent * 1e6 / (sent.requests * SPANS))


def measured(running: Mapping[str, Candidate], far: Candidate, shape: str) -> dict[str, Figure]:
    """The middle of all rounds; every second one goes backwards, so that neighbours are slowed down alike."""
    figures: dict[str, list[Figure]] = {name: [] for name in running}
    for number in range(ROUNDS):
        for name in [*running][:: 1 if number % 2 == 0 else -1]:
            before = taken(far.address)
            sent, figure = turn(running[name], shape)
            assert taken(far.address) - before == sent.requests
            figures[name].append(figure)
    return {
        name: Figure(median(one.rate for one in own), median(one.cpu_us for one in own))
        for name, own in figures.items()
    }


@pytest.mark.benchmark(group="spans a second over gRPC, beside a Collector")
@pytest.mark.parametrize("shape", SHAPES)
def test_spans_a_second(shape, running, far, benchmark, tell):
    figures = benchmark.pedantic(measured, args=(running, far, shape), rounds=1)
    theirs = figures[COLLECTOR].rate
    for name, figure in figures.items():
        told = {"per_s": figure.rate, "times": figure.rate / theirs, "cpu_us": figure.cpu_us}
        tell(**{f"{name}_{key}": value for key, value in told.items()})
    assert figures[OURS].rate > AT_LEAST[shape] * theirs


def test_the_contract_has_as_many_rules_as_said():
    assert len(Contract.from_dict(TWENTY).rules) == RULES
