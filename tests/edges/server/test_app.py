"""The server as a whole, in this process, with something behind its receivers that only remembers."""

import logging
import socket

import httpx
import pytest
from starlette.applications import Starlette

from tests.edges.server.otlp_sent import PROTOBUF, export
from toolscore_otel.errors import ConfigError, StateError
from toolscore_otel.server.app import Server
from toolscore_otel.server.config import (
    Caps,
    GrpcReceiver,
    HttpReceiver,
    Listener,
    Metrics,
    OtlpReceiver,
    Protocols,
    Receivers,
    ServerConfig,
)
from toolscore_otel.server.counting import Counting
from toolscore_otel.server.reply import OK, Signal

pytestmark = pytest.mark.net

ANY_PORT = "127.0.0.1:0"


class FakeCore:
    """Remembers what was asked of it."""

    def __init__(self, config, contracts, admission, instance):
        self.given = config, contracts, admission, instance
        self.counting = Counting()
        self.instance = "kept"
        self.done = []
        self.meanwhile = lambda: None

    def start(self):
        self.done.append("start")

    def handle(self, signal, data, headers):
        self.meanwhile()
        return OK

    def tick(self):
        """Nothing is ever due."""

    def reload(self, contracts):
        self.done.append([contract.id for contract in contracts])

    def debug(self):
        return {"contracts": [{"contract": "ops"}]}

    def metrics_app(self, resource):
        self.done.append(resource["service.name"])
        return Starlette()

    def close(self):
        self.done.append("close")


@pytest.fixture
def contract(tmp_path):
    path = tmp_path / "ops.yaml"
    path.write_text("contract: ops\nlanguage: 1\nforbid: [delete_user]\n")
    return path


@pytest.fixture
def cores():
    return []


@pytest.fixture
def make(contract, cores):
    """Makes servers, and stops those that a test left running."""
    made = []

    def of(*, admin=ANY_PORT, grpc=ANY_PORT, prometheus=ANY_PORT, build=FakeCore):
        protocols = Protocols(
            grpc=GrpcReceiver(endpoint=grpc), http=HttpReceiver(endpoint=ANY_PORT)
        )
        config = ServerConfig(
            contracts=[str(contract)],
            receivers=Receivers(otlp=OtlpReceiver(protocols=protocols)),
            admin=Listener(endpoint=admin),
            metrics=Metrics(prometheus=Listener(endpoint=prometheus)),
            limits=Caps(in_flight_mib=7),
        )

        def built(*arguments):
            cores.append(build(*arguments))
            return cores[-1]

        made.append(Server(config, built))
        return made[-1]

    yield of
    for server in made:
        server.drain()


def test_it_is_ready_between_start_and_drain(make, cores):
    server = make()
    assert server.ready() == "starting"
    server.start()
    assert server.ready() is None
    admin = f"http://127.0.0.1:{server.ports['admin']}"
    assert httpx.get(f"{admin}/readyz").status_code == 200
    assert httpx.get(f"{admin}/debug/contracts").json() == [{"contract": "ops"}]
    assert httpx.get(f"{admin}/healthz").json()["instance"] == "kept"  # as in its metrics
    server.drain()
    assert server.ready() == "stopping"
    assert cores[0].done == ["toolscore-otel", "start", "close"]
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{admin}/readyz")


def test_what_is_under_way_when_it_stops_is_answered(make, cores):
    server = make()
    server.start()
    seen = []

    def meanwhile():
        admission = cores[0].given[2]
        admission.drain()
        seen.append(admission.limit_bytes)

    cores[0].meanwhile = meanwhile
    assert export(f"127.0.0.1:{server.ports['grpc']}", b"x") == b""
    assert seen == [7 * 1024 * 1024]
    answer = httpx.post(f"http://127.0.0.1:{server.ports['http']}/v1/logs", headers=PROTOBUF)
    assert answer.status_code == 503


def test_every_answer_is_counted(make, cores):
    server = make()
    server.start()
    export(f"127.0.0.1:{server.ports['grpc']}", b"x", Signal.LOGS)
    cores[0].counting.begin()
    shown = cores[0].counting.collected("toolscore.receiver.requests", reader="test")
    key = {"signal": "logs", "transport": "grpc", "outcome": "ok"}
    assert [point.value for point in shown if dict(point.key) == key] == [1]


@pytest.mark.parametrize(
    ("listener", "key"),
    [
        ("admin", "admin.endpoint"),
        ("prometheus", "metrics.prometheus.endpoint"),
        ("grpc", "receivers.otlp.protocols.grpc.endpoint"),
    ],
)
def test_where_it_cannot_listen_nothing_is_left_running(make, cores, listener, key):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        server = make(**{listener: f"127.0.0.1:{taken.getsockname()[1]}"})
        with pytest.raises(ConfigError, match=f"`{key}`: cannot listen on .* another program"):
            server.start()
    assert server.ready() == "starting"
    assert [core.done[-1] for core in cores] == ["close"] * len(cores)
    for port in server.ports.values():
        with pytest.raises(ConnectionError):
            socket.create_connection(("127.0.0.1", port), 1)


def test_state_that_cannot_be_read_stops_the_start(make):
    def broken(*_):
        raise StateError("no")

    server = make(build=broken)
    with pytest.raises(StateError):
        server.start()


def test_a_reload_changes_contracts_only_where_all_of_them_are_good(make, cores, contract, caplog):
    server = make()
    server.start()
    with caplog.at_level(logging.INFO, "toolscore_otel"):
        contract.write_text("contract: ops\nlanguage: 1\nforbid: 5\n")
        assert server.reload() is False
        contract.write_text("contract: other\nlanguage: 1\nforbid: [a]\n")
        assert server.reload() is True
    assert cores[0].done[-1] == ["other"]
    assert "what was there stays in use" in caplog.text


def test_pages_that_ask_nobody_are_warned_of_beyond_loopback(make, caplog):
    server = make(admin="0.0.0.0:0")
    with caplog.at_level(logging.INFO, "toolscore_otel"):
        server.start()
    assert "`admin` listens beyond loopback, and asks nobody who they are" in caplog.text
    assert "without `state_dir` everything is in memory" in caplog.text
