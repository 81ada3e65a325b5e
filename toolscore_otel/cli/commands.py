"""All commands, and how their errors end: one paragraph on stderr and the right exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from importlib import import_module
from io import StringIO
from typing import Any, TextIO

import click

from toolscore_otel.cli.collecting import collecting_seldom
from toolscore_otel.cli.crash import told, watched
from toolscore_otel.cli.exits import Exit, complain, explain, wrapped
from toolscore_otel.errors import ToolscoreError

EPILOG = """
Exit codes: 0 pass; 1 findings at or above --fail-on, a case that differs, or a gate that failed;
2 usage, contract, configuration or input that cannot be used, output that cannot be written, or a port in use;
3 nothing could be judged, or a bug ended the command; 130 interrupted; 141 the output's reader closed its pipe.
"""


COMMANDS = {
    "demo": "Watch a recorded agent run being held against a contract.",
    "calls": "Rebuild the tool calls of recorded telemetry.",
    "score": "Hold the tool calls of recorded telemetry against contracts.",
    "run": "Run a program and hold what its agents did against contracts.",
    "gate": "Hold the scores of a release against the last ones.",
    "diff": "Compare the tool calls of two sets of recordings.",
    "check": "Lint contracts and run the cases that stand beside them.",
    "learn": "Propose a contract from recorded telemetry.",
    "doctor": "Say what telemetry shows and lacks; name the switch to turn.",
    "secrets": "Find secrets in the lines of a file.",
    "serve": "Take spans over OTLP; tell what breaks a contract.",
    "validate": "Check a configuration of the server.",
    "print-config": "Print the configuration in force, secrets hidden.",
    "schema": "Print the JSON Schema of contracts, for editors.",
    "version": "Print the versions, and what finds secrets here.",
}
"""All commands in the order in which a newcomer meets them, each in the file of its name. What each does stands here, so
that listing them loads none."""


class _PipeClosedError(Exception):
    """Whoever read our output wants no more of it."""


@contextmanager
def _pipe_watched() -> Generator[None]:
    """Tells of a closed pipe in our own words: click and rich would both end the program with 1, which means findings."""
    try:
        yield
    except BrokenPipeError as error:
        raise _PipeClosedError from error
    except SystemExit as error:
        if isinstance(error.__context__, BrokenPipeError):  # of rich's `Console.on_broken_pipe`
            raise _PipeClosedError from error
        raise


class _Commands(click.Group):
    """Loads the command that is run and no other, and lets a closed pipe be known."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the same everywhere
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        return loaded(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with _pipe_watched():  # help is printed here
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        with _pipe_watched():
            code = super().invoke(ctx)
            sys.stdout.flush()
            return code


@click.group(cls=_Commands, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """What agents really did with their tools, held against contracts.

    Reads OpenTelemetry spans of any agent framework (OTLP JSON, JSON lines, protobuf, gzip of these, or - for stdin),
    rebuilds the tool calls, and checks them against contracts.

    Start with: toolscore-otel demo
    """


def loaded(name: str) -> click.Command:
    """One of `COMMANDS`."""
    function = name.replace("-", "_")
    command: click.Command = getattr(import_module(f"toolscore_otel.cli.{function}"), function)
    return command


def run() -> None:
    """Run the command line; never returns."""
    try:
        with collecting_seldom(), watched():
            code = _run()
    except _PipeClosedError:
        code = Exit.PIPE_CLOSED
        _forget(sys.stdout, sys.stderr)
    except OSError as error:
        code = Exit.USAGE
        with suppress(OSError):  # stderr itself
            complain(wrapped(f"toolscore-otel: cannot write: {_why(error)}", ""))
        _forget(sys.stdout, sys.stderr)
    sys.exit(int(code or 0))


def _run() -> int | None:
    """How the command that was asked for ends."""
    try:
        code: int | None = cli(standalone_mode=False)
    except click.exceptions.Abort:
        complain("toolscore-otel: interrupted")
        return Exit.INTERRUPTED
    except click.ClickException as error:
        complain(_without_secrets(error))
        return Exit.USAGE
    except ToolscoreError as error:
        complain(explain(error))
        return Exit.USAGE
    except (OSError, _PipeClosedError):
        raise
    except Exception as error:  # noqa: BLE001 - its text may hold what telemetry holds
        complain(told(error))
        return Exit.NOT_JUDGED
    return code


def _without_secrets(error: click.ClickException) -> str:
    """What click says, without what somebody typed that nobody else may see."""
    from toolscore_otel.secrets.messages import hidden

    said = StringIO()
    error.show(said)
    return hidden(said.getvalue().rstrip("\n"))


def _why(error: OSError) -> str:
    what = error.strerror or type(error).__name__
    return f"{error.filename}: {what}" if error.filename else what


def _forget(*streams: TextIO) -> None:
    """Let what was not written go nowhere, or Python tries again at its end and makes the exit code its own."""
    with suppress(OSError, ValueError):  # no real file
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in streams:
            os.dup2(nowhere, stream.fileno())
