"""`toolscore-otel schema`: the JSON Schema of contracts, for editors."""

from __future__ import annotations

import json

import click

from toolscore_otel.contracts import json_schema


@click.command()
def schema() -> None:
    """Print the JSON Schema of contracts, for editors.

    \b
    Example:
      toolscore-otel schema > contract.schema.json
    and at the top of a contract:
      # yaml-language-server: $schema=contract.schema.json
    """
    click.echo(json.dumps(json_schema(), indent=2))
