"""Why an address cannot be listened on, and what to do about it."""

from __future__ import annotations

import errno
import socket

from toolscore_otel.errors import ConfigError
from toolscore_otel.server.config import Address


def in_use(key: str, where: Address) -> ConfigError:
    """What to say where listening failed.

    Args:
        key: of the configuration that names the address.
        where: the address.
    """
    try:
        family, _, _, _, name = socket.getaddrinfo(where.host, where.port, type=socket.SOCK_STREAM)[
            0
        ]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(name)
            probe.listen()
    except socket.gaierror:
        return ConfigError(f"`{key}`: there is no host `{where.host}`: correct it")
    except OSError as error:
        return ConfigError(f"`{key}`: cannot listen on `{where}`: {_what(error)}")
    return ConfigError(f"`{key}`: cannot listen on `{where}`: give another address")


def _what(error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return "another program listens there: stop it, or give another port"
    if error.errno == errno.EACCES:
        return "that needs more rights: give a port above 1023"
    if error.errno == errno.EADDRNOTAVAIL:
        return "this machine does not have that address: correct it"
    return (error.strerror or type(error).__name__).lower()
