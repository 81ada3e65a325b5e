"""A server that is killed while spans pass through it: nothing acknowledged is lost, and nothing is told twice."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.edges.server.served import Served, code_of
from tests.parts.process import wait_for
from tests.parts.sink import Mood, Sink
from tests.unit.server.pipeline_made import agent, export, span, tool

pytestmark = pytest.mark.net

CONTRACT = """
contract: desk
language: 1
forbid: [{tool: delete_user}]
limit: [{tool: search, max: 2}]
require: [{tool: close_ticket}]
loop: {same_call: 3}
"""
LONG = "trajectories: {settle: 1h, idle: 1h, lateness: 1h}\n"
"""Nothing is over while spans come in."""

SHORT = "trajectories: {settle: 0s, idle: 1s, lateness: 0s}\n"
"""Everything is over at once."""

FOR_SURE = (
    "toolscore_findings",
    "toolscore_trajectories_closed",
    "toolscore_calls",
    "toolscore_tool",
)
"""Metrics of what was found and seen, which a crash must not change."""

TOOLS = ("search", "confirm", "refund", "delete_user", "close_ticket")
CALLS = 5
TRACES = 40
IN_ONE = 8
"""Spans of one export."""


def drawn(seed: int, *what: object) -> int:
    """A number that looks random."""
    return int.from_bytes(blake2b(repr((seed, what)).encode(), digest_size=8).digest())


def traffic(seed: int) -> list[bytes]:
    """Exports of many traces, in an order in which their spans may well come."""
    spans = [one for trace in range(1, TRACES + 1) for one in trace_of(seed, f"{trace:032x}")]
    spans.sort(key=lambda one: drawn(seed, one.span_id))
    return [export(*spans[at : at + IN_ONE]) for at in range(0, len(spans), IN_ONE)]


def trace_of(seed: int, trace: str) -> Iterator[Span]:
    """An agent with some calls, one of them below a span of no interest."""
    first = int(trace, 16) * 100
    yield agent(first, trace=trace)
    yield span(first + 90, parent=first, trace=trace)
    for number in range(CALLS):
        name = TOOLS[drawn(seed, trace, number) % len(TOOLS)]
        yield tool(
            first + 1 + number, name, parent=first + 90 if number == 2 else first, trace=trace
        )


def inline(sink: Sink, times: str) -> str:
    """The configuration of a server before a sink."""
    hop = f"{{endpoint: '{sink.grpc}', tls: {{insecure: true}}, timeout: 20s}}"
    key = "secrets: {key: " + "a-key-" * 4 + "}\n"
    return f"mode: inline\nnext_hop: {hop}\nstate_dir: state\n{key}{times}"


def send(server: Served, data: bytes, lost: Callable[[], None] = lambda: None) -> None:
    """Send an export until it is acknowledged.

    Args:
        server: that may be killed meanwhile.
        data: the export.
        lost: called when it was not acknowledged.
    """
    while True:
        with grpc.insecure_channel(server.grpc) as channel:
            code = code_of(channel, data)
        if code is grpc.StatusCode.OK:
            return
        assert code is grpc.StatusCode.UNAVAILABLE
        lost()


def end(server: Served, sink: Sink) -> dict[Any, float]:
    """Let everything be over and be delivered; returns what the metrics say of it."""
    server.configure(inline(sink, SHORT))
    server.start()
    wait_for(lambda: server.counted("toolscore_trajectories_open") == 0, "no open trajectory")
    wait_for(lambda: server.counted("toolscore_outbox_waiting") == 0, "an empty outbox")
    found = server.series(*FOR_SURE)
    assert server.running.stop() == 0
    return found


def told(sink: Sink) -> dict[tuple[str, int], tuple[Any, ...]]:
    """What was said of each revision of each finding."""
    return dict(
        of_record(record)
        for record in sink.logs()
        if any(pair.key == "toolscore.finding.id" for pair in record.attributes)
    )


def of_record(record: LogRecord) -> tuple[tuple[str, int], tuple[Any, ...]]:
    """A revision, and what it says."""
    said = {pair.key: pair.value for pair in record.attributes}
    key = said["toolscore.finding.id"].string_value, said["toolscore.revision"].int_value
    what = "gen_ai.evaluation.score.label", "gen_ai.evaluation.explanation", "toolscore.rule.id"
    return key, tuple(said[name].string_value for name in what)


def findings_on(sink: Sink) -> dict[bytes, frozenset[str]]:
    """Ids of the findings on each span, as it came last."""
    return {
        one.span_id: frozenset(
            pair.value.string_value
            for event in one.events
            for pair in event.attributes
            if pair.key == "toolscore.finding.id"
        )
        for one in sink.spans()
    }


def without_roots(found: dict[bytes, frozenset[str]]) -> dict[bytes, frozenset[str]]:
    """The same of other spans; roots say again what went out before a crash, on another span."""
    return {one: ids for one, ids in found.items() if int.from_bytes(one) % 100}


class Deadly(Sink):
    """A sink that kills who sends to it, before or after it took what was sent.

    Attributes:
        before: at which spans' exports nothing is taken; counted from 1.
        after: at which they are, and nobody learns of it.
        kill: what it does then.
    """

    def __init__(self, before: set[int], after: set[int]) -> None:
        self.before, self.after = before, after
        self.kill: Callable[[], None] = lambda: None
        self._count = 0
        super().__init__()

    def take(self, signal: str, data: bytes, headers: dict[str, str]) -> Mood:
        """What becomes of one request."""
        if signal != "traces":
            return super().take(signal, data, headers)
        self._count += 1
        if self._count in self.before:
            self.kill()
            return Mood.FULL
        mood = super().take(signal, data, headers)
        if self._count in self.after:
            self.kill()
        return mood


@pytest.fixture
def sinks() -> Iterator[Callable[..., Any]]:
    """Makes sinks, and ends them."""
    made: list[Sink] = []

    def of(kind: Callable[..., Sink], *arguments: Any) -> Sink:
        made.append(kind(*arguments))
        return made[-1]

    yield of
    for one in made:
        one.die()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Makes servers before a sink, and ends them."""
    made: list[Served] = []

    def of(sink: Sink, name: str = "server") -> Served:
        made.append(Served(tmp_path / name, CONTRACT, inline(sink, LONG)))
        made[-1].start()
        return made[-1]

    yield of
    for one in made:
        one.kill()


