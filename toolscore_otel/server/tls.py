"""Certificates of our listeners, read from files, and read again when told to: senders keep their connections."""

from __future__ import annotations

import ssl
from pathlib import Path
from threading import Lock

import grpc

from toolscore_otel.errors import ConfigError
from toolscore_otel.server.config import ClientTls, ServerTls


def read_pem(path: str) -> bytes:
    """A certificate or key file.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        return Path(path).read_bytes()
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise ConfigError(f"the certificate file `{path}` cannot be read: {reason}") from error


class GrpcCertificates:
    """Certificates of the gRPC listener.

    Attributes:
        credentials: to listen with.
    """

    def __init__(self, tls: ServerTls) -> None:
        """Read the files.

        Raises:
            ConfigError: they cannot be read, or hold no certificate.
        """
        self._tls = tls
        self._lock = Lock()
        self._new: grpc.ServerCertificateConfiguration | None = None
        self.credentials = grpc.dynamic_ssl_server_credentials(
            self._read(),
            self._fetch,  # type: ignore[arg-type]  # None means: as before, and the stubs do not know it
            require_client_authentication=tls.client_ca_file is not None,
        )

    def reload(self) -> None:
        """Read the files again; the next connection meets what they hold now.

        Raises:
            ConfigError: they cannot be used; what was there stays in use.
        """
        new = self._read()
        with self._lock:
            self._new = new

    def _fetch(self) -> grpc.ServerCertificateConfiguration | None:
        with self._lock:
            new, self._new = self._new, None
        return new

    def _read(self) -> grpc.ServerCertificateConfiguration:
        tls = self._tls
        server_context(tls)  # gRPC says nothing of a key that does not fit; this does
        authority = read_pem(tls.client_ca_file) if tls.client_ca_file is not None else None
        pair = (read_pem(tls.key_file), read_pem(tls.cert_file))
        return grpc.ssl_server_certificate_configuration([pair], authority)


def server_context(tls: ServerTls) -> ssl.SSLContext:
    """What an HTTP listener does TLS with.

    Raises:
        ConfigError: the files cannot be read, or hold no certificate.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    load_pair(context, tls)
    if tls.client_ca_file is not None:
        _trust(context, tls.client_ca_file)
        context.verify_mode = ssl.CERT_REQUIRED
    return context


def load_pair(context: ssl.SSLContext, tls: ServerTls) -> None:
    """Read certificate and key into a context; its next connection meets them.

    Raises:
        ConfigError: they cannot be used.
    """
    read_pem(tls.cert_file)
    read_pem(tls.key_file)
    try:
        context.load_cert_chain(tls.cert_file, tls.key_file)
    except ssl.SSLError as error:
        raise ConfigError(
            f"`{tls.cert_file}` and `{tls.key_file}` are no certificate and its key ({_said(error)})"
        ) from error


def client_context(tls: ClientTls) -> ssl.SSLContext:
    """How a server we send to over HTTPS is trusted.

    Raises:
        ConfigError: the files cannot be read, or hold no certificate.
    """
    context = ssl.create_default_context()
    if tls.ca_file is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        _trust(context, tls.ca_file)
    if tls.cert_file is not None and tls.key_file is not None:
        load_pair(context, ServerTls(cert_file=tls.cert_file, key_file=tls.key_file))
    return context


def channel_credentials(tls: ClientTls) -> grpc.ChannelCredentials:
    """How a server we send to over gRPC is trusted.

    Raises:
        ConfigError: the files cannot be read, or hold no certificate.
    """
    client_context(tls)
    return grpc.ssl_channel_credentials(
        root_certificates=read_pem(tls.ca_file) if tls.ca_file is not None else None,
        private_key=read_pem(tls.key_file) if tls.key_file is not None else None,
        certificate_chain=read_pem(tls.cert_file) if tls.cert_file is not None else None,
    )


def _trust(context: ssl.SSLContext, path: str) -> None:
    read_pem(path)
    try:
        context.load_verify_locations(path)
    except ssl.SSLError as error:
        raise ConfigError(f"`{path}` holds no certificate ({_said(error)})") from error


def _said(error: ssl.SSLError) -> str:
    return (error.reason or type(error).__name__).lower().replace("_", " ")
