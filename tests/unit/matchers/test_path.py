import pytest

from toolscore_otel.matchers import ABSENT, HIDDEN, UNKNOWN, Answer, OpenList, OpenObject, parse
from toolscore_otel.matchers.path import steps_of, value_at

YES, NO, UNSURE = Answer.YES, Answer.NO, Answer.UNKNOWN


@pytest.mark.parametrize(
    ("data", "value", "answer"),
    [
        ({"user.id": 7}, {"user": {"id": 7}}, YES),
        ({"user": {"id": 7}}, {"user": {"id": 7}}, YES),
        ({"user.id": 7}, {"user.id": 7, "user": {"id": 8}}, YES),
        ({"user.id": 8}, {"user.id": 7, "user": {"id": 8}}, NO),
        ({"a.b.c": 1}, {"a.b": {"c": 1}, "a": {"b": {"c": 2}}}, YES),
        ({"a.b.c": 1}, {"a": {"b.c": 1}}, YES),
        ({"items.0.sku": "x"}, {"items": [{"sku": "x"}]}, YES),
        ({"items.1.sku": "x"}, {"items": [{"sku": "x"}]}, NO),
        ({"items.00.sku": "x"}, {"items": [{"sku": "x"}]}, NO),
        ({"items": {"0": {"sku": "x"}}}, {"items": [{"sku": "x"}]}, YES),
        ({"0": 1}, {"0": 1}, YES),
        ({"items.*.sku": "x"}, {"items": [{"sku": "y"}, {"sku": "x"}]}, YES),
        ({"items.*.sku": "x"}, {"items": [{"sku": "y"}]}, NO),
        ({"items.*.sku": "x"}, {"items": []}, NO),
        ({"items": {"*": {"sku": "x"}}}, {"items": [{"sku": "x"}]}, YES),
        ({"env.*": "x"}, {"env": {"A": "x"}}, YES),
        ({"env.*": "x"}, {"env": {"*": "y", "A": "x"}}, NO),
        ({"*.*": 1}, {"a": [0], "b": [2, 1]}, YES),
        ({"items.*.sku": {"$not": "x"}}, {"items": [{"sku": "x"}, {"sku": "y"}]}, YES),
        ({"items.*.sku": {"$exists": False}}, {"items": [{"sku": "x"}, {}]}, YES),
        ({"items.*.sku": {"$exists": False}}, {"items": []}, YES),
        ({"items.*": {"$exists": True}}, {"items": []}, NO),
    ],
)
def test_a_path_leads_to_what_it_names(data, value, answer):
    assert answer is parse(data).match(value)


@pytest.mark.parametrize(
    "value", [{}, {"user": {}}, {"user": "text"}, {"user": None}, {"user": []}, "text"]
)
def test_below_what_holds_nothing_a_path_is_known_to_be_absent(value):
    assert YES is parse({"user.id": {"$exists": False}}).match(value)
    assert YES is parse({"user": {"id": {"$not": 7}}}).match(value)
    assert NO is parse({"user.id": {"$any": True}}).match(value)


@pytest.mark.parametrize(
    ("data", "value", "answer"),
    [
        ({"a": {"$exists": False}}, UNKNOWN, UNSURE),
        ({"a": {"$exists": True}}, HIDDEN, UNSURE),
        ({"a.b": 1}, {"a": "[REDACTED]"}, UNSURE),
        ({"a.*": 1}, {"a": "[REDACTED]"}, UNSURE),
        ({"a": 1}, OpenObject({}), UNSURE),
        ({"a": 1}, OpenObject({"a": 1}), YES),
        ({"a": 1, "b": 1}, OpenObject({"a": 2}), NO),
        ({"1": 1}, OpenList([1]), UNSURE),
        ({"0": 1}, OpenList([2]), NO),
        ({"x": 1}, OpenList([2]), NO),
        ({"*": 1}, OpenList([2]), UNSURE),
        ({"*": 1}, OpenList([2, 1]), YES),
        ({"*": 1}, OpenList([]), UNSURE),
        ({"*": 1}, OpenObject({"a": 1}), YES),
        ({"*": 1}, OpenObject({"a": 2}), UNSURE),
        ({"*": 1}, [2, UNKNOWN], UNSURE),
    ],
)
def test_a_path_into_what_was_not_observed_is_unknown(data, value, answer):
    assert answer is parse(data).match(value)


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("a.b", {"a": {"b": 1}}, 1),
        ("a.b", {"a.b": 2}, 2),
        ("a.0", {"a": [3]}, 3),
        ("a.b", {"a": 1}, ABSENT),
        ("a", {}, ABSENT),
        ("a", UNKNOWN, UNKNOWN),
        ("a", OpenObject({}), UNKNOWN),
        ("*", {"a": 1}, UNKNOWN),
    ],
)
def test_the_value_at_a_path_is_found_where_it_was_observed(path, value, expected):
    assert value_at(value, steps_of(path)) == expected
