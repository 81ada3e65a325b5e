"""Ports for programs under test."""

from __future__ import annotations

import os
import socket
from itertools import cycle, islice

_RANGE = range(15000, 32000)
"""Below the range from which the system takes the near ends of connections: nobody takes one before it is used."""
_candidates = islice(cycle(_RANGE), os.getpid() * 97 % len(_RANGE), None)


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on; another one each time."""
    for port in _candidates:
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
    raise AssertionError("ports never run out")


def free_address() -> str:
    """`127.0.0.1:PORT`."""
    return f"127.0.0.1:{free_port()}"
