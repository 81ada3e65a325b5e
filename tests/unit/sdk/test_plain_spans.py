"""Spans of no interest, kept for a while."""

from collections import Counter

import pytest

from toolscore_otel.sdk import plain_spans
from toolscore_otel.sdk.plain_spans import PlainSpans
from toolscore_otel.wire.sdk import SdkReader


@pytest.fixture
def counters():
    return Counter()


@pytest.fixture
def kept(counters):
    return PlainSpans(counters)


def test_what_is_kept_of_a_trace_is_taken_once(kept, made):
    root = made()
    child = made(parent=root)
    kept.keep(child)
    kept.keep(made())
    (span,) = kept.take(root.context.trace_id, SdkReader())
    assert (span.span_id, span.parent_span_id) == (
        f"{child.context.span_id:016x}",
        f"{root.context.span_id:016x}",
    )
    assert (span.start_ns, span.end_ns, span.resource.service) == (
        child.start_time,
        child.end_time,
        "shop",
    )
    assert kept.take(root.context.trace_id, SdkReader()) == []


def test_a_trace_that_is_over_is_forgotten(kept, made):
    span = made()
    kept.keep(span)
    kept.forget(span.context.trace_id)
    assert kept.take(span.context.trace_id, SdkReader()) == []


def test_of_one_trace_no_more_than_said_are_kept(kept, made, counters, monkeypatch):
    monkeypatch.setattr(plain_spans, "SPANS", 3)
    root = made()
    for _ in range(5):
        kept.keep(made(parent=root))
    assert len(kept.take(root.context.trace_id, SdkReader())) == 3
    assert counters["plain_spans_dropped"] == 2


def test_past_the_cap_of_traces_the_oldest_goes(kept, made, counters, monkeypatch):
    monkeypatch.setattr(plain_spans, "TRACES", 2)
    first, *others = (made() for _ in range(3))
    for span in (first, *others):
        kept.keep(span)
    assert kept.take(first.context.trace_id, SdkReader()) == []
    assert all(kept.take(span.context.trace_id, SdkReader()) for span in others)
    assert counters["plain_spans_dropped"] == 1
