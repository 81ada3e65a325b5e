import json

import pytest

from toolscore_otel.wire import json_text
from toolscore_otel.wire.json_text import NotJsonError, decode


def test_values_may_stand_one_after_another():
    assert decode(b'{"a":1}{"b":2}\n [3]\n') == [{"a": 1}, {"b": 2}, [3]]


def test_nothing_holds_no_value():
    assert decode(b" \n") == []


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (rb'"\ud800"', "�"),
        (rb'"a\udc00b"', "a�b"),
        (rb'"\ud83d\ude00"', "😀"),
        (rb'"\ud83d\ud83d\ude00"', "�😀"),
        (rb'"\\ud800 \ud800"', "\\ud800 �"),
        (rb'"\\\ud800"', "\\�"),
    ],
)
def test_half_of_a_surrogate_pair_is_replaced_and_nothing_else(written, read):
    text = b"[" + written + rb',"\ud800"]'
    assert decode(text) == [[read, "�"]]


def test_what_is_read_can_be_written():
    (read,) = decode(rb'{"a\udfff":"\ud800"}')
    assert json.dumps(read, ensure_ascii=False).encode() == '{"a�": "�"}'.encode()


def test_an_integer_of_401_digits_is_kept():
    assert decode(b"[NaN, " + b"9" * 401 + b"]")[0][1] == 10**401 - 1
    assert decode(b"9" * 401) == [10**401 - 1]


def test_an_integer_that_cannot_be_read_is_none():
    assert decode(b"[" + b"9" * 5000 + b", 1]") == [[None, 1]]


def test_python_s_own_numbers_are_read():
    assert decode(b"[Infinity, -Infinity, 1e999]") == [[float("inf"), float("-inf"), float("inf")]]


@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}")])
@pytest.mark.parametrize("levels", [2_000, 100_000])
def test_what_is_nested_too_deeply_is_cut_out(opening, closing, levels):
    deep = opening * levels + closing * levels
    (read,) = decode(b'{"before":1,"deep":' + deep + b',"after":"]}{["}')
    assert (read["before"], read["after"]) == (1, "]}{[")
    depth = 0
    below = read["deep"]
    while below:
        depth += 1
        below = below[0] if isinstance(below, list) else below["a"]
    assert 400 < depth < 450
    assert below is None


def test_what_cannot_even_be_cut_out_is_no_json(monkeypatch):
    monkeypatch.setattr(json_text, "_DEEPEST", 1_000_000)
    with pytest.raises(NotJsonError, match="nested too deeply"):
        decode(b"[" * 200_000 + b"]" * 200_000)


def test_nesting_without_an_end_is_no_json():
    with pytest.raises(NotJsonError) as caught:
        decode(b"[" * 100_000)
    assert caught.value.is_cut


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [(b'{"a" 1}', 1, 6), (b'{\n"a":1,\n"b":x}', 3, 5), (b'\n"\xff"', 2, 2), (b'"\xc3("', 1, 2)],
)
def test_a_fault_has_its_place(text, line, column):
    with pytest.raises(NotJsonError) as caught:
        decode(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert not caught.value.is_cut


WHOLE = r'{"a":[1,-0.5e+7,true,false,null],"k\\\"":{"b":"x\u00e9\ud83d\ude00"},"é😀":[{"c":[]},"d"]}'.encode()


@pytest.mark.parametrize("end", range(1, len(WHOLE)))
def test_a_text_that_ends_early_is_cut(end):
    for tail in (b"", b"\n"):
        with pytest.raises(NotJsonError) as caught:
            decode(WHOLE[:end] + tail)
        assert caught.value.is_cut, WHOLE[:end]


def test_the_whole_text_is_not_cut():
    assert len(decode(WHOLE)[0]) == 3


@pytest.mark.parametrize(
    "text", [b"{hello", b"{'a': 1}", b'{"a":1]', b'{"a":"b\nc"}', b"\xff\xfe{"]
)
def test_another_fault_is_not_called_a_cut(text):
    with pytest.raises(NotJsonError) as caught:
        decode(text)
    assert not caught.value.is_cut
