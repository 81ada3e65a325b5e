"""Fetch and build the real programs that tests run with, where they are missing; says what it does.

    python -m tests.parts.install

Nothing goes beyond the caches of the user and of the tools, except that as root the list of Debian's packages is brought
up to date, and a browser installed. In CI a part that cannot be had is an error; elsewhere the tests that need it are skipped.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.parts import programs

PARTS: dict[str, Callable[[], Path]] = {
    **{name: partial(programs.debian_program, name) for name in programs.DEBIAN_PROGRAMS},
    "browser": programs.browser,
    "otelcol": programs.collector,
    **{name: partial(programs.go_program, name) for name in programs.GO_PROGRAMS},
}


def main() -> int:
    """Get all parts; 1 where one is missing and this is CI."""
    os.nice(5)  # minutes of compiling, beside other checks
    missing = [name for name, part in PARTS.items() if not there(name, part)]
    return 1 if missing and os.environ.get("CI") else 0


def there(name: str, part: Callable[[], Path]) -> bool:
    """Get one part, and say where it is or what is wrong."""
    started = time.monotonic()
    try:
        path = part()
    except programs.MissingPartError as error:
        say(f"{name}: MISSING: {error}")
        return False
    say(f"{name}: {path}, {time.monotonic() - started:.0f} s")
    return True


def say(line: str) -> None:
    """Print at once: the next part may take minutes."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
