"""`toolscore-otel validate`: whether the server could start with a configuration."""

from __future__ import annotations

import click

from toolscore_otel.cli.exits import Exit, warn


@click.command(short_help="Check a configuration of the server.")
@click.option("--config", required=True, metavar="FILE", help="The server's configuration.")
def validate(config: str) -> int:
    """Check a configuration of the server and the contracts that it names.

    Says nothing where both can be used; else what is wrong, each with its file, line and key.

    \b
    Example:
      toolscore-otel validate --config toolscore.yaml
    """
    from toolscore_otel.server.config import load_config
    from toolscore_otel.server.loading import load_contracts

    load_contracts(load_config(config), warn=warn)
    return Exit.PASS
