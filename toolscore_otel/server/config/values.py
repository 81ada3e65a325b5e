"""Texts of the configuration -> what they stand for: durations, addresses to listen on, servers to send to."""

from __future__ import annotations

import re
from ipaddress import ip_address
from urllib.parse import urlsplit

from msgspec import Struct

from toolscore_otel.errors import ConfigError, clip

_NS = {
    "ns": 1,
    "us": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60 * 1_000_000_000,
    "h": 3600 * 1_000_000_000,
    "d": 24 * 3600 * 1_000_000_000,
}
_PART = r"(\d+(?:\.\d+)?)(ns|us|ms|s|m|h|d)"
_DURATION = re.compile(rf"(?:{_PART})+", re.ASCII)
_PARTS = re.compile(_PART, re.ASCII)
_ADDRESS = re.compile(r"(?:\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<host>[^\s:/\[\]@]+)):(?P<port>\d{1,5})", re.ASCII)  # fmt: skip
_MAX_PORT = 65_535
_LOOPBACK = "loopback"
"""What every name of this machine's loopback is the same as."""

_ANYWHERE = "anywhere"
"""All addresses of this machine."""


def nanoseconds(duration: str) -> int:
    """A duration such as `10s`, `1h30m` or `200ms`; units are ns, us, ms, s, m, h and d.

    Raises:
        ConfigError: it is none.
    """
    if duration == "0":
        return 0
    if not _DURATION.fullmatch(duration):
        raise ConfigError(
            f"must be a duration such as `10s`, `1h30m` or `200ms`, not `{clip(duration)}`"
        )
    return sum(round(float(number) * _NS[unit]) for number, unit in _PARTS.findall(duration))


def seconds(duration: str) -> float:
    """A duration in seconds.

    Raises:
        ConfigError: it is none.
    """
    return nanoseconds(duration) / _NS["s"]


class Address(Struct, frozen=True):
    """A host and a port of it.

    Attributes:
        host: a name or an address, without brackets.
        port: 0 stands for any that is free.
    """

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def where(self) -> str:
        """The host, with all names of loopback and all ways to say `every address` made one."""
        host = self.host.lower().rstrip(".")
        if host == "localhost" or host.endswith(".localhost"):
            return _LOOPBACK
        try:
            address = ip_address(host)
        except ValueError:
            return host
        if address.is_unspecified:
            return _ANYWHERE
        return _LOOPBACK if address.is_loopback else str(address)

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return self.where == _LOOPBACK

    def takes(self, other: Address) -> bool:
        """Whether listening here would take what is sent to the other address, as far as names tell."""
        if self.port != other.port or self.port == 0:
            return False
        return self.where == other.where or _ANYWHERE in (self.where, other.where)


def address(endpoint: str) -> Address:
    """An address to listen on.

    Raises:
        ConfigError: it is no `host:port`.
    """
    found = _ADDRESS.fullmatch(endpoint)
    if found is None or int(found["port"]) > _MAX_PORT:
        raise ConfigError(f"must be `host:port` such as `127.0.0.1:4317`, not `{clip(endpoint)}`")
    return Address(found["v6"] or found["host"], int(found["port"]))


class Target(Struct, frozen=True):
    """A server that something is sent to.

    Attributes:
        address: its host and port.
        is_secure: whether a URL says so; None where there is no URL.
        path: of the URL, without a slash at the end.
    """

    address: Address
    is_secure: bool | None = None
    path: str = ""


def target(endpoint: str) -> Target:
    """A server to send to, from `host:port` or a URL with `http://` or `https://`.

    Raises:
        ConfigError: it is neither, or holds a user's name.
    """
    if "://" not in endpoint:
        found = Target(address(endpoint))
        if found.address.port == 0:
            raise ConfigError("must name a port other than 0")
        return found
    try:
        url = urlsplit(endpoint)
        port = url.port
    except ValueError:
        raise ConfigError("must be `host:port` or a URL, and is a broken URL") from None
    if "@" in url.netloc:
        raise ConfigError("must not hold a user or a password: put credentials into `headers`")
    if url.scheme not in ("http", "https") or not url.hostname or url.query or url.fragment:
        raise ConfigError("must be `host:port`, `http://host:port` or `https://host:port`")
    is_secure = url.scheme == "https"
    default = 443 if is_secure else 80
    return Target(Address(url.hostname, default if port is None else port), is_secure, url.path.rstrip("/"))  # fmt: skip
