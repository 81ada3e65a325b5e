"""What a peer's program does: it takes one piece of work as JSON, says what it came to, and then how long it takes each time."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable, Mapping
from time import thread_time_ns
from typing import Any


def serve(ways: Mapping[str, Callable[[Any], Callable[[], object]]]) -> None:
    """Answer line by line: the first asks for a way by its name, with what it is given; each further one, for a round.

    Args:
        ways: by name, what makes the work ready. Only the work itself is timed.
    """
    name, given = json.loads(sys.stdin.readline())
    work = ways[name](given)
    _say(work())
    for number, _ in enumerate(sys.stdin):
        if not number % 50:
            gc.collect()
        begin = thread_time_ns()
        work()
        _say(thread_time_ns() - begin)


def _say(answer: object) -> None:
    sys.stdout.write(f"{json.dumps(answer)}\n")
    sys.stdout.flush()
