"""`toolscore-otel run`: run a program, catch its telemetry, hold it against contracts."""

from __future__ import annotations

import logging
import os
import secrets
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from urllib.parse import quote

import click

from toolscore_otel import engine
from toolscore_otel.cli.exits import Exit, complain, warn, wrapped
from toolscore_otel.cli.judged import (
    contracts_option,
    end_with,
    fail_on_option,
    format_option,
    strict_option,
)
from toolscore_otel.cli.reading import Reader
from toolscore_otel.contracts import load
from toolscore_otel.model import Severity
from toolscore_otel.secrets.messages import hidden

_KILLED = 128
"""Added to a signal's number where one ended the program, as shells do."""

NOTHING_CAME = (
    "could not judge: no telemetry came. Is an OpenTelemetry SDK set up in the program, with an OTLP "
    "exporter that takes its endpoint from the environment, and is it flushed before the end? "
    "Python without any set-up: `opentelemetry-instrument python ...`."
)

_REDIRECTING = (
    "ENDPOINT",
    "PROTOCOL",
    "HEADERS",
    "CERTIFICATE",
    "CLIENT_KEY",
    "CLIENT_CERTIFICATE",
)


@click.command(
    context_settings={"ignore_unknown_options": True},
    short_help="Run a program and hold what its agents did against contracts.",
)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND...")
@contracts_option
@format_option
@fail_on_option
@strict_option
@click.option(
    "--keep",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Where to keep the telemetry; by default a new file in the folder for temporary files.",
)
@click.option(
    "--protocol",
    type=click.Choice(["http", "grpc"]),
    default="http",
    show_default=True,
    help="What the program is told to send by.",
)
@click.option(
    "--scenario", metavar="NAME", help="Name of the test scenario; by default COMMAND itself."
)
def run(
    command: tuple[str, ...],
    contracts: tuple[str, ...],
    fail_on: str,
    *,
    strict: bool,
    keep: Path | None,
    protocol: str,
    scenario: str | None,
    form: str,
) -> int:
    """Run COMMAND, in any language, and hold what its agents did against contracts.

    Its OpenTelemetry SDK is told by the usual environment variables to send to us, on free ports of this machine. COMMAND
    has the terminal: what it prints is its own, and passes untouched. The report follows on stderr, or in another format on stdout,
    without secrets. The telemetry stays, as it came, secrets included, in a file that only you can read.

    Exit code: that of COMMAND where it fails, else as for `toolscore-otel score`; 3 if no span came.

    \b
    Examples:
      toolscore-otel run --contracts contracts/ -- python agent.py
      toolscore-otel run --contracts pack:loops -- \\
          opentelemetry-instrument python agent.py
      toolscore-otel run --contracts c.yaml --protocol grpc -- node agent.js
    """
    loaded = load(contracts, warn=warn)
    path = keep or Path(tempfile.mkdtemp(prefix="toolscore-run-")) / "telemetry.jsonl"
    code = _catch(command, path, protocol, hidden(scenario or shlex.join(command)))
    if not path.stat().st_size:
        path.unlink()
        complain(wrapped(f"toolscore-otel: {NOTHING_CAME}", ""))
        return code or Exit.NOT_JUDGED
    complain(wrapped(f"toolscore-otel: telemetry is in {path}", ""))
    reader = Reader([str(path)])
    with reader.progress():
        report = engine.score(reader.read([path]), loaded, fingerprint_key=secrets.token_bytes(32))
    end = partial(end_with, form=form, strict=strict, to_stderr=form == "console")
    ending = end(report, reader, loaded, fail_on=Severity(fail_on))
    return code or ending


def _catch(command: Sequence[str], path: Path, protocol: str, scenario: str) -> int:
    """Run a program with its telemetry going into a file; returns its exit code."""
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    from toolscore_otel.server.catching import Catching
    from toolscore_otel.server.logs import start_logging

    start_logging("console", logging.WARNING)
    with Catching(path) as catching:
        port = catching.grpc_port if protocol == "grpc" else catching.http_port
        wanted = environment(os.environ, port=port, protocol=protocol, scenario=scenario)
        return _run(command, wanted)


def environment(
    given: Mapping[str, str], *, port: int, protocol: str, scenario: str
) -> dict[str, str]:
    """The environment in which a program's SDK sends everything to a port of this machine.

    Args:
        given: the environment as it is; what would send elsewhere is taken out.
        port: of this machine.
        protocol: `http` or `grpc`.
        scenario: goes into the resource of everything that is sent.
    """
    elsewhere = {
        f"OTEL_EXPORTER_OTLP_{signal}{what}"
        for signal in ("", "TRACES_", "LOGS_", "METRICS_")
        for what in _REDIRECTING
    }
    kept = {key: value for key, value in given.items() if key not in elsewhere}
    kept.pop("OTEL_SDK_DISABLED", None)
    resource = [
        part
        for part in (
            given.get("OTEL_RESOURCE_ATTRIBUTES", ""),
            f"toolscore.scenario={quote(scenario)}",
        )
        if part
    ]
    return kept | {
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc" if protocol == "grpc" else "http/protobuf",
        "OTEL_EXPORTER_OTLP_INSECURE": "true",
        "OTEL_TRACES_EXPORTER": "otlp",
        "OTEL_LOGS_EXPORTER": "otlp",
        "OTEL_METRICS_EXPORTER": given.get("OTEL_METRICS_EXPORTER", "none"),
        "OTEL_RESOURCE_ATTRIBUTES": ",".join(resource),
    }


def _run(command: Sequence[str], wanted: Mapping[str, str]) -> int:
    """Run a program in our place; returns its exit code."""
    try:
        program = subprocess.Popen(command, env=dict(wanted))  # noqa: S603 - what the user asked for
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise click.UsageError(f"`{command[0]}` cannot be run: {why}") from error
    with _passing_signals_to(program):
        code = program.wait()
    return _KILLED - code if code < 0 else code


@contextmanager
def _passing_signals_to(program: subprocess.Popen[bytes]) -> Generator[None]:
    """Whoever wants to end us wants to end the program, and still wants the report."""

    def passed_on(number: int, _frame: FrameType | None) -> None:
        if number != signal.SIGINT or not sys.stdin.isatty():  # a terminal tells both
            program.send_signal(number)

    before = {
        number: signal.signal(number, passed_on) for number in (signal.SIGTERM, signal.SIGINT)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
