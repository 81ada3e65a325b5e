"""Whether something is sent to ourselves, by whichever name: what the configuration alone does not show.

Names are looked up only where their port is one of ours.
"""

from __future__ import annotations

import socket
from ipaddress import IPv6Address, ip_address

from toolscore_otel.errors import ConfigError
from toolscore_otel.server.config import Address, NextHopConfig, ServerConfig, address, target


def refuse_circles(config: ServerConfig) -> None:
    """Look at everything that is sent on.

    Raises:
        ConfigError: it would come back.
    """
    protocols = config.receivers.otlp.protocols
    own = {
        f"receivers.otlp.protocols.{name}.endpoint": address(receiver.endpoint)
        for name, receiver in (("grpc", protocols.grpc), ("http", protocols.http))
        if receiver is not None
    }
    sent: dict[str, NextHopConfig | None] = {
        "next_hop": config.next_hop,
        "findings.otlp": config.findings.otlp,
        "metrics.otlp": config.metrics.otlp,
    }
    for key, hop in sent.items():
        if hop is None:
            continue
        to = target(hop.endpoint).address
        if (ours := next((name for name, at in own.items() if _takes(at, to)), None)) is not None:
            raise ConfigError(
                f"`{key}.endpoint`: `{to}` is our own `{ours}`: what is sent there would come around for ever; "
                "name the server behind this one"
            )


def _takes(at: Address, to: Address) -> bool:
    """Whether what listens at one address is sent what goes to the other."""
    if at.port != to.port or at.port == 0:
        return False
    listening = _addresses(at)
    is_anywhere = any(ip_address(one).is_unspecified for one in listening)
    return any(
        one in listening or ip_address(one).is_unspecified or (is_anywhere and _is_of_this_machine(one))
        for one in _addresses(to)
    )  # fmt: skip


def _addresses(where: Address) -> set[str]:
    """What a host stands for; nothing where it is not known."""
    try:
        found = socket.getaddrinfo(where.host, where.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return set()
    return {_plain(str(name[0])) for *_, name in found}


def _plain(host: str) -> str:
    """An address without its interface, and as IPv4 where it only wraps that."""
    one = ip_address(host.partition("%")[0])
    return str((one.ipv4_mapped or one) if isinstance(one, IPv6Address) else one)


def _is_of_this_machine(host: str) -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((host, 0))
        except OSError:
            return False
    return True
