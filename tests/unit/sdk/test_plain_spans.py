"""Spans of no interest, kept for a while."""

from collections import Counter

import pytest

from toolscore_otel.model import Resource
from toolscore_otel.sdk import plain_spans
from toolscore_otel.sdk.plain_spans import PlainSpans


@pytest.fixture
def counters():
    return Counter()


@pytest.fixture
def kept(counters):
    return PlainSpans(counters)


SHOP = Resource({"service.name": "shop"})


def taken(kept, span):
    return kept.take(span.context.trace_id, SHOP)


def test_what_is_kept_of_a_trace_is_taken_once(kept, made):
    root = made()
    child = made(parent=root)
    kept.keep(child)
    kept.keep(made())
    (span,) = taken(kept, root)
    assert (span.span_id, span.parent_span_id) == (
        f"{child.context.span_id:016x}",
        f"{root.context.span_id:016x}",
    )
    assert (span.start_ns, span.end_ns, span.resource.service) == (
        child.start_time,
        child.end_time,
        "shop",
    )
    assert taken(kept, root) == []


def test_a_trace_whose_root_has_ended_is_kept_for_a_while(kept, made, monkeypatch):
    monkeypatch.setattr(plain_spans, "ENDED", 2)
    roots = [made() for _ in range(3)]
    for root in roots:
        kept.keep(root)
    left = [len(taken(kept, root)) for root in roots]
    assert left == [0, 1, 1]


def test_of_one_trace_no_more_than_said_are_kept(made, counters, monkeypatch):
    monkeypatch.setattr(plain_spans, "SPANS", 3)
    kept = PlainSpans(counters)
    root = made()
    for _ in range(5):
        kept.keep(made(parent=root))
    assert len(taken(kept, root)) == 3
    assert counters["plain_spans_dropped"] == 2


def test_past_the_cap_of_traces_the_oldest_goes(kept, made, counters, monkeypatch):
    monkeypatch.setattr(plain_spans, "TRACES", 2)
    first, *others = (made() for _ in range(3))
    for span in (first, *others):
        kept.keep(span)
    assert taken(kept, first) == []
    assert all(taken(kept, span) for span in others)
    assert counters["plain_spans_dropped"] == 1
