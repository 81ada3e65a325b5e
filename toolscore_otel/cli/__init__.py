"""The command line. One file per command; what a command needs is imported when it runs."""

from __future__ import annotations

import sys


def main() -> None:
    """Run `toolscore-otel`."""
    try:
        from toolscore_otel.cli.commands import run
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("click", "rich"):
            raise
        sys.exit(
            f"toolscore-otel: the commands need `{error.name}`: pip install 'toolscore-otel[cli]'"
        )
    run()
