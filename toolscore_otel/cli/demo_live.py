"""`toolscore-otel demo --live`: the demo over real sockets, all in one process.

The recording's spans go out through the OpenTelemetry SDK and its OTLP exporter to a server, which sends what it finds as
log events to a backend of a few lines, and counts it for Prometheus.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import Any

import httpx
from msgspec import Struct
from rich.console import Console
from rich.text import Text

from toolscore_otel.assembly import Assembler
from toolscore_otel.cli.demo_replay import CONTRACT, Recorded, recorded
from toolscore_otel.cli.demo_screen import Screen
from toolscore_otel.cli.demo_spans import exporting
from toolscore_otel.model import FindingKind, LogRecord, Severity, Span, Stage, ToolCall
from toolscore_otel.report.terminal import marks_of, print_wrapped
from toolscore_otel.server.admission import Admission
from toolscore_otel.server.app import Server
from toolscore_otel.server.auth import Auth
from toolscore_otel.server.building import Built
from toolscore_otel.server.config import (
    ClientTls,
    Findings,
    GrpcReceiver,
    HttpReceiver,
    Listener,
    Metrics,
    NextHopConfig,
    OtlpReceiver,
    Protocols,
    Receivers,
    ServerConfig,
    Trajectories,
)
from toolscore_otel.server.entrance import Entrance
from toolscore_otel.server.grpc_receiver import GrpcServer
from toolscore_otel.server.reply import OK, Reply, Signal
from toolscore_otel.wire.passing import LogsRequest

LAST_S = 20.0
"""How long the last findings are waited for; they come when the trace has settled."""

_ANY = "127.0.0.1:0"
_COUNT = re.compile(r"^toolscore_findings_total\{(.*)\} (\d+)", re.MULTILINE)
_LABEL = re.compile(r'(\w+)="([^"]*)"')


class Told(Struct, frozen=True):
    """A finding as it reached the backend.

    Attributes:
        at: seconds of the monotonic clock.
    """

    record: LogRecord
    at: float


@contextmanager
def backend() -> Generator[tuple[int, SimpleQueue[Told]]]:
    """An OTLP receiver that keeps log records; its port, and where they are put."""
    told: SimpleQueue[Told] = SimpleQueue()

    def keep(signal: Signal, data: bytes, headers: Mapping[str, str]) -> Reply:  # noqa: ARG001 - as `Handle` has it
        if signal is Signal.LOGS:
            for record in LogsRequest.of_bytes(data).records:
                told.put(Told(record, time.monotonic()))
        return OK

    entrance = Entrance(keep, auth=Auth(()), admission=Admission(1 << 26), instance="backend")
    receiver = GrpcServer(GrpcReceiver(endpoint=_ANY), entrance)
    port = receiver.start()
    try:
        yield port, told
    finally:
        receiver.stop(1)


@contextmanager
def server(findings_port: int) -> Generator[Server]:
    """A server as any other, on free ports, quick to close what is over."""
    otlp = NextHopConfig(endpoint=f"127.0.0.1:{findings_port}", tls=ClientTls(insecure=True))
    config = ServerConfig(
        contracts=[str(CONTRACT)],
        receivers=Receivers(
            otlp=OtlpReceiver(
                protocols=Protocols(
                    grpc=GrpcReceiver(endpoint=_ANY), http=HttpReceiver(endpoint=_ANY)
                )
            )
        ),
        findings=Findings(otlp=otlp),
        metrics=Metrics(prometheus=Listener(endpoint=_ANY)),
        admin=Listener(endpoint=_ANY),
        trajectories=Trajectories(settle="1s", lateness="1s"),
    )
    running = Server(config, Built)
    running.start()
    try:
        yield running
    finally:
        running.drain()


def play_live(console: Console, pause: Callable[[float], None], width: int, seconds: float) -> None:
    """Show the whole live demo.

    Args:
        console: where to.
        pause: waits that many seconds.
        width: columns.
        seconds: how long the replay takes.
    """
    what = recorded()
    with backend() as (port, told), server(port) as running:
        screen = Screen(console, marks_of(console), width)
        screen.introduce(what)
        live = _Live(console, screen, told, width)
        live.say_where(running.ports)
        screen.head()
        with exporting(running.ports["grpc"]) as export:
            pace = seconds * 1e9 / ((what.spans[-1].end_ns or 0) - what.begin_ns)
            before_s = 0.0
            for span, call, after_s in _calls(what):
                pause((after_s - before_s) * pace)
                before_s = after_s
                export(span)
                live.exported(span, call, after_s)
        live.wait_for_last(expected=len(_rules(what)))
        live.show_metrics(running.ports["prometheus"])


def _rules(what: Recorded) -> set[str]:
    return {rule.record.id or "" for rule in what.contract.rules}


def _calls(what: Recorded) -> Generator[tuple[Span, ToolCall | None, float]]:
    """The spans, each with the call that ended with it, as the application knows it."""
    assembler = Assembler()
    for span in what.spans:
        assembler.feed(span, 0)
        calls = assembler.trajectory(span.trace_id).calls
        ran = (call for call in calls if call.stage is Stage.EXECUTED)
        call = next((call for call in ran if call.span_id == span.span_id), None)
        yield span, call, ((span.end_ns or 0) - what.begin_ns) / 1e9


class _Live:
    """What is shown while spans go out and findings come back."""

    def __init__(
        self, console: Console, screen: Screen, told: SimpleQueue[Told], width: int
    ) -> None:
        self._console = console
        self._screen = screen
        self._told = told
        self._width = width
        self._exported: dict[str, float] = {}
        self._said: set[str] = set()

    def say_where(self, ports: Mapping[str, int]) -> None:
        """Where one could look while it runs."""
        where = {
            "spans go to": f"127.0.0.1:{ports['grpc']} (OTLP over gRPC)",
            "metrics": f"http://127.0.0.1:{ports['prometheus']}/metrics",
            "a look inside": f"http://127.0.0.1:{ports['admin']}/debug",
        }
        for name, address in where.items():
            self._console.print(Text(f"  {name:<14} {address}"))
        self._console.print()

    def exported(self, span: Span, call: ToolCall | None, after_s: float) -> None:
        """A span went out."""
        self._exported[span.span_id] = time.monotonic()
        if call is not None:
            self._screen.call(call, after_s)
        self.show_findings(0.0)

    def show_findings(self, wait_s: float) -> bool:
        """Show what reached the backend; returns whether anything new did in time."""
        is_new = False
        try:
            while True:
                is_new = self._show(self._told.get(timeout=wait_s)) or is_new
        except Empty:
            return is_new

    def wait_for_last(self, expected: int) -> None:
        """Show what comes when the trace has settled."""
        give_up = time.monotonic() + LAST_S
        while len(self._said) < expected and time.monotonic() < give_up:
            self.show_findings(0.1)

    def show_metrics(self, port: int) -> None:
        """What Prometheus would scrape now."""
        text = httpx.get(f"http://127.0.0.1:{port}/metrics").text
        self._console.print()
        line = Text("What an alert would see at /metrics: toolscore_findings_total", "bold")
        print_wrapped(self._console, line, width=self._width)
        for labels, count in _COUNT.findall(text):
            known = dict(_LABEL.findall(labels))
            if int(count) and known["label"] == "fail":
                series = f'{{contract="{known["contract"]}", rule="{known["rule"]}", severity="{known["severity"]}"}}'
                self._console.print(
                    Text(f"  {int(count):>3}  {series}"), overflow="ellipsis", no_wrap=True
                )

    def _show(self, told: Told) -> bool:
        attributes: Mapping[str, Any] = told.record.attributes
        rule = str(attributes.get("toolscore.rule.id", ""))  # none: a score
        failed = attributes.get("gen_ai.evaluation.score.label") == "fail"
        if not rule or not failed or rule in self._said:
            return False
        self._said.add(rule)
        sent = self._exported.get(told.record.span_id or "")
        self._screen.told(
            rule=rule,
            severity=Severity(attributes["toolscore.severity"]),
            kind=FindingKind(attributes["toolscore.rule.kind"]),
            explanation=str(attributes["gen_ai.evaluation.explanation"])
            + ("" if sent is None else f" (reached the backend after {told.at - sent:.1f} s)"),
        )
        return True
