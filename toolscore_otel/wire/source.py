"""A file, standard input or gzip -> chunks of bytes -> lines or frames. Nothing is held longer than it must be."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from io import BufferedReader
from pathlib import Path
from typing import cast

from toolscore_otel.errors import InputError, Location

CHUNK_BYTES = 256 * 1024

_GZIP_WINDOW = 31
"""zlib's way to say: gzip, with its header and checksum."""


def file_chunks(path: str | Path) -> Iterator[bytes]:
    """The bytes of a file, or of standard input for `-`, as they come.

    Raises:
        InputError: it is not there, or cannot be read.
    """
    try:
        with _opened(path) as stream:
            while chunk := stream.read1(CHUNK_BYTES):
                yield chunk
    except OSError as error:
        raise InputError(Location(str(path)), reason(error)) from error


def _opened(path: str | Path) -> nullcontext[BufferedReader] | BufferedReader:
    if str(path) == "-":
        return nullcontext(cast("BufferedReader", sys.stdin.buffer))
    return Path(path).open("rb")


def reason(error: OSError) -> str:
    """Why a file cannot be read, and what to do."""
    if isinstance(error, FileNotFoundError):
        return (
            "there is no such file. Check the name; a pattern that matches nothing stays as it is."
        )
    if isinstance(error, IsADirectoryError):
        return "this is a directory. Name the files in it, as in `DIRECTORY/*.jsonl`."
    if isinstance(error, PermissionError):
        return "it may not be read. Change its permissions, or run as the user who owns it."
    return (
        f"it cannot be read: {error.strerror}. Check the disk, or copy the file and read the copy."
    )


def inflate(chunks: Iterable[bytes], path: str) -> Iterator[bytes]:
    """The unpacked bytes of gzip: of all its members, where several stand one after another.

    Raises:
        InputError: it ends early, or is damaged.
    """
    unpacked = 0
    member = None
    for packed in chunks:
        rest = packed
        while rest:
            if member is None:
                rest = rest.lstrip(b"\0")  # tapes and block devices pad with zeros
                if not rest:
                    break
                member = zlib.decompressobj(wbits=_GZIP_WINDOW)
            try:
                piece = member.decompress(rest)
            except zlib.error as error:
                raise _damaged("is damaged", unpacked, path) from error
            unpacked += len(piece)
            if piece:
                yield piece
            rest = member.unused_data
            if member.eof:
                member = None
    if member is not None:
        raise _damaged("ends early", unpacked, path)


def _damaged(what: str, unpacked: int, path: str) -> InputError:
    return InputError(
        Location(path),
        f"the gzip data {what}: {unpacked} bytes could be unpacked. "
        "Its writer may not be done, or a copy broke off: write or copy the file again.",
    )


def split_lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Lines with their line feed; the last has none where the file ends without one."""
    begun: list[bytes] = []
    for chunk in chunks:
        first, *others = chunk.split(b"\n")
        begun.append(first)
        for part in others:
            begun.append(b"\n")
            yield b"".join(begun)
            begun = [part]
    if rest := b"".join(begun):
        yield rest


def split_frames(chunks: Iterable[bytes], path: str) -> Iterator[bytes]:
    """Messages that each stand behind their length in four bytes, most significant first.

    Raises:
        InputError: the last one is cut off.

    Source:
        opentelemetry-collector-contrib, `exporter/fileexporter`, `format: proto`.
    """
    waiting = bytearray()
    whole = 0
    for chunk in chunks:
        waiting += chunk
        while len(waiting) >= (end := 4 + int.from_bytes(waiting[:4], "big")):
            yield bytes(waiting[4:end])
            del waiting[:end]
            whole += 1
    if waiting:
        raise InputError(
            Location(path),
            f"the file ends inside a message, after {whole} whole ones. "
            "Its writer may not be done, or it was copied meanwhile: wait, and read it again.",
        )
