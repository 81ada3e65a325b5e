"""`toolscore-otel version`."""

from __future__ import annotations

import platform
from importlib.metadata import version as installed

import click


@click.command()
def version() -> None:
    """Print the versions, and what finds secrets here."""
    from toolscore_otel.secrets.detection import engine_here

    click.echo(f"toolscore-otel {installed('toolscore-otel')} (Python {platform.python_version()})")
    engine = engine_here()
    hint = "" if engine == "hyperscan" else "; the extra `secrets` brings a quicker one"
    click.echo(f"secrets are found by {engine}{hint}")
