"""Arguments field by field."""

from __future__ import annotations

from math import nan

import pytest

from toolscore_otel.matchers import Approx, MatcherError
from toolscore_otel.metrics import (
    ANY,
    calculate_batch_field_accuracy,
    calculate_field_accuracy,
)
from toolscore_otel.metrics.typed_fields import SameNumber, SameParts, SameText
from toolscore_otel.model import ToolCall
from toolscore_otel.testing import make_call


def test_every_field_has_its_own_figures():
    gold = [
        make_call("pay", {"to": "x", "sum": 1}),
        make_call("pay", {"to": "y", "sum": 2}),
        make_call("log"),
    ]
    trace = [
        make_call("pay", {"to": "y", "sum": 3}),
        make_call("pay", {"to": "x"}),
        make_call("log", {"q": 1}),
    ]
    found = calculate_field_accuracy(gold, trace)
    assert found["by_field"] == {
        "pay.sum": {"right": 0, "wrong": 1, "missing": 1, "unknown": 0, "accuracy": 0.0},
        "pay.to": {"right": 2, "wrong": 0, "missing": 0, "unknown": 0, "accuracy": 1.0},
    }
    assert (found["field_accuracy"], found["exact_match"]) == (0.5, 0.0)


def test_an_exact_match_has_nothing_besides():
    gold, trace = [make_call("a", {"x": 1})], [make_call("a", {"x": 1, "y": 2})]
    assert calculate_field_accuracy(gold, trace)["exact_match"] == 0.0
    assert calculate_field_accuracy(gold, gold)["exact_match"] == 1.0


def test_what_was_not_observed_is_unknown():
    found = calculate_field_accuracy([make_call("a", {"x": 1})], [ToolCall(tool="a")])
    assert found["by_field"]["a.x"]["unknown"] == 1
    assert (found["field_accuracy"], found["exact_match"]) == (None, None)


@pytest.mark.parametrize(
    ("kind", "expected", "actual", "right"),
    [
        ("loose", "A-1", " A-1", True),
        ("exact", "A-1", " A-1", False),
        ("exact", 1, 1.0, False),
        ("number", 100, 100.5, True),
        ("number", 100, 102, False),
        ("number", "100", "100", True),
        ("number", 100, " 100.5 ", True),
        ("number", "100", 101, True),
        ("number", "1e2", 100, True),
        ("number", 0.5, "0.5", True),
        ("number", 1000, "1,000", False),
        ("number", 100, True, False),
        ("number", nan, nan, True),
        ("exact", "eur", "EUR", False),
        ("text", "eur", "EUR", True),
        ("text", "\u00e9cole", "E\u0301COLE", True),
        ("datetime", "2025-01-31", "20250131", True),
        ("datetime", "2025-01-31", "2025/02/01", False),
        ("datetime", "next week", "next week", True),
        ("datetime", 5, 5, True),
        ("text", "New York", " new york ", True),
        ("text", "New York", "york", False),
        ("text", "New York", 5, False),
        ("number", ANY, "anything", True),
    ],
)
def test_a_field_is_compared_as_its_kind_asks(kind, expected, actual, right):
    gold, trace = [make_call("a", {"x": expected})], [make_call("a", {"x": actual})]
    for kinds in ({"a.x": kind}, {"x": kind}):
        found = calculate_field_accuracy(gold, trace, kinds=kinds, tolerance=0.01)
        assert found["field_accuracy"] == right


def test_an_invalid_call_is_not_also_wrong():
    schemas = {"a": {"properties": {"x": {"type": "integer"}}}}
    gold = [make_call("a", {"x": 1}), make_call("b", {"x": 1})]
    trace = [make_call("a", {"x": "one"}), make_call("b", {"x": 2})]
    found = calculate_field_accuracy(gold, trace, schemas=schemas)
    assert found["invalid_calls"] == [0]
    assert list(found["by_field"]) == ["b.x"]


def test_a_call_that_is_invalid_needs_no_partner_to_be_told():
    schemas = {"t": {"properties": {"a": {"type": "integer"}}}}
    trace = [make_call("t", {"a": 1}), make_call("t", {"a": "x"}), make_call("u", {"a": "x"})]
    assert calculate_field_accuracy([], trace, schemas=schemas)["invalid_calls"] == [1]
    runs = [([], trace), (trace[:1], trace[:2])]
    assert calculate_batch_field_accuracy(runs, schemas=schemas)["invalid_calls"] == [
        (0, 1),
        (1, 1),
    ]


