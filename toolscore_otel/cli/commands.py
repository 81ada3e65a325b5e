"""All commands, and how their errors end: one paragraph on stderr and the right exit code."""

from __future__ import annotations

import sys

import click

from toolscore_otel.cli.calls import calls
from toolscore_otel.cli.check import check
from toolscore_otel.cli.demo import demo
from toolscore_otel.cli.exits import Exit, complain, explain
from toolscore_otel.cli.print_config import print_config
from toolscore_otel.cli.run import run as run_command
from toolscore_otel.cli.schema import schema
from toolscore_otel.cli.score import score
from toolscore_otel.cli.serve import serve
from toolscore_otel.cli.validate import validate
from toolscore_otel.cli.version import version
from toolscore_otel.errors import ToolscoreError

EPILOG = """
Exit codes: 0 pass; 1 findings at or above --fail-on, or a case that differs; 2 usage, contract,
configuration or input that cannot be used, or a port in use; 3 nothing could be judged.
"""


class _InOrder(click.Group):
    """Lists its commands in the order in which a newcomer meets them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the same everywhere
        return list(self.commands)


@click.group(cls=_InOrder, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """What agents really did with their tools, held against contracts.

    Reads OpenTelemetry spans of any agent framework (OTLP JSON, JSON lines, protobuf, gzip of these, or - for stdin),
    rebuilds the tool calls, and checks them against contracts.

    Start with: toolscore-otel demo
    """


for command in (
    demo,
    calls,
    score,
    run_command,
    check,
    serve,
    validate,
    print_config,
    schema,
    version,
):
    cli.add_command(command)


def run() -> None:
    """Run the command line; never returns."""
    try:
        code = cli(standalone_mode=False)
    except click.exceptions.Abort:
        complain("toolscore-otel: interrupted")
        code = 130
    except click.ClickException as error:
        error.show()
        code = Exit.USAGE
    except ToolscoreError as error:
        complain(explain(error))
        code = Exit.USAGE
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has seen enough
        code = Exit.PASS
    sys.exit(int(code or 0))
