"""Lines of OTLP/JSON -> spans and log records: one request a line, or one document over many lines."""

from __future__ import annotations

from collections.abc import Iterator

from toolscore_otel.errors import InputError, Location
from toolscore_otel.model import Json, LogRecord, Span
from toolscore_otel.wire.json_fields import is_list, is_object
from toolscore_otel.wire.json_shape import spans_in
from toolscore_otel.wire.json_text import NotJsonError, decode
from toolscore_otel.wire.otlp_json import is_request, read_request, read_spans
from toolscore_otel.wire.sniff import EXPECTED
from toolscore_otel.wire.stats import ReadStats

_LONGEST_NAME = 18
"""Longest key of foreign JSON that a message repeats: shorter than any credential."""


def read_lines(lines: Iterator[bytes], path: str, stats: ReadStats) -> Iterator[Span | LogRecord]:
    """The spans and log records of all requests.

    A first line that ends inside a value begins a document over several lines; in that case all of it is held in memory.

    Args:
        lines: with their line ends.
        path: the file as the user named it.
        stats: counts what is given out, and what is not.

    Raises:
        InputError: at the line that is no OTLP/JSON request, and where there is no line at all.
    """
    is_first = True
    for number, line in enumerate(lines, start=1):
        if line.isspace():
            continue
        stats.lines += 1
        if (groups := spans_in(line)) is not None:
            is_first = False
            yield from read_spans(groups, stats)
            continue
        try:
            values = decode(line)
        except NotJsonError as error:
            if is_first and error.is_cut:
                rest = b"".join(lines)
                yield from _read_document(line, rest, error, stats, where=Location(path, number))
                return
            raise _not_json(error, Location(path, number)) from error
        is_first = False
        for value in values:
            yield from _read_value(value, Location(path, number), stats)
    if is_first:
        raise InputError(Location(path), f"nothing is in it. {EXPECTED}")


def _read_document(
    first: bytes, rest: bytes, cut: NotJsonError, stats: ReadStats, *, where: Location
) -> Iterator[Span | LogRecord]:
    try:
        values = decode(first + rest)
    except NotJsonError as error:
        if error.line == 1 or _is_json(rest.partition(b"\n")[0]):  # it was a line of its own
            raise _not_json(cut, where) from error
        line = (where.line or 1) + error.line - 1
        raise _not_json(error, Location(where.path, line)) from error
    for value in values:
        yield from _read_value(value, where, stats)


def _is_json(line: bytes) -> bool:
    try:
        return bool(decode(line))
    except NotJsonError:
        return False


def _read_value(value: Json, where: Location, stats: ReadStats) -> Iterator[Span | LogRecord]:
    for request in value if is_list(value) and value else [value]:
        if not is_request(request):
            raise InputError(where, f"this is no OTLP telemetry but {_shape(request)}. {EXPECTED}")
        yield from read_request(request, stats)


def _not_json(error: NotJsonError, where: Location) -> InputError:
    if error.is_cut:
        return InputError(
            where,
            "the JSON is cut off at the end of this line. Its writer may not be done, or it was copied meanwhile, or "
            "the disk was full: wait and read it again, or take the cut line out.",
        )
    return InputError(
        where,
        f"this line is no JSON: {error} at character {error.column}. Take the line out, or write the file again.",
    )


def _shape(value: Json) -> str:
    """What a JSON value is, without repeating anything that could be a secret."""
    if is_object(value):
        keys = [key for key in value if _is_plain_name(key)]
        named = ", ".join(f"`{key}`" for key in keys[:5])
        return f"a JSON object with {named}" if named else "a JSON object with other keys"
    if is_list(value):
        return "a JSON list without a request in it"
    return "a JSON text, number or word"


def _is_plain_name(key: str) -> bool:
    return len(key) <= _LONGEST_NAME and key.isascii() and key.isidentifier()
