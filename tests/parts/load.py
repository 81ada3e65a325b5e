"""Load, made by the Collector project's own generator."""

from __future__ import annotations

import subprocess
from pathlib import Path


def send_load(telemetrygen: Path, address: str, signal: str, *options: str) -> None:
    """Send telemetry as fast as it goes, and return once all of it was acknowledged.

    One at a time: batching, the generator drops what its queue cannot hold.

    Args:
        telemetrygen: the program.
        address: `host:port`, over gRPC.
        signal: `traces`, `logs` or `metrics`.
        options: of that command.
    """
    command = [str(telemetrygen), signal, "--otlp-insecure", "--otlp-endpoint", address]
    done = subprocess.run(
        [*command, "--rate=0", "--batch=false", *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
