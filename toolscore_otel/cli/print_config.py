"""`toolscore-otel print-config`: what is in force, with every default and without a secret."""

from __future__ import annotations

import sys
from typing import Any

import click

from toolscore_otel.cli.exits import Exit
from toolscore_otel.cli.serve import settings_of


@click.command(name="print-config", short_help="Print the configuration in force, secrets hidden.")
@click.option("--config", metavar="FILE", help="The server's configuration.")
@click.option(
    "--contracts", multiple=True, metavar="PATH", help="Without a configuration, as in `serve`."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["yaml", "json"]),
    default="yaml",
    show_default=True,
    help="What to print.",
)
def print_config(config: str | None, contracts: tuple[str, ...], form: str) -> int:
    """Print the configuration that the server would run with: every key, defaults filled in, secrets hidden.

    \b
    Examples:
      toolscore-otel print-config --config toolscore.yaml
      toolscore-otel print-config --contracts contracts/ --format json
    """
    settings = settings_of(config, contracts)
    from toolscore_otel.server.config import as_data

    _print(as_data(settings), form)
    return Exit.PASS


def _print(data: dict[str, Any], form: str) -> None:
    if form == "json":
        import msgspec

        click.echo(msgspec.json.format(msgspec.json.encode(data), indent=2))
        return
    from ruamel.yaml import YAML

    yaml: Any = YAML(typ="safe", pure=True)
    yaml.default_flow_style = False
    yaml.sort_base_mapping_type_on_output = False
    yaml.dump(data, sys.stdout)
