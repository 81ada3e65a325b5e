"""Spans read straight into their shape are those that are read as plain values."""

import json
from typing import Any

import pytest

from toolscore_otel.wire import ReadStats
from toolscore_otel.wire.json_shape import spans_in
from toolscore_otel.wire.otlp_json import read_request, read_spans

SPAN_ID = "b7ad6b7169203331"


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"attributes": None, "events": None, "links": None, "status": None, "name": None},
        {"attributes": [{"key": "a", "value": {"stringValue": "x"}}, {"value": {"intValue": "7"}}]},
        {"attributes": [{"key": "a", "value": {"stringValue": None, "boolValue": True}}]},
        {"attributes": [{"key": "a", "value": {"boolValue": False, "intValue": 1}}]},
        {"attributes": [{"key": None, "value": {}}, {"key": "a", "value": None}, {"key": "b"}]},
        {"attributes": [{"key": "a", "value": 3}, {"key": "b", "value": {"stringValue": 3}}]},
        {"attributes": [{"key": "a", "value": {"arrayValue": {"values": [{"intValue": 1}]}}}]},
        {"kind": "SPAN_KIND_CLIENT", "status": {"code": "STATUS_CODE_ERROR", "message": "no"}},
        {"kind": "3", "status": {"code": 1.0}},
        {"startTimeUnixNano": 1700000000000000001, "endTimeUnixNano": "1700000000000000009"},
        {"startTimeUnixNano": "0" * 19, "endTimeUnixNano": "17"},
        {"startTimeUnixNano": "\u0661" * 19},
        {"events": [{"name": "exception"}], "links": [{"spanId": "x"}], "traceState": "a=b"},
        {"events": [3]},
        {"droppedAttributesCount": "2", "flags": 1},
        {"spanId": "no id"},
        {"name": "Über"},
    ],
)
def test_what_has_the_usual_shape_says_what_its_plain_values_say(changes, request_of, span):
    request = request_of(span(**changes), span(spanId=SPAN_ID[::-1]))
    request["resourceSpans"][0]["resource"] = {"attributes": [{"key": "a", "value": {}}]}
    groups = spans_in(json.dumps(request, ensure_ascii=False).encode())
    assert groups is not None
    straight, plain = ReadStats(), ReadStats()
    assert list(read_spans(groups, straight)) == list(read_request(request, plain))
    assert straight == plain


@pytest.mark.parametrize("empty", [{}, {"scopeSpans": None}, {"scopeSpans": [{"spans": None}]}])
def test_a_group_may_hold_nothing(empty, stats):
    groups = spans_in(json.dumps({"resourceSpans": [empty]}).encode())
    assert groups is not None
    assert list(read_spans(groups, stats)) == []


@pytest.mark.parametrize(
    "request_",
    [
        {},
        [],
        {"resource_spans": []},
        {"resourceSpans": [], "resourceLogs": []},
        {"resourceSpans": None},
        {"resourceSpans": [None]},
        {"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": 3}]}]}]},
        {"resourceSpans": [{"scopeSpans": [{"spans": [{"attributes": {}}]}]}]},
    ],
)
def test_anything_else_is_left_to_be_read_as_plain_values(request_: Any):
    assert spans_in(json.dumps(request_).encode()) is None


@pytest.mark.parametrize(
    "text",
    [
        b'{"resourceSpans": [{"schemaUrl": "\xff"}]}',
        b'{"resourceSpans": []} {"resourceSpans": []}',
        b'{"resourceSpans": [{"schemaUrl": ' + b"[" * 5_000 + b"]" * 5_000 + b"}]}",
        b'{"resourceSpans": [',
    ],
    ids=["no UTF-8", "two of them", "deep", "cut"],
)
def test_so_is_text_that_is_not_as_it_should_be(text):
    assert spans_in(text) is None