def test_a_server_that_is_killed_again_and_again_tells_what_one_does_that_is_not(serve, sinks):
    exports = traffic(1)
    calm, deadly = sinks(Sink), sinks(Deadly, {4, 11}, {8, 21})
    undisturbed, killed = serve(calm, "calm"), serve(deadly, "killed")
    deadly.kill = killed.kill
    for data in exports:
        send(undisturbed, data)
        send(killed, data, killed.start)
    assert undisturbed.running.stop() == 0
    assert killed.running.stop() == 0
    assert end(killed, deadly) == end(undisturbed, calm)
    assert deadly.times().keys() == calm.times().keys()
    assert len(calm.times()) == TRACES * (CALLS + 2)
    assert len(told(calm)) > TRACES
    assert told(deadly) == told(calm)
    assert all(found <= findings_on(deadly)[one] for one, found in findings_on(calm).items())
    assert without_roots(findings_on(deadly)) == without_roots(findings_on(calm))


def test_a_disk_that_is_full_costs_nothing_but_time(serve, sinks):
    sink = sinks(Sink)
    server = serve(sink)
    exports = traffic(2)
    process = server.running.process.pid
    resource.prlimit(process, resource.RLIMIT_FSIZE, (32 * 1024, resource.RLIM_INFINITY))
    waited = []

    def lost() -> None:
        waited.append(len(sink.times()))
        if len(waited) == 3:
            resource.prlimit(
                process, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
            )

    for data in exports:
        send(server, data, lost)
    assert len(waited) == 3
    assert len(set(waited)) == 1
    assert httpx.get(f"{server.admin}/readyz").status_code == 200
    server.kill()
    assert "cannot be" in server.running.printed()
    calm = sinks(Sink)
    undisturbed = serve(calm, "calm")
    for data in exports:
        send(undisturbed, data)
    assert undisturbed.running.stop() == 0
    assert end(server, sink) == end(undisturbed, calm)
    assert told(sink) == told(calm)
    assert len(sink.times()) == TRACES * (CALLS + 2)
