"""A program that `toolscore-otel run` runs: it sends all canaries, and garbage with them in it; it prints one itself."""

from __future__ import annotations

import json
import os
import sys

import grpc
import httpx

from tests.edges.canaries import planted
from toolscore_otel.server.grpc_receiver import METHODS
from toolscore_otel.server.reply import Signal
from toolscore_otel.wire.json_to_proto import json_to_proto

endpoint = os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"]
printed, over_grpc = sys.argv[1], os.environ["OTEL_EXPORTER_OTLP_PROTOCOL"] == "grpc"
json_headers = {"content-type": "application/json"}
for signal, request in zip((Signal.TRACES, Signal.LOGS), planted.requests(), strict=True):
    data = json.dumps(request).encode()
    proto = json_to_proto(data, signal.value)
    if over_grpc:
        with grpc.insecure_channel(endpoint.removeprefix("http://")) as channel:
            call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(METHODS[signal])
            call(proto, metadata=(("x-api-key", printed),))
            try:
                call(proto[:-5] + printed.encode())
            except grpc.RpcError:
                continue
        continue
    for body in (data, data[:-1000], printed.encode()):
        url = f"{endpoint}/v1/{signal.value}?key={printed}"
        httpx.post(url, content=body, headers={**json_headers, "authorization": printed})
assert printed not in os.environ["OTEL_RESOURCE_ATTRIBUTES"]
sys.stdout.write(f"mine: {printed}\n")
sys.stderr.write(f"mine too: {printed}\n")
