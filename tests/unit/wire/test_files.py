import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span

from toolscore_otel import model
from toolscore_otel.errors import InputError
from toolscore_otel.wire import ReadStats, read_bytes, read_file

PROTOBUF = ExportTraceServiceRequest(
    resource_spans=[
        ResourceSpans(
            scope_spans=[
                ScopeSpans(spans=[Span(trace_id=b"t" * 16, span_id=b"s" * 8, name="chat")])
            ]
        )
    ]
).SerializeToString()


@pytest.fixture
def line(request_of, span):
    return json.dumps(request_of(span())).encode() + b"\n"


def names(data: bytes, **options: Any) -> list[str]:
    found: Iterator[Any] = read_bytes(data, **options)
    return [span.name for span in found]


def framed(*messages: bytes) -> bytes:
    return b"".join(len(message).to_bytes(4, "big") + message for message in messages)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_every_form_is_known_by_its_content(pack, line):
    document = json.dumps(json.loads(line), indent=2).encode()
    for data in (line * 2, document * 2, PROTOBUF * 2, framed(PROTOBUF, PROTOBUF)):
        assert names(pack(data)) == ["chat", "chat"]


def test_a_byte_order_mark_is_no_content(line):
    assert names(b"\xef\xbb\xbf" + line) == ["chat"]
    assert names(gzip.compress(b"\xef\xbb\xbf\r\n" + line)) == ["chat"]


def test_members_of_gzip_need_not_end_with_a_line(line):
    assert names(gzip.compress(line[:20]) + gzip.compress(line[20:] + line)) == ["chat", "chat"]


def test_what_was_read_is_counted(line, stats):
    data = gzip.compress(line * 3)
    assert len(names(data, stats=stats)) == 3
    assert stats == ReadStats(spans=3, lines=3, bytes=len(data))


def test_counters_grow_over_several_reads(line, stats):
    names(line, stats=stats)
    names(PROTOBUF, stats=stats)
    assert stats == ReadStats(spans=2, lines=1, bytes=len(line) + len(PROTOBUF))


def test_a_file_is_read_like_its_content(line, tmp_path, stats):
    path = tmp_path / "x.data"
    path.write_bytes(gzip.compress(line * 5000, compresslevel=0))
    steps: list[int] = []
    assert len(list(read_file(path, stats=stats, on_bytes=steps.append))) == 5000
    assert sum(steps) == stats.bytes == path.stat().st_size
    assert len(steps) > 1
    assert len(list(read_file(str(path)))) == 5000


def test_lines_are_given_out_before_the_file_is_read_to_its_end(line, tmp_path, stats):
    path = tmp_path / "x.jsonl"
    path.write_bytes(line * 5000)
    assert isinstance(next(read_file(path, stats=stats)), model.Span)
    assert stats.bytes < path.stat().st_size


def fails(data: bytes) -> str:
    with pytest.raises(InputError) as caught:
        names(data, where="x")
    return str(caught.value)


def test_an_empty_file_is_an_input_error():
    assert fails(b"").startswith("x: nothing is in it. Give OTLP as JSON")
    assert fails(gzip.compress(b"")).startswith("x: nothing is in it.")


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00", "a PNG image"),
        (b"INFO started\n", "text without a JSON object"),
    ],
)
def test_what_is_no_otlp_is_named(data, name):
    assert fails(data).startswith(f"x: this is no OTLP telemetry but {name}. Give OTLP as JSON")
    assert fails(gzip.compress(data)) == fails(data)


def test_an_error_repeats_nothing_of_a_foreign_text():
    token = "ghp" + "_" + "Ab1" * 12
    assert token not in fails(f"API_TOKEN={token}\n".encode())
    assert token not in fails(f'{{"token": "{token}", x}}\n'.encode())


def test_a_truncated_gzip_is_an_input_error(line):
    data = gzip.compress(line * 3)[:-9]
    assert fails(data).startswith("x: the gzip data ends early: ")


def test_a_truncated_gzip_gives_its_whole_lines_first(line, stats):
    data = gzip.compress(line * 9, compresslevel=0)[: -len(line)]
    with pytest.raises(InputError, match="ends early"):
        names(data, stats=stats)
    assert stats.spans == 8


@pytest.mark.parametrize("end", [-1, -10, 5])
def test_truncated_protobuf_is_an_input_error(end):
    assert fails(PROTOBUF[:end]).startswith(
        "x: message 1 of the file is broken protobuf, or cut off."
    )
    assert fails(framed(PROTOBUF, PROTOBUF)[:end]).startswith("x: the file ends inside a message")


def test_a_broken_message_among_others_is_named():
    assert fails(framed(PROTOBUF, b"\x0a\x01\xff")).startswith("x: message 2 of the file is broken")


def test_messages_packed_with_zstd_are_named():
    assert "packed with zstd" in fails(framed(b"\x28\xb5\x2f\xfd....", b""))


def test_a_file_without_spans_is_no_error():
    assert names(b"{}") == []
    assert (
        names(ExportTraceServiceRequest(resource_spans=[ResourceSpans()]).SerializeToString()) == []
    )
