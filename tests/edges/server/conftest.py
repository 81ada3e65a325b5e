"""Receivers on free ports of loopback, with something behind them that tests decide about."""

import shutil
import subprocess
from types import SimpleNamespace
from typing import Any

import pytest

from toolscore_otel.server.admission import Admission
from toolscore_otel.server.auth import Auth
from toolscore_otel.server.config import GrpcReceiver, HttpReceiver
from toolscore_otel.server.entrance import Entrance
from toolscore_otel.server.grpc_receiver import GrpcServer
from toolscore_otel.server.http_receiver import HttpServer
from toolscore_otel.server.reply import OK

MIB = 1024 * 1024
ANY_PORT = "127.0.0.1:0"


class FakeHandle:
    """Remembers what came, and answers as it is told.

    Attributes:
        got: signal, bytes and headers of each export.
        answer: the next answers; an exception is raised.
        meanwhile: called before an answer is given.
    """

    def __init__(self):
        self.got = []
        self.answer = OK
        self.meanwhile = lambda: None

    def __call__(self, signal, data, headers):
        self.got.append((signal, data, headers))
        self.meanwhile()
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.fixture
def handle():
    return FakeHandle()


@pytest.fixture
def entrance(handle):
    """One of its own, for receivers that never get to listen."""
    return Entrance(handle, auth=Auth(()), admission=Admission(1), instance="me")


@pytest.fixture
def listen(handle):
    """Starts both receivers; returns them with their ports and what is in flight."""
    running: list[Any] = []

    def started(*, tokens=(), in_flight_bytes=256 * MIB, tls=None, **options):
        admission = Admission(in_flight_bytes)
        told = []
        entrance = Entrance(
            handle,
            auth=Auth(tokens),
            admission=admission,
            instance="me",
            tell=lambda *answered: told.append(answered),
        )
        grpc_options = options.get("grpc", {})
        grpc = GrpcServer(GrpcReceiver(endpoint=ANY_PORT, tls=tls, **grpc_options), entrance)
        http = HttpServer(
            HttpReceiver(endpoint=ANY_PORT, tls=tls, **options.get("http", {})), entrance
        )
        running.extend((grpc, http))
        ports = grpc.start(), http.start()
        return SimpleNamespace(
            grpc=f"127.0.0.1:{ports[0]}",
            http=f"http{'s' if tls else ''}://127.0.0.1:{ports[1]}",
            admission=admission,
            told=told,
            grpc_server=grpc,
            http_server=http,
        )

    yield started
    for receiver in running:
        receiver.stop(1)


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    """Makes a folder with an authority and a certificate of `localhost` (and of a client) that it signed."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")

    def made():
        folder = tmp_path_factory.mktemp("certificates")
        openssl(folder, "req", "-x509", "-out", "ca.pem", "-keyout", "ca.key", "-subj", "/CN=test")
        names = "subjectAltName=DNS:localhost,IP:127.0.0.1"
        for name in ("server", "client"):
            openssl(
                folder, "req", "-x509", "-CA", "ca.pem", "-CAkey", "ca.key", "-out", f"{name}.pem",
                "-keyout", f"{name}.key", "-subj", f"/CN={name}", "-addext", names, "-addext", "basicConstraints=CA:FALSE",
            )  # fmt: skip
        return folder

    return made


def openssl(folder, *arguments):
    """Run openssl in a folder; keys are quick ones without a password."""
    quick = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    subprocess.run(["openssl", *arguments, *quick], cwd=folder, check=True, capture_output=True)
