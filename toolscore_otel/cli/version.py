"""`toolscore-otel version`."""

from __future__ import annotations

import platform
from importlib.metadata import version as installed

import click


@click.command()
def version() -> None:
    """Print the version of this package and of Python."""
    click.echo(f"toolscore-otel {installed('toolscore-otel')} (Python {platform.python_version()})")
