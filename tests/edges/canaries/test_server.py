"""Secrets of every kind through a real server, by every way in: nothing of them comes out anywhere."""

from __future__ import annotations

import json

import grpc
import httpx
import pytest

from tests.edges.canaries import planted
from tests.edges.canaries.canary import CONTRACT, shown
from tests.edges.server.served import Served, code_of
from tests.parts.process import wait_for
from tests.parts.sink import Sink
from toolscore_otel.server.reply import Signal
from toolscore_otel.wire.json_to_proto import json_to_proto

pytestmark = pytest.mark.net

WAYS = ("HTTP JSON", "HTTP protobuf", "gRPC")


def send(server: Served, way: str) -> str:
    """Spans and log records with all canaries; returns what was answered."""
    answers = ""
    for signal, request in zip((Signal.TRACES, Signal.LOGS), planted.requests(), strict=True):
        data = json.dumps(request).encode()
        if way != "HTTP JSON":
            data = json_to_proto(data, signal.value)
        if way == "gRPC":
            with grpc.insecure_channel(server.grpc) as channel:
                assert code_of(channel, data, signal, timeout_s=60) is grpc.StatusCode.OK
            continue
        form = "json" if way == "HTTP JSON" else "x-protobuf"
        headers = {"content-type": f"application/{form}"}
        url = f"{server.http}/v1/{signal.value}"
        answer = httpx.post(url, content=data, headers=headers, timeout=60)
        assert answer.status_code == 200
        answers += answer.text
    return answers


@pytest.mark.parametrize("way", WAYS)
def test_nothing_of_a_secret_comes_out_of_a_server(tmp_path, way):
    sink = Sink()
    to = f"endpoint: '{sink.grpc}', tls: {{insecure: true}}"
    config = (
        f"mode: inline\nnext_hop: {{{to}}}\nfindings: {{otlp: {{{to}}}, as: both, file: findings.jsonl}}\n"
        "state_dir: state\ntrajectories: {settle: 0s, lateness: 0s}\n"
    )
    server = Served(tmp_path / "server", json.dumps(CONTRACT), config)
    try:
        server.start()
        answers = send(server, way)
        wait_for(lambda: server.counted("toolscore_outbox_delivered") >= 400, "findings")
        wait_for(lambda: server.counted("toolscore_outbox_waiting") == 0, "an empty outbox")
        pages = ("", "/trajectories", "/contracts", "/findings", "/config")
        out = {page: httpx.get(f"{server.admin}/debug{page}").text for page in pages}
        out["metrics"] = httpx.get(f"{server.prometheus}/metrics").text
        assert server.running.stop() == 0
    finally:
        server.kill()
        sink.die()
    out["answers"], out["stderr"] = answers, server.running.printed()
    out["file"] = (server.folder / "findings.jsonl").read_text()
    state = sorted((server.folder / "state").iterdir())
    out["state"] = "".join(file.read_bytes().decode("latin-1") for file in state)
    out["sent on"] = b"".join(one.data for one in sink.exports).decode("latin-1")
    assert len(out["file"]) > 10_000
    assert len(out["state"]) > 10_000
    assert len(out["sent on"]) > 100_000
    assert {where: seen for where, text in out.items() if (seen := shown(text))} == {}
