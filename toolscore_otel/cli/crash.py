"""A bug of ours, told by its place and its kind alone: an error's own text, and what the values were, may hold secrets."""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

from toolscore_otel.cli.exits import complain

FRAMES = 30
"""How many of the innermost calls are shown, of each error."""

HEAD = "toolscore-otel: this is a bug; a report with these lines helps. What the error says is left out: it may hold your data."


def told(error: BaseException) -> str:
    """Where it happened, and what kind of error it was, each that led to it before it."""
    from toolscore_otel.secrets.messages import hidden

    return hidden("\n".join((HEAD, *_lines(error))))


def _lines(error: BaseException) -> Iterator[str]:
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None:
        yield from _lines(before)
        yield "  and from there"
    for frame in traceback.extract_tb(error.__traceback__)[-FRAMES:]:
        yield f"  {frame.filename}:{frame.lineno} in {frame.name}"
    yield f"  {type(error).__qualname__}"


@contextmanager
def watched() -> Generator[None]:
    """Errors in threads, and those that Python can raise nowhere, are told likewise for as long as this lasts."""
    before = threading.excepthook, sys.unraisablehook
    threading.excepthook = sys.unraisablehook = _caught
    try:
        yield
    finally:
        threading.excepthook, sys.unraisablehook = before


def _caught(caught: Any) -> None:
    """As both hooks are called."""
    if caught.exc_value is not None and not issubclass(caught.exc_type, SystemExit):
        complain(told(caught.exc_value))
