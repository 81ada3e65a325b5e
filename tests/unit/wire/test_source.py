import gzip

import pytest

from toolscore_otel.errors import InputError
from toolscore_otel.wire.source import file_chunks, inflate, reason, split_frames, split_lines

SIZES = [1, 2, 3, 7, 1000]


def pieces(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


@pytest.mark.parametrize("size", SIZES)
def test_lines_do_not_depend_on_how_they_come(size):
    data = b"first\n\nthird, longer\r\nlast"
    assert list(split_lines(pieces(data, size))) == [
        b"first\n",
        b"\n",
        b"third, longer\r\n",
        b"last",
    ]


def test_a_line_feed_at_the_end_begins_no_line():
    assert list(split_lines([b"a\n"])) == [b"a\n"]
    assert list(split_lines([])) == []


@pytest.mark.parametrize("size", SIZES)
def test_gzip_may_have_several_members_and_padding(size):
    data = gzip.compress(b"one ") + gzip.compress(b"") + gzip.compress(b"two") + b"\0" * 5
    assert b"".join(inflate(pieces(data, size), "x.gz")) == b"one two"


@pytest.mark.parametrize("size", SIZES)
def test_gzip_that_ends_early_says_how_much_was_there(size):
    data = gzip.compress(b"one") + gzip.compress(b"two")[:-6]
    unpacked: list[bytes] = []
    with pytest.raises(
        InputError, match=r"^x.gz: the gzip data ends early: 6 bytes could be unpacked"
    ):
        unpacked.extend(inflate(pieces(data, size), "x.gz"))


@pytest.mark.parametrize("tail", [b"garbage", b"\0\0garbage"])
def test_gzip_with_something_else_behind_it_is_damaged(tail):
    with pytest.raises(InputError, match="the gzip data is damaged: 3 bytes could be unpacked"):
        list(inflate([gzip.compress(b"one") + tail], "x.gz"))


def test_gzip_with_a_wrong_checksum_is_damaged():
    data = bytearray(gzip.compress(b"one"))
    data[-8] ^= 1
    with pytest.raises(InputError, match="the gzip data is damaged"):
        list(inflate([bytes(data)], "x.gz"))


@pytest.mark.parametrize("size", SIZES)
def test_frames_stand_behind_their_length(size):
    data = b"\0\0\0\3one" + b"\0\0\0\0" + b"\0\0\1\0" + b"x" * 256
    assert list(split_frames(pieces(data, size), "x.pb")) == [b"one", b"", b"x" * 256]


@pytest.mark.parametrize("rest", [b"\0", b"\0\0\0\5", b"\0\0\0\5four"])
def test_a_frame_that_is_cut_off_says_how_many_were_whole(rest):
    with pytest.raises(InputError, match="ends inside a message, after 1 whole ones"):
        list(split_frames([b"\0\0\0\3one" + rest], "x.pb"))


def test_a_file_comes_whole(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(bytes(1_000_000))
    assert b"".join(file_chunks(path)) == bytes(1_000_000)


def test_a_file_that_is_not_there_is_said_to_be(tmp_path):
    path = tmp_path / "none.jsonl"
    with pytest.raises(InputError) as caught:
        list(file_chunks(path))
    assert str(caught.value).startswith(f"{path}: there is no such file.")


def test_a_directory_is_said_to_be_one(tmp_path):
    with pytest.raises(InputError, match="this is a directory"):
        list(file_chunks(str(tmp_path)))


def test_other_reasons_are_given_in_the_systems_words():
    assert reason(PermissionError(13, "Permission denied")).startswith("it may not be read.")
    assert reason(OSError(5, "Input/output error")).startswith(
        "it cannot be read: Input/output error."
    )
