"""All detection forms at once over some bytes: where might a secret end?

Two engines answer the same question from the same table. Hyperscan says where each form ends. RE2 says only which forms
are there; what it calls `ANYWHERE` is then searched as a whole. What is confirmed afterwards is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Literal

from toolscore_otel.errors import MissingExtraError

re2: Any = import_module("re2")  # has no types

Engine = Literal["auto", "hyperscan", "re2"]

Detected = Sequence[tuple[int, int]]
"""Number of the expression, and the offset one past the end of a match, or `ANYWHERE`."""

ANYWHERE = -1
_MEMORY_BYTES = 256 << 20  # ceiling of RE2's automaton, not what it takes


def engine_here() -> Literal["hyperscan", "re2"]:
    """What `auto` takes here."""
    try:
        import_module("hyperscan")
    except ImportError:
        return "re2"
    return "hyperscan"


def compiled(
    engine: Engine, expressions: tuple[str, ...], per_thread: Any
) -> Callable[[bytes], Detected]:
    """A function that finds all expressions in ASCII bytes.

    Args:
        engine: `auto` takes hyperscan where it is installed.
        expressions: as both engines understand them; their order numbers them.
        per_thread: an object whose attributes each thread has for itself.

    Raises:
        MissingExtraError: hyperscan was asked for and is not installed.
    """
    if engine == "re2":
        return _re2(expressions)
    try:
        hyperscan: Any = import_module("hyperscan")
    except ImportError as error:
        if engine == "auto":
            return _re2(expressions)
        raise MissingExtraError("the hyperscan engine", "secrets") from error
    return _hyperscan(hyperscan, expressions, per_thread)


@cache
def _database(hyperscan: Any, expressions: tuple[str, ...]) -> Any:
    database = hyperscan.Database()
    database.compile(
        expressions=[expression.encode() for expression in expressions],
        ids=list(range(len(expressions))),
        flags=hyperscan.HS_FLAG_DOTALL,
    )
    return database


def _hyperscan(
    hyperscan: Any, expressions: tuple[str, ...], per_thread: Any
) -> Callable[[bytes], Detected]:
    database = _database(hyperscan, expressions)

    def note(number: int, _start: int, end: int, _flags: int, found: list[tuple[int, int]]) -> None:
        found.append((number, end))

    def detect(data: bytes) -> Detected:
        try:
            scratch = per_thread.scratch
        except AttributeError:  # a scratch space serves one thread at a time
            scratch = per_thread.scratch = hyperscan.Scratch(database)
        found: list[tuple[int, int]] = []
        database.scan(data, match_event_handler=note, context=found, scratch=scratch)
        return found

    return detect


@cache
def _re2_set(expressions: tuple[str, ...]) -> Any:
    options = re2.Options()
    options.max_mem = _MEMORY_BYTES
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    options.dot_nl = True
    automaton = re2.Set.SearchSet(options)
    for expression in expressions:
        automaton.Add(expression)
    automaton.Compile()
    return automaton


def _re2(expressions: tuple[str, ...]) -> Callable[[bytes], Detected]:
    automaton = _re2_set(expressions)

    def detect(data: bytes) -> Detected:
        return [(number, ANYWHERE) for number in automaton.Match(data) or ()]

    return detect