@pytest.mark.parametrize(
    ("kinds", "expected", "actual", "right"),
    [
        ({"order.amount": "number"}, {"amount": "100.0"}, {"amount": 100}, True),
        ({"a.order.amount": "number"}, {"amount": "100.0"}, '{"amount": 100}', True),
        ({"order.amount": "number"}, '{"amount": "100.0"}', {"amount": 100}, True),
        ({"order.amount": "number"}, {"amount": "100.0"}, {"amount": 101}, False),
        ({"order.amount": "number"}, {"amount": "100.0"}, {"amount": 100, "tip": 1}, False),
        ({"order.amount": "number"}, {"amount": "100.0", "id": 1}, {"amount": 100, "id": 1}, True),
        ({"order.amount": "number"}, {"amount": "100.0", "id": 1}, {"amount": 100, "id": 2}, False),
        ({"order.amount": "number"}, {"amount": ANY}, {"amount": "x"}, True),
        ({"order.amount": "number"}, {"total": "100.0"}, {"total": 100}, False),
        ({"order.amount": "number"}, {"amount": None}, {"amount": None}, True),
        ({"order.id": "exact"}, {"id": "a "}, {"id": "a"}, False),
        ({"order.id": "loose"}, {"id": "a "}, {"id": "a"}, True),
        ({"order": "exact", "order.id": "loose"}, {"id": "a "}, {"id": "a"}, True),
        ({"order": "exact", "order.id": "loose"}, {"id": 1, "n": " b"}, {"id": 1, "n": "b"}, False),
        ({"order.to.day": "datetime"}, {"to": {"day": "2025-01-31"}}, {"to": {"day": "20250131"}}, True),
        ({"order.to.day": "datetime"}, {"to": "x", "by": {"q": 1}}, {"to": "x", "by": {"q": 1}}, True),
        ({"order.day": "datetime"}, [{"day": "2025-01-31"}], [{"day": "31/01/2025"}], True),
        ({"order.day": "datetime"}, [["2025-01-31"]], [["20250131"]], False),
        ({"order": "datetime", "order.x": "text"}, "2025-01-31", "20250131", True),
    ],
)  # fmt: skip
def test_parts_of_a_field_have_kinds_by_their_path(kinds, expected, actual, right):
    gold, trace = [make_call("a", {"order": expected})], [make_call("a", {"order": actual})]
    found = calculate_field_accuracy(gold, trace, kinds=kinds)
    assert found["by_field"]["a.order"]["right"] == right


def test_calls_are_paired_by_what_their_fields_say():
    gold = [make_call("a", {"day": "2025-01-31", "n": n}) for n in (1, 2)]
    trace = [make_call("a", {"day": "20250131", "n": 2}), make_call("a", {"day": "1", "n": 2})]
    found = calculate_field_accuracy(gold[:1], trace, kinds={"day": "datetime"})
    assert found["by_field"]["a.day"]["right"] == 1


def test_fields_are_counted_over_several_runs():
    gold = [make_call("pay", {"to": "x", "sum": 1})]
    runs = [
        (gold, gold),
        (gold, [make_call("pay", {"to": "x", "sum": 2})]),
        (gold, [make_call("log"), make_call("pay", {"to": 5})]),
        (gold, []),
    ]
    schemas = {"pay": {"properties": {"to": {"type": "string"}}}}
    assert calculate_batch_field_accuracy(iter(runs), schemas=schemas) == {
        "field_accuracy": 0.75,
        "exact_match": 0.5,
        "by_field": {
            "pay.sum": {"right": 1, "wrong": 1, "missing": 0, "unknown": 0, "accuracy": 0.5},
            "pay.to": {"right": 2, "wrong": 0, "missing": 0, "unknown": 0, "accuracy": 1.0},
        },
        "invalid_calls": [(2, 1)],
        "total_evaluations": 4,
    }
    assert calculate_batch_field_accuracy([])["field_accuracy"] is None


@pytest.mark.parametrize(
    "ways", [{"kinds": {"x": "figure"}}, {"tolerance": -1}, {"tolerance": nan}]
)
def test_a_way_to_compare_that_is_none_is_refused(ways):
    with pytest.raises(MatcherError):
        calculate_field_accuracy([], [], **ways)


def test_what_is_asked_for_can_be_said():
    for matcher, said in (
        (SameText("New York"), 'is "New York" in whatever case'),
        (SameNumber(Approx(100)), "is about 100"),
        (SameParts(Approx(100)), "is about 100"),
    ):
        assert matcher.describe() == said
