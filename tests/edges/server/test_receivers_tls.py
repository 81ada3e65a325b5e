"""OTLP over TLS, with and without certificates of clients."""

import ssl
from typing import Any

import grpc
import httpx
import pytest

from tests.edges.server.otlp_sent import PROTOBUF
from toolscore_otel.errors import ConfigError
from toolscore_otel.server.config import GrpcReceiver, HttpReceiver, ServerTls
from toolscore_otel.server.grpc_receiver import METHODS, GrpcServer
from toolscore_otel.server.http_receiver import HttpServer
from toolscore_otel.server.reply import Signal

pytestmark = pytest.mark.net


def tls_of(folder, **more):
    """The certificates of a folder."""
    return ServerTls(cert_file=str(folder / "server.pem"), key_file=str(folder / "server.key"), **more)  # fmt: skip


def secure_export(at, folder, *, with_client=False):
    """One export over TLS."""
    key, chain = (
        ((folder / "client.key").read_bytes(), (folder / "client.pem").read_bytes())
        if with_client
        else (None, None)
    )
    trusted = grpc.ssl_channel_credentials((folder / "ca.pem").read_bytes(), key, chain)
    with grpc.secure_channel(at, trusted) as channel:
        call: Any = channel.unary_unary(METHODS[Signal.TRACES])
        return call(b"x", timeout=5)


def secure_post(at, folder, *, with_client=False):
    """The same over HTTPS."""
    pair = (str(folder / "client.pem"), str(folder / "client.key")) if with_client else None
    with httpx.Client(verify=context(folder, pair), headers=PROTOBUF) as client:
        return client.post(f"{at}/v1/traces", content=b"x").status_code


def context(folder, pair):
    """A client's context that trusts the authority of a folder."""
    made = ssl.create_default_context(cafile=str(folder / "ca.pem"))
    if pair is not None:
        made.load_cert_chain(*pair)
    return made


def test_senders_come_over_tls(listen, certificates):
    folder = certificates()
    both = listen(tls=tls_of(folder))
    assert secure_export(both.grpc, folder) == b""
    assert secure_post(both.http, folder) == 200


def test_with_an_authority_of_clients_nobody_comes_without_a_certificate(listen, certificates):
    folder = certificates()
    both = listen(tls=tls_of(folder, client_ca_file=str(folder / "ca.pem")))
    assert secure_export(both.grpc, folder, with_client=True) == b""
    assert secure_post(both.http, folder, with_client=True) == 200
    with pytest.raises(grpc.RpcError):
        secure_export(both.grpc, folder)
    with pytest.raises(httpx.TransportError):
        secure_post(both.http, folder)


def test_changed_certificates_are_used_without_a_restart(listen, certificates):
    old, new = certificates(), certificates()
    both = listen(tls=tls_of(old))
    for name in ("server.pem", "server.key"):
        (old / name).write_bytes((new / name).read_bytes())
    both.grpc_server.reload_certificates()
    both.http_server.reload_certificates()
    assert secure_export(both.grpc, new) == b""
    assert secure_post(both.http, new) == 200


def test_certificates_that_cannot_be_used_leave_those_before_in_use(listen, certificates):
    folder = certificates()
    both = listen(tls=tls_of(folder))
    (folder / "server.key").write_text("no key")
    for server in (both.grpc_server, both.http_server):
        with pytest.raises(ConfigError, match="are no certificate and its key"):
            server.reload_certificates()
    assert secure_export(both.grpc, folder) == b""
    assert secure_post(both.http, folder) == 200


def test_a_certificate_that_is_not_there_is_said(entrance, tmp_path):
    with pytest.raises(ConfigError, match="cannot be read: no such file"):
        GrpcServer(GrpcReceiver(tls=tls_of(tmp_path)), entrance)
    with pytest.raises(ConfigError, match="cannot be read: no such file"):
        HttpServer(HttpReceiver(tls=tls_of(tmp_path)), entrance)
