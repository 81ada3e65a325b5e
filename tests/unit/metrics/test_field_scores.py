"""Arguments field by field."""

from __future__ import annotations

import pytest

from toolscore_otel.metrics import ANY, calculate_field_accuracy
from toolscore_otel.metrics.field_scores import SameText
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
        ("datetime", "2025-01-31T09:00:00Z", "2025-01-31T10:00:00+01:00", True),
        ("datetime", "2025-01-31T09:00:00Z", "2025-01-31T09:00:00+01:00", False),
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


def test_a_text_says_what_it_asks_for():
    assert SameText(" New York ").describe() == 'is "New York" in whatever case'
