"""Compressed bodies -> their bytes, piece by piece, so that who reads them can stop: a few bytes may stand for gigabytes."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import zstandard

PIECE_BYTES = 1024 * 1024
"""Of one piece, at most; those of zstd may be eight times as large."""

ENCODINGS = ("gzip", "deflate", "zlib", "zstd")
"""What is taken in `content-encoding`."""

_FED = 256
"""Bytes that zstd gets at once: each may stand for 32 KiB."""

_WINDOW = 32 * 1024 * 1024
"""The largest window of zstd that is allocated."""


_PARTS = 64
"""Compressed on their own that may follow one another in one body; each one costs a copy of what is left."""

_TOO_MANY = "the compressed body holds too many parts"


class DamagedError(ValueError):
    """The bytes are not what their encoding says, or are cut off."""


def pieces(data: bytes, encoding: str) -> Iterator[bytes]:
    """The pieces of a body.

    Args:
        data: as it came.
        encoding: one of `ENCODINGS`.

    Raises:
        DamagedError: while reading.
    """
    if encoding == "zstd":
        return _zstd(data)
    return _zlib(data, _window_bits(data, encoding))


def _window_bits(data: bytes, encoding: str) -> int:
    if encoding == "gzip":
        return 16 + zlib.MAX_WBITS
    is_wrapped = data[:1].hex()[1:] == "8" and not int.from_bytes(data[:2]) % 31
    return zlib.MAX_WBITS if is_wrapped else -zlib.MAX_WBITS  # some senders leave the wrapper out


def _zlib(data: bytes, bits: int) -> Iterator[bytes]:
    left = data
    for _ in range(_PARTS):
        if not left:
            return
        reader = zlib.decompressobj(bits)
        try:
            while True:
                piece = reader.decompress(left, PIECE_BYTES)
                left = reader.unconsumed_tail
                if piece:
                    yield piece
                if reader.eof:
                    break
                if not piece and not left:
                    raise DamagedError("the compressed body is cut off")
        except zlib.error as error:
            raise DamagedError("the compressed body is damaged") from error
        left = reader.unused_data
    raise DamagedError(_TOO_MANY)


def _zstd(data: bytes) -> Iterator[bytes]:
    left = data
    for _ in range(_PARTS):
        if not left:
            return
        reader = zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompressobj()
        at = 0
        try:
            while not reader.eof:
                if at >= len(left):
                    raise DamagedError("the compressed body is cut off")
                if piece := reader.decompress(left[at : at + _FED]):
                    yield piece
                at += _FED
        except zstandard.ZstdError as error:
            raise DamagedError("the compressed body is damaged") from error
        left = reader.unused_data + left[at:]
    raise DamagedError(_TOO_MANY)
