import json
from collections.abc import Iterator
from typing import Any

import pytest

from toolscore_otel.errors import InputError
from toolscore_otel.wire import ReadStats
from toolscore_otel.wire.json_lines import read_lines


@pytest.fixture
def line(request_of, span):
    """One request with one span of that name, on a line."""
    return lambda name: json.dumps(request_of(span(name=name))).encode() + b"\n"


def names(lines: list[bytes], stats: ReadStats) -> list[str]:
    found: Iterator[Any] = read_lines(iter(lines), "x.jsonl", stats)
    return [span.name for span in found]


def test_each_line_is_a_request(line, stats):
    assert names([line("a"), b"\n", line("b"), b" \r\n", line("c").rstrip()], stats) == [
        "a",
        "b",
        "c",
    ]
    assert stats == ReadStats(spans=3, lines=3)


def test_a_document_may_take_many_lines(request_of, span, stats):
    text = json.dumps(request_of(span(name="a"), span(name="b")), indent=2)
    lines = text.encode().splitlines(keepends=True)
    assert len(lines) > 10
    assert names(lines, stats) == ["a", "b"]


def test_documents_over_many_lines_may_follow_each_other(request_of, span, stats):
    text = "\n".join(json.dumps(request_of(span(name=name)), indent=1) for name in "ab")
    assert names(text.encode().splitlines(keepends=True), stats) == ["a", "b"]


@pytest.mark.parametrize("separator", [b"", b"\n"])
def test_a_list_of_requests_may_stand_where_one_may(separator, line, stats):
    text = separator.join([b"[", line("a").rstrip(), b",", line("b").rstrip(), b"]"])
    assert names(text.splitlines(keepends=True), stats) == ["a", "b"]


def test_a_list_of_one_request_over_lines_is_no_broken_line(line, stats):
    assert names([b"[\n", line("a"), b"]\n"], stats) == ["a"]


@pytest.mark.parametrize("lines", [[], [b"\n", b"  \n"]])
def test_nothing_is_no_input(lines, stats):
    with pytest.raises(InputError, match=r"^x.jsonl: nothing is in it\. Give OTLP"):
        names(lines, stats)


def test_a_request_without_spans_is_no_error(stats):
    assert names([b"{}\n", b'{"resourceSpans":[]}\n', b'{"resourceLogs":null}'], stats) == []


def test_a_last_line_that_is_cut_off_is_said_to_be(line, stats):
    with pytest.raises(
        InputError, match=r"^x.jsonl:3: the JSON is cut off at the end of this line\."
    ):
        names([line("a"), line("b"), line("c")[:50]], stats)
    assert stats.spans == 2


@pytest.mark.parametrize("end", [1, 20, 50, -10])
def test_a_first_line_that_is_cut_off_is_said_to_be(end, line, stats):
    for others in ([], [line("b"), line("c")]):
        with pytest.raises(InputError, match=r"^x.jsonl:1: the JSON is cut off"):
            names([line("a")[:end] + b"\n", *others], stats)


def test_a_document_that_is_cut_off_is_said_to_be(request_of, span, stats):
    lines = json.dumps(request_of(span()), indent=1).encode().splitlines(keepends=True)[:-3]
    with pytest.raises(InputError, match=rf"^x.jsonl:{len(lines)}: the JSON is cut off"):
        names(lines, stats)


def test_a_fault_has_its_line_and_place(line, stats):
    with pytest.raises(InputError, match=r"^x.jsonl:2: this line is no JSON: .+ at character 6\."):
        names([line("a"), b'{"a" 1}\n'], stats)


def test_a_fault_in_a_document_has_its_line(stats):
    with pytest.raises(InputError, match=r"^x.jsonl:4: this line is no JSON"):
        names([b"\n", b"{\n", b'"resourceSpans": [],\n', b'"a": x\n', b"}\n"], stats)


def test_bytes_that_are_no_utf_8_have_their_line(line, stats):
    with pytest.raises(InputError, match=r"^x.jsonl:2: this line is no JSON: no valid UTF-8"):
        names([line("a"), line("b").replace(b'"b"', b'"\xff"')], stats)


@pytest.mark.parametrize(
    ("written", "named"),
    [
        (b'{"data":[],"total":0}', "a JSON object with `data`, `total`"),
        (b'[{"traceID":"x"}]', "a JSON object with `traceID`"),
        (b"[]", "a JSON list without a request in it"),
        (b"[[]]", "a JSON list without a request in it"),
        (b"[1]", "a JSON text, number or word"),
    ],
)
def test_json_of_another_shape_is_named(written, named, stats):
    with pytest.raises(InputError) as caught:
        names([written], stats)
    assert str(caught.value).startswith(
        f"x.jsonl:1: this is no OTLP telemetry but {named}. Give OTLP"
    )


def test_foreign_keys_that_could_be_secrets_are_not_repeated(stats):
    token = "ghp" + "_" + "Ab1" * 12
    with pytest.raises(InputError) as caught:
        names([json.dumps({token: token}).encode()], stats)
    assert token not in str(caught.value)
    assert "a JSON object with other keys" in str(caught.value)
