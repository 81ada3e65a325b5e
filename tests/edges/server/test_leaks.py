"""Secrets through every way in: what of them comes out, and where."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from itertools import cycle
from types import SimpleNamespace
from typing import Any

import grpc
import httpx
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from tests.edges.server.served import Served, code_of
from tests.parts.process import wait_for
from tests.parts.sink import Sink
from tests.parts.webhook import Webhook
from tests.unit.server.pipeline_made import TRACE, agent, export, pair, span, tool
from toolscore_otel.secrets.samples import make_sample
from toolscore_otel.server.grpc_receiver import METHODS
from toolscore_otel.server.reply import Signal

pytestmark = pytest.mark.net

KINDS = (
    "github_token_classic", "openai_api_key", "anthropic_api_key", "gitlab_token", "stripe_secret_key", "npm_token",
    "sendgrid_key", "slack_token", "huggingface_token", "grafana_token", "jwt", "pypi_token",
)  # fmt: skip
SHOWN = 6
"""So many characters of a secret in a row must stand nowhere."""

RANDOM = 20
"""Characters at the end of each that are its own, and no prefix of its kind."""

CONTRACT = """
contract: desk
language: 1
forbid: [{tool: delete_user}, {tool: 'rm *'}]
secrets: {action: redact, in: [arguments, result, error]}
loop: {same_call: 2}
"""
PASSES = {
    "state of a trace", "state of a link",
    "resource", "service", "plain span",
}  # fmt: skip
"""What goes on to the next hop as it came, secrets and all: `docs/pages/server.md` says so."""


class Canaries:
    """Fake secrets by where they were put."""

    def __init__(self) -> None:
        self.of: dict[str, str] = {}
        self._kinds = cycle(KINDS)

    def __call__(self, way: str) -> str:
        """The secret that goes this way."""
        if way not in self.of:
            self.of[way] = make_sample(next(self._kinds), 1000 + len(self.of))
        return self.of[way]

    def seen_in(self, text: str) -> set[str]:
        """Ways whose secret shows in a text."""
        return {way for way, secret in self.of.items() if any(p in text for p in _parts(secret))}


def _parts(secret: str) -> Iterator[str]:
    own = secret[-RANDOM:]
    return (own[at : at + SHOWN] for at in range(RANDOM - SHOWN + 1))


def spans(secret: Canaries) -> list[Span]:
    """Spans that hold a secret wherever one can stand."""
    full = tool(2, args=json.dumps({"q": secret("argument")}), parent=1)
    full.name = "execute_tool " + secret("name of a span")
    full.trace_state = "v=" + secret("state of a trace")
    full.status.CopyFrom(Status(code=Status.STATUS_CODE_ERROR, message="no: " + secret("status")))
    inner = KeyValueList(values=[pair("in", secret("map"))])
    listed = ArrayValue(values=[AnyValue(string_value=secret("list"))])
    full.attributes.extend(
        [
            pair("gen_ai.tool.call.result", json.dumps({"r": secret("result")})),
            pair("other", secret("attribute")),
            pair(secret("key"), "x"),
            KeyValue(key="map", value=AnyValue(kvlist_value=inner)),
            KeyValue(key="list", value=AnyValue(array_value=listed)),
            KeyValue(key="bytes", value=AnyValue(bytes_value=secret("bytes").encode())),
        ]
    )
    full.events.add(name="exception", attributes=[pair("exception.message", secret("exception"))])
    full.events.add(name="at " + secret("name of an event"), attributes=[pair("a", secret("event"))])  # fmt: skip
    full.links.add(
        trace_id=b"\1" * 16,
        span_id=b"\2" * 8,
        trace_state="a=" + secret("state of a link"),
        attributes=[pair("l", secret("link"))],
    )
    return [
        full,
        agent(1, "agent " + secret("agent"), gen_ai__conversation__id=secret("conversation")),
        tool(3, "rm " + secret("tool")),
        tool(4, "delete_user", json.dumps({"q": secret("argument of a finding")})),
        tool(5, args="no json " + secret("text")),
        tool(6, gen_ai__tool__call__id=secret("call id"), error__type="No " + secret("error type")),
        *(tool(10 + n, args=json.dumps({"q": secret("argument of a loop")})) for n in range(4)),
        span(8, parent=1, db__statement=secret("plain span")),
    ]


def logs(secret: Canaries) -> bytes:
    """An export of log records of a span."""
    request = ExportLogsServiceRequest()
    records = request.resource_logs.add().scope_logs.add().log_records
    said = [{"role": "user", "parts": [{"type": "text", "content": secret("messages in a log")}]}]
    for body, attribute in (
        (secret("log body"), pair("a", secret("log attribute"))),
        ("", pair("gen_ai.input.messages", json.dumps(said))),
    ):
        records.add(
            trace_id=bytes.fromhex(TRACE),
            span_id=(2).to_bytes(8),
            event_name="gen_ai.client.inference.operation.details",
            body=AnyValue(string_value=body),
            attributes=[attribute],
        )
    return request.SerializeToString()


def provoke(server: Served, channel: grpc.Channel, secret: Canaries) -> str:
    """Requests that are wrong in every way; returns all that was answered."""
    to = f"{server.http}/v1/traces"
    json_ = {"content-type": "application/json"}
    bodies = (
        f'{{"resourceSpans": [{{"{secret("JSON key")}": 1}}]}}',
        f'{{"resourceSpans": "{secret("JSON value")}"}}',
        f'{{"a": "{secret("broken JSON")}" ',
        f'{{"resourceSpans": [{{"scopeSpans": [{{"spans": [{{"traceId": "{secret("id")}"}}]}}]}}]}}',
    )
    answers = [httpx.post(to, content=body, headers=json_) for body in bodies]
    for url, headers in (
        (f"{server.http}/v1/{secret('path')}", json_),
        (f"{to}?x={secret('query')}", {**json_, "authorization": "Bearer " + secret("token")}),
        (to, {"content-type": secret("content type")}),
        (to, {**json_, "content-encoding": secret("content encoding")}),
    ):
        answers.append(httpx.post(url, content=b"{}", headers=headers))
    call: Any = channel.unary_unary(METHODS[Signal.TRACES])
    call(b"", metadata=(("authorization", "Bearer " + secret("gRPC token")),))
    assert code_of(channel, b"\xff" + secret("bytes that are none").encode()) is grpc.StatusCode.INVALID_ARGUMENT  # fmt: skip
    host, _, port = server.http.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port))) as raw:
        raw.sendall(secret("no HTTP").encode() + b"\r\n\r\n")
        raw.recv(1000)
    return "".join(answer.text for answer in answers)


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """What became of all these secrets: `secret`, texts by where they come out, and what went on."""
    folder, secret = tmp_path_factory.mktemp("leaks"), Canaries()
    sink, hook = Sink(), Webhook()
    to = f"endpoint: '{sink.grpc}', tls: {{insecure: true}}"
    config = (
        f"mode: inline\nnext_hop: {{{to}, headers: {{x-key: '{secret('header')}'}}}}\n"
        f"findings: {{otlp: {{{to}}}, as: both, file: findings.jsonl, "
        f"webhook: {{url: 'http://{hook.address}/{secret('URL')}'}}}}\n"
        f"state_dir: state\nsecrets: {{key: '{secret('secrets.key')}'}}\n"
        "trajectories: {settle: 0s, lateness: 0s}\n"
    )
    server = Served(folder / "server", CONTRACT, config)
    try:
        server.start()
        with grpc.insecure_channel(server.grpc) as channel:
            named = {"process.command_line": secret("resource"), "service.name": "the " + secret("service")}  # fmt: skip
            assert code_of(channel, export(*spans(secret), **named)) is grpc.StatusCode.OK
            assert code_of(channel, logs(secret), Signal.LOGS) is grpc.StatusCode.OK
            answers = provoke(server, channel, secret)
        wait_for(lambda: server.counted("toolscore_outbox_delivered") >= 20, "findings")
        wait_for(lambda: server.counted("toolscore_outbox_waiting") == 0, "an empty outbox")
        pages = [httpx.get(f"{server.admin}/debug{p}").text for p in PAGES]
        metrics = httpx.get(f"{server.prometheus}/metrics").text
        assert server.running.stop() == 0
    finally:
        server.kill()
        sink.die()
        hook.close()
    out = {"answers": answers, "debug": "".join(pages), "metrics": metrics}
    out["stderr"] = server.running.printed()
    out["file"] = (server.folder / "findings.jsonl").read_text()
    out["webhook"] = json.dumps([call.body for call in hook.calls])
    state = sorted((server.folder / "state").iterdir())
    out["state"] = "".join(file.read_text("latin-1") for file in state)
    sent = {mine: [e.data for e in sink.exports if (b"toolscore.finding" in e.data and e.signal == "logs") is mine] for mine in (True, False)}  # fmt: skip
    out["findings"] = b"".join(sent[True]).decode("latin-1")
    return SimpleNamespace(secret=secret, out=out, went_on=b"".join(sent[False]).decode("latin-1"))


PAGES = ("", "/trajectories", "/contracts", "/findings", "/config")


@pytest.mark.parametrize("where", ["answers", "debug", "metrics", "stderr", "file", "webhook", "state", "findings"])  # fmt: skip
def test_nothing_of_a_secret_comes_out(seen, where):
    assert len(seen.out[where]) > 100
    assert seen.secret.seen_in(seen.out[where]) == set()


def test_what_goes_on_to_the_next_hop_has_its_secrets_but_where_nobody_looks(seen):
    assert seen.secret.seen_in(seen.went_on) == PASSES


def test_what_was_found_is_told_everywhere_all_the_same(seen):
    for where in ("file", "webhook", "findings", "debug"):
        assert "delete_user" in seen.out[where]
        assert "REDACTED" in seen.out[where]


def test_a_configuration_that_is_wrong_shows_no_secret_of_it(tmp_path):
    secret = Canaries()
    server = Served(
        tmp_path,
        CONTRACT,
        f"secrets: {{key: '{secret('key')}', kee: '{secret('unknown key')}'}}\n"
        f"findings: {{webhook: {{url: '{secret('no URL')}'}}}}\nmode: inline\n"
        f"next_hop: {{endpoint: 'x:1', headers: ['{secret('header')}']}}\n",
    )
    server.begin()
    assert server.running.process.wait(60) == 2
    printed = server.running.printed()
    assert "unknown key `kee`" in printed
    assert secret.seen_in(printed) == set()
