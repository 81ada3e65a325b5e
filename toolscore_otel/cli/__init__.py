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
        missing = f"the commands need `{error.name}`: pip install 'toolscore-otel[cli]'"
        print(f"toolscore-otel: {missing}", file=sys.stderr)
        sys.exit(2)  # as `Exit.USAGE`, which cannot be imported without them
    run()
