"""Sinks that speak HTTP, against a listener on loopback."""

import gzip
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.unit.server.state_made import NOW, TRACE, Inside, contract_of, tool_span
from toolscore_otel.emit.finding_json import FINDING
from toolscore_otel.model import Label, LogRecord, Resource, Span
from toolscore_otel.server.config import Alertmanager, NextHopConfig, Protocol, Webhook
from toolscore_otel.server.counting import Counting
from toolscore_otel.server.deliveries import Delivery
from toolscore_otel.server.next_hop import NextHop
from toolscore_otel.server.outbox import Outbox
from toolscore_otel.server.reply import Outcome
from toolscore_otel.server.secret_text import SecretText
from toolscore_otel.server.sinks.alertmanager import Alerts
from toolscore_otel.server.sinks.otlp import OtlpLogs, OtlpSpans
from toolscore_otel.server.sinks.webhook import Hook
from toolscore_otel.wire.otlp_proto import read_request
from toolscore_otel.wire.stats import ReadStats

pytestmark = pytest.mark.net


class Listener:
    """Keeps what is posted, and answers as told.

    Attributes:
        got: path, headers in lower case and body of each request.
        answer: code and headers.
    """

    def __init__(self) -> None:
        self.got: list[tuple[str, dict[str, str], bytes]] = []
        self.answer: tuple[int, dict[str, str]] = (200, {})
        listener = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                listener.got.append((self.path, headers, body))
                code, told = listener.answer
                self.send_response(code)
                for name, value in {"content-length": "0", **told}.items():
                    self.send_header(name, value)
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(
            target=self.server.serve_forever, kwargs={"poll_interval": 0.01}
        )
        self.thread.start()

    def stop(self) -> None:
        if self.thread.is_alive():
            self.server.shutdown()
            self.server.server_close()
            self.thread.join()


@pytest.fixture
def listener() -> Iterator[Listener]:
    made = Listener()
    yield made
    made.stop()


@pytest.fixture
def deliveries(tmp_path: Path) -> list[Delivery]:
    """What a forbidden call leaves to be delivered."""
    inside = Inside(tmp_path / "state", contract_of(forbid=[{"tool": "rm"}]))
    inside.feed(tool_span(2, "rm", resource={"service.name": "shop", "host.name": "h"}))
    found = [delivery for _, delivery in inside.state.pending(0, 10)]
    inside.state.close()
    return found


def test_a_webhook_is_posted_findings_as_score_prints_them(listener, deliveries):
    hook = Hook(
        Webhook(
            url=SecretText(f"{listener.url}/hooks/1?token=x"),
            headers={"authorization": SecretText("Bearer y")},
        )
    )
    assert Outcome.OK is hook.send(deliveries).outcome
    hook.close()
    ((path, headers, body),) = listener.got
    assert (
        path,
        headers["authorization"],
        headers["content-type"],
    ) == ("/hooks/1?token=x", "Bearer y", "application/json")
    sent = json.loads(body)
    (finding,) = sent["findings"]
    assert sent["version"] == 1
    assert [*FINDING, "time_unix_nano", "resource", "contract_hash", "close_reason"] == list(
        finding
    )
    assert (finding["tool"], finding["trace_id"], finding["time_unix_nano"]) == ("rm", TRACE, NOW)
    assert finding["resource"] == {"service.name": "shop", "host.name": "h"}


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        (204, Outcome.OK),
        (400, Outcome.REFUSED),
        (403, Outcome.RETRY),
        (404, Outcome.REFUSED),
        (408, Outcome.RETRY),
        (413, Outcome.TOO_LARGE),
        (429, Outcome.RETRY),
        (500, Outcome.RETRY),
        (503, Outcome.RETRY),
    ],
)
def test_what_the_answer_means(listener, deliveries, code, outcome):
    listener.answer = (code, {"retry-after": "7"})
    hook = Hook(Webhook(url=SecretText(listener.url)))
    reply = hook.send(deliveries)
    hook.close()
    assert outcome is reply.outcome
    assert (None if code < 300 else 7.0) == reply.retry_after_s


def test_nobody_there_is_a_reason_to_try_again_and_tells_no_address(listener, deliveries):
    listener.stop()
    hook = Hook(Webhook(url=SecretText(f"{listener.url}/hidden")))
    reply = hook.send(deliveries)
    hook.close()
    assert (reply.outcome, reply.message) == (Outcome.RETRY, "it cannot be reached: ConnectError")


def test_alerts_go_to_the_api_of_alertmanager(listener, deliveries):
    alerts = Alerts(Alertmanager(url=f"{listener.url}/am"))
    assert Outcome.OK is alerts.send(deliveries).outcome
    alerts.close()
    ((path, _, body),) = listener.got
    assert path == "/am/api/v2/alerts"
    assert json.loads(body)[0]["labels"]["alertname"] == "ToolscoreForbiddenCall"


def test_an_otlp_server_gets_log_records_and_spans(listener, deliveries):
    hop = NextHop(NextHopConfig(endpoint=listener.url, protocol=Protocol.HTTP))
    assert Outcome.OK is OtlpLogs(hop.send).send(deliveries).outcome
    assert Outcome.OK is OtlpSpans(hop.send, hop.close).send(deliveries).outcome
    hop.close()
    assert [path for path, _, _ in listener.got] == ["/v1/logs", "/v1/traces"]
    (record,), (span,) = (
        list(read_request(gzip.decompress(body), ReadStats())) for _, _, body in listener.got
    )
    assert isinstance(record, LogRecord)
    assert isinstance(span, Span)
    assert Resource({"service.name": "shop", "host.name": "h"}) == record.resource == span.resource
    assert ("fail", record.span_id) == (
        record.attributes["gen_ai.evaluation.score.label"],
        span.parent_span_id,
    )


def test_findings_wait_for_a_sink_across_a_restart(listener, tmp_path):
    folder = tmp_path / "state"
    inside = Inside(folder, contract_of(forbid=[{"tool": "rm"}]))
    listener.answer = (503, {})
    hook = Hook(Webhook(url=SecretText(listener.url)))
    outbox = Outbox(inside.state, [hook], Counting())
    inside.feed(tool_span(2, "rm"))
    outbox.start()
    outbox.stop(10)
    inside = inside.killed()
    listener.answer, listener.got = (200, {}), []
    hook = Hook(Webhook(url=SecretText(listener.url)))
    outbox = Outbox(inside.state, [hook], Counting())
    outbox.start()
    outbox.stop(10)
    inside.state.close()
    ((_, _, body),) = listener.got
    assert [finding["label"] for finding in json.loads(body)["findings"]] == [Label.FAIL]
