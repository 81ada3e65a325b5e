"""What no single value shows: values that make no sense, and settings that do not go together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct, structs

from toolscore_otel.contracts.tree import Path
from toolscore_otel.errors import ConfigError
from toolscore_otel.server.config.keys import (
    ClientTls,
    Mode,
    NextHopConfig,
    ServerConfig,
    ServerTls,
)
from toolscore_otel.server.config.notes import ConfigNotes
from toolscore_otel.server.config.values import Address, address, nanoseconds, target
from toolscore_otel.server.secret_text import SecretText

_DURATIONS = frozenset({
    "timeout", "interval", "settle", "idle", "max_age", "lateness", "time", "min_time",
    "max_connection_idle", "max_connection_age", "max_connection_age_grace",
})  # fmt: skip
_MAY_BE_ZERO = frozenset({"settle", "lateness", "min_time", "closed_trajectories"})
_GRPC_LIMIT_MIB = 2047
"""gRPC counts the bytes of a message in 31 bits."""

Listening = list[tuple[Path, Address]]


def check(config: ServerConfig, notes: ConfigNotes) -> None:
    """Note everything that makes no sense.

    Args:
        config: decoded.
        notes: where it goes.
    """
    if not config.contracts:
        notes.error(("contracts",), "names no contract: give a file, a folder or `pack:NAME`")
    for path, name, value in _values(config, ()):
        _value(path, name, value, notes)
    if config.mode is Mode.INLINE and config.next_hop is None:
        notes.error(("mode",), "`inline` needs `next_hop`: where spans go on to")
    _receivers(config, notes)
    listening = _listening(config)
    _ports(listening, notes)
    _own_listeners(config, listening, notes)


def _values(record: Struct, path: Path) -> Iterator[tuple[Path, str, Any]]:
    for field in structs.fields(type(record)):
        value = getattr(record, field.name)
        if isinstance(value, Struct):
            yield (*path, field.encode_name), "", value
            yield from _values(value, (*path, field.encode_name))
        elif value is not None:
            yield (*path, field.encode_name), field.name, value


def _value(path: Path, name: str, value: Any, notes: ConfigNotes) -> None:
    if isinstance(value, str):
        _text(path, name, value, notes)
    elif isinstance(value, int) and not isinstance(value, bool):
        _number(path, name, value, notes)
    elif isinstance(value, SecretText):
        if name == "url" and not value.reveal().startswith(("http://", "https://")):
            notes.error(path, "must begin with `http://` or `https://`")
    elif isinstance(value, ClientTls | ServerTls):
        _tls(path, value, notes)


def _text(path: Path, name: str, value: str, notes: ConfigNotes) -> None:
    if name in _DURATIONS:
        length = _noted(path, notes, nanoseconds, value)
        if length == 0 and name not in _MAY_BE_ZERO:
            notes.error(path, "must be longer than 0")
    elif name == "endpoint" and path[-2] not in ("next_hop", "otlp"):
        _noted(path, notes, address, value)
    elif name in ("endpoint", "url"):
        _noted(path, notes, target, value)
    elif name in ("state_dir", "file") and not value:
        notes.error(path, "is empty: name a place, or leave the key out")


def _number(path: Path, name: str, value: int, notes: ConfigNotes) -> None:
    least = 0 if name in _MAY_BE_ZERO else 1
    if value < least:
        notes.error(path, f"must be {least} or more, and is {value}")
    if name == "max_recv_msg_size_mib" and value > _GRPC_LIMIT_MIB:
        notes.error(path, f"must be {_GRPC_LIMIT_MIB} or less: gRPC takes no larger message")


def _noted(path: Path, notes: ConfigNotes, read: Callable[[str], Any], value: str) -> Any:
    """What a text stands for; None where it stands for nothing, which is noted."""
    try:
        return read(value)
    except ConfigError as error:
        notes.error(path, str(error))
        return None


def _tls(path: Path, tls: ClientTls | ServerTls, notes: ConfigNotes) -> None:
    if (tls.cert_file is None) is not (tls.key_file is None):
        notes.error(path, "`cert_file` and `key_file` go together")
    if isinstance(tls, ClientTls) and tls.insecure and (tls.ca_file or tls.cert_file):
        notes.error(path, "`insecure: true` means no TLS, and certificates are named: drop one")


def _receivers(config: ServerConfig, notes: ConfigNotes) -> None:
    base: Path = ("receivers", "otlp")
    otlp = config.receivers.otlp
    if any(not token for token in otlp.auth.bearer_tokens):
        notes.error((*base, "auth", "bearer_tokens"), "holds an empty token")
    if config.secrets.key is not None and not config.secrets.key:
        notes.error(("secrets", "key"), "is empty: give at least 16 random characters")
    if otlp.protocols.grpc is None and otlp.protocols.http is None:
        notes.error((*base, "protocols"), "names no protocol: `grpc`, `http` or both")
    if otlp.auth.bearer_tokens or otlp.auth.allow_unauthenticated:
        return
    for name, receiver in (("grpc", otlp.protocols.grpc), ("http", otlp.protocols.http)):
        if receiver is None or (receiver.tls and receiver.tls.client_ca_file):
            continue
        if (at := _address(receiver.endpoint)) is not None and not at.is_loopback:
            notes.error(
                (*base, "protocols", name, "endpoint"),
                "listens beyond loopback, and everybody may send: set `receivers.otlp.auth.bearer_tokens`, "
                "`tls.client_ca_file`, or `receivers.otlp.auth.allow_unauthenticated: true`",
            )


def _address(endpoint: str) -> Address | None:
    try:
        return target(endpoint).address if "://" in endpoint else address(endpoint)
    except ConfigError:
        return None  # is noted where values are checked


def _listening(config: ServerConfig) -> Listening:
    """Where we listen, in order of the keys."""
    protocols = config.receivers.otlp.protocols
    named = (
        (("receivers", "otlp", "protocols", "grpc", "endpoint"), protocols.grpc),
        (("receivers", "otlp", "protocols", "http", "endpoint"), protocols.http),
        (("metrics", "prometheus", "endpoint"), config.metrics.prometheus),
        (("admin", "endpoint"), config.admin),
    )
    return [
        (path, at)
        for path, listener in named
        if listener is not None and (at := _address(listener.endpoint)) is not None
    ]


def _ports(listening: Listening, notes: ConfigNotes) -> None:
    for number, (path, at) in enumerate(listening):
        for earlier, taken in listening[:number]:
            if taken.takes(at):
                notes.error(
                    path, f"`{at}` is taken by `{'.'.join(map(str, earlier))}`: give another port"
                )
                break


def _own_listeners(config: ServerConfig, listening: Listening, notes: ConfigNotes) -> None:
    """Nothing may be sent to ourselves: it would come around for ever."""
    sent: list[tuple[Path, NextHopConfig | None]] = [
        (("next_hop",), config.next_hop),
        (("findings", "otlp"), config.findings.otlp),
        (("metrics", "otlp"), config.metrics.otlp),
    ]
    for path, hop in sent:
        if hop is None or (to := _address(hop.endpoint)) is None:
            continue
        if (own := next((p for p, at in listening if at.takes(to)), None)) is not None:
            notes.error(
                (*path, "endpoint"),
                f"`{to}` is our own `{'.'.join(map(str, own))}`: what is sent there would come around for ever",
            )
