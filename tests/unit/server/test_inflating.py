"""Compressed bodies, piece by piece."""

import gzip
import zlib
from contextlib import suppress
from typing import Any

import pytest
import zstandard
from hypothesis import given, strategies as st

from toolscore_otel.server.http_body import encoding_of
from toolscore_otel.server.inflating import DamagedError, pieces

PACKED: dict[str, Any] = {"gzip": gzip.compress, "deflate": zlib.compress, "zlib": zlib.compress, "zstd": zstandard.compress}  # fmt: skip
LARGEST_PIECE = 8 * 1024 * 1024


def raw_deflate(data):
    """As some senders send it, without the wrapper that the specification asks for."""
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


@given(st.binary(max_size=5000), st.sampled_from(sorted(PACKED)))
def test_what_was_packed_is_there_again(data, encoding):
    assert b"".join(pieces(PACKED[encoding](data), encoding)) == data


def test_deflate_without_its_wrapper_is_read():
    assert b"".join(pieces(raw_deflate(b"abc" * 100), "deflate")) == b"abc" * 100


@pytest.mark.parametrize("encoding", PACKED)
def test_a_bomb_comes_in_pieces_so_that_reading_can_stop(encoding):
    bomb = PACKED[encoding](bytes(64 * 1024 * 1024))
    reader = pieces(bomb, encoding)
    assert 0 < len(next(reader)) <= LARGEST_PIECE
    assert max(map(len, reader)) <= LARGEST_PIECE


@pytest.mark.parametrize("encoding", PACKED)
def test_what_is_cut_off_is_damaged(encoding):
    whole = PACKED[encoding](b"abc" * 1000)
    for length in range(1, len(whole)):
        with pytest.raises(DamagedError):
            b"".join(pieces(whole[:length], encoding))


@pytest.mark.parametrize("encoding", ["gzip", "zstd", "deflate"])
@given(data=st.binary(min_size=1, max_size=50))
def test_any_bytes_are_read_or_damaged(encoding, data):
    with suppress(DamagedError):
        assert isinstance(b"".join(pieces(data, encoding)), bytes)


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_a_few_parts_are_read_and_thousands_refused(encoding):
    pack = PACKED[encoding]
    assert b"".join(pieces(pack(b"a") + pack(b"b"), encoding)) == b"ab"
    with pytest.raises(DamagedError, match="too many parts"):
        b"".join(pieces(pack(b"") * 1000, encoding))


@pytest.mark.parametrize(
    ("header", "encoding"),
    [("", ""), ("identity", ""), ("GZIP", "gzip"), ("x-gzip", "gzip"), (" zstd ", "zstd"), ("br", None), ("gzip, gzip", None),
     ("snappy", None)],
)  # fmt: skip
def test_which_encodings_are_taken(header, encoding):
    assert encoding_of(header) == encoding
