"""Everything that takes telemetry from files takes it through here, in whatever form it stands there."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path

from toolscore_otel.errors import InputError, Location
from toolscore_otel.model import LogRecord, Span
from toolscore_otel.wire.fields import Unreadable
from toolscore_otel.wire.json_lines import read_lines
from toolscore_otel.wire.sniff import EXPECTED, GZIP, HEAD_BYTES, ZSTD, Format, describe, sniff
from toolscore_otel.wire.source import (
    CHUNK_BYTES,
    file_chunks,
    inflate,
    split_frames,
    split_lines,
)
from toolscore_otel.wire.stats import ReadStats


def read_file(
    path: str | Path,
    *,
    stats: ReadStats | None = None,
    on_bytes: Callable[[int], None] | None = None,
) -> Iterator[Span | LogRecord]:
    """The spans and log records of a file: OTLP JSON, JSON lines, protobuf, or gzip of these.

    JSON lines are read one by one; of anything else, the whole file (or message) is held in memory. A span that cannot
    be read is counted in `stats` and skipped. A file without any span is no error.

    Args:
        path: `-` for standard input.
        stats: counts what is given out, and what is not.
        on_bytes: is told how many more bytes were read from the file, as they stand there.

    Raises:
        InputError: the file cannot be read, is no OTLP, or is cut off; what stands before the fault was given out.
        MissingExtraError: it is protobuf, and protobuf is not installed.
    """
    counters = ReadStats() if stats is None else stats
    name = "<stdin>" if str(path) == "-" else str(path)
    yield from _read(_counted(file_chunks(path), counters, on_bytes), name, counters)


def read_bytes(
    data: bytes, *, where: str = "<bytes>", stats: ReadStats | None = None
) -> Iterator[Span | LogRecord]:
    """The same for the content of a file.

    Args:
        data: as a file would hold it.
        where: what errors call it.
        stats: counts what is given out, and what is not.

    Raises:
        InputError: it is no OTLP, or is cut off; what stands before the fault was given out.
        MissingExtraError: it is protobuf, and protobuf is not installed.
    """
    counters = ReadStats() if stats is None else stats
    chunks = (data[start : start + CHUNK_BYTES] for start in range(0, len(data), CHUNK_BYTES))
    yield from _read(_counted(chunks, counters, None), where, counters)


def _read(chunks: Iterable[bytes], name: str, stats: ReadStats) -> Iterator[Span | LogRecord]:
    head, chunks = _peek(chunks)
    if head.startswith(GZIP):
        head, chunks = _peek(inflate(chunks, name))
    match sniff(head):
        case Format.JSON:
            yield from read_lines(split_lines(chunks), name, stats)
        case Format.PROTOBUF:
            yield from _read_messages([b"".join(chunks)], name, stats)
        case Format.FRAMES:
            yield from _read_messages(split_frames(chunks, name), name, stats)
        case _:
            raise InputError(
                Location(name), f"this is no OTLP telemetry but {describe(head)}. {EXPECTED}"
            )


def _read_messages(
    messages: Iterable[bytes], name: str, stats: ReadStats
) -> Iterator[Span | LogRecord]:
    from toolscore_otel.wire import otlp_proto  # noqa: PLC0415 - protobuf comes with an extra

    for number, message in enumerate(messages, start=1):
        if message.startswith(ZSTD):
            raise InputError(
                Location(name),
                "the messages in it are packed with zstd, which is not read here. "
                "Set `compression: none` in the Collector's file exporter.",
            )
        try:
            yield from otlp_proto.read_request(message, stats)
        except Unreadable as error:
            raise InputError(
                Location(name),
                f"message {number} of the file is broken protobuf, or cut off. {EXPECTED}",
            ) from error


def _peek(chunks: Iterable[bytes]) -> tuple[bytes, Iterator[bytes]]:
    rest = iter(chunks)
    head = b""
    for chunk in rest:
        head += chunk
        if len(head) >= HEAD_BYTES:
            break
    head = head.removeprefix(BOM_UTF8)
    return head[:HEAD_BYTES], chain([head], rest)


def _counted(
    chunks: Iterable[bytes], stats: ReadStats, on_bytes: Callable[[int], None] | None
) -> Iterator[bytes]:
    for chunk in chunks:
        stats.bytes += len(chunk)
        if on_bytes is not None:
            on_bytes(len(chunk))
        yield chunk
