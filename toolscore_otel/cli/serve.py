"""`toolscore-otel serve`: the server, until a signal ends it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal

import click

from toolscore_otel.cli.exits import Exit

if TYPE_CHECKING:
    from toolscore_otel.server.config import ServerConfig


@click.command(short_help="Take spans over OTLP; tell what breaks a contract.")
@click.option("--config", metavar="FILE", help="The server's configuration.")
@click.option(
    "--contracts",
    multiple=True,
    metavar="PATH",
    help="Without a configuration: a contract, a folder of them, or pack:NAME; may be given more than once.",
)
@click.option(
    "--log",
    type=click.Choice(["console", "json"]),
    default="console",
    envvar="TOOLSCORE_LOG",
    show_default=True,
    show_envvar=True,
    help="How the server logs on stderr.",
)
def serve(config: str | None, contracts: tuple[str, ...], log: Literal["console", "json"]) -> int:
    """Take OpenTelemetry spans over OTLP, and tell what breaks a contract while it happens.

    A mirror takes a copy of the spans and sends findings out; inline, spans pass through, annotated and redacted. SIGTERM
    and SIGINT stop it without losing anything, SIGHUP has it read its contracts and certificates again.

    \b
    Examples:
      toolscore-otel serve --contracts contracts/
      toolscore-otel serve --config toolscore.yaml
    """
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # what it says is said by us, and in our form
    settings = settings_of(config, contracts)
    from toolscore_otel.server.app import Server
    from toolscore_otel.server.building import Built
    from toolscore_otel.server.logs import start_logging
    from toolscore_otel.server.running import serve_until_signal

    start_logging(log)
    serve_until_signal(Server(settings, Built))
    return Exit.PASS


def settings_of(config: str | None, contracts: tuple[str, ...]) -> ServerConfig:
    """The configuration that the options of a command name.

    Raises:
        ConfigError: it cannot be used.
        UsageError: both are given, or none.
    """
    if (config is None) is (not contracts):
        raise click.UsageError("give either --config FILE, or --contracts PATH")
    from toolscore_otel.server.config import default_config, load_config

    return default_config(contracts) if config is None else load_config(config)
