"""What each operator says of values that were wholly observed."""

from math import inf, nan
from typing import Any

import pytest

from toolscore_otel.matchers import ABSENT, Answer, parse

YES, NO, UNKNOWN = Answer.YES, Answer.NO, Answer.UNKNOWN
NOON = "2025-01-31T12:00:00Z"
NOON_IN_ROME = "2025-01-31T13:00:00.000+01:00"
LATER = "2025-01-31T12:00:00.5Z"

TABLE: list[tuple[Any, list[Any], list[Any]]] = [
    # data, values that match, values that do not
    (1, [1, 1.0], [True, "1", None, 2, ABSENT, [1]]),
    (True, [True], [1, 1.0, "true", False]),
    (None, [None], [False, 0, "", ABSENT]),
    ("a", ["a"], ["A", " a", ["a"]]),
    (12345678901234567890, [12345678901234567890], [12345678901234567891, 12345678901234567890.5]),
    (
        [1, {"a": 2}],
        [[1, {"a": 2}], [1.0, {"a": 2.0, "b": 3}]],
        [[1], [{"a": 2}, 1], [1, 2, 3], {}],
    ),
    ([], [[]], [[1], {}, None]),
    ({}, [{}, {"a": 1}], [[], None, "x", ABSENT]),
    ({"a": {}}, [{"a": {}}, {"a": {"b": 1}}], [{"a": []}, {}, {"a": None}]),
    ({"a": 1, "b": 2}, [{"a": 1, "b": 2, "c": 3}], [{"a": 1}, {"a": 1, "b": 3}, []]),
    ({"$any": True}, [None, 0, "", [], {}], [ABSENT]),
    ({"$exists": True}, [None, False], [ABSENT]),
    ({"$exists": False}, [ABSENT], [None, 0]),
    ({"$type": "integer"}, [1, 1.0, -0.0], [1.5, True, "1", inf, nan, ABSENT]),
    ({"$type": "number"}, [1, 1.5], [True, "1", None]),
    ({"$type": ["object", "array"]}, [{}, []], [None, "x", ABSENT]),
    ({"$type": ["string", "null"]}, ["", None], [False]),
    ({"$type": "boolean"}, [True, False], [0, 1]),
    ({"$regex": r"rm\s+-rf"}, ["sudo rm  -rf /"], ["rm", 5, ["rm -rf"], None, ABSENT]),
    ({"$regex": "é"}, ["café"], ["cafe"]),
    ({"$regex": "^a.c$"}, ["abc", "aéc"], ["abcd", "a\nc"]),
    ({"$regex": "a"}, ["\ud800a"], ["\ud800"]),
    ({"$fullmatch": r"O-\d+"}, ["O-1"], ["O-", "O-1 ", "xO-1", 1]),
    ({"$glob": "*.t?t"}, ["a.txt", ".tat"], ["a.TXT", "a.tt", 5]),
    ({"$glob": "[ab]*"}, ["ax", "b"], ["cx", ""]),
    ({"$contains": "b"}, ["abc", ["a", "b"]], ["ac", ["abc"], {"b": 1}, 5, None, ABSENT]),
    ({"$contains": 1}, [[1], [1.0]], [[True], "1", ["1"]]),
    ({"$contains": {"a": 1}}, [[{"a": 1, "b": 2}]], [[{"a": 2}], "a"]),
    ({"$contains": {"$gt": 5}}, [[1, 6]], [[1], "6", []]),
    ({"$contains": ""}, ["", "a", [""]], [[]]),
    ({"$casefold": "STRASSE"}, ["straße", "Strasse"], ["strase", 5]),
    ({"$one_of": ["a", 1, None, [1]]}, ["a", 1.0, None, [1.0]], ["b", True, ABSENT, [1, 2]]),
    ({"$one_of": [{"a": 1}]}, [{"a": 1.0}], [{"a": 1, "b": 2}]),
    ({"$not": 5}, [4, "5", None, ABSENT], [5, 5.0]),
    ({"$not": {"$exists": True}}, [ABSENT], [None]),
    ({"$all": [{"$gt": 1}, {"$lt": 5}]}, [2], [1, 5, "2"]),
    ({"$or": ["a", {"$gt": 1}]}, ["a", 2], ["b", 1]),
    ({"$gt": 5}, [5.1, 10**400, inf], [5, 4, True, "6", nan, None, ABSENT]),
    ({"$ge": 5}, [5, 5.0], [4.9]),
    ({"$lt": 5}, [4, -inf], [5, False, NOON]),
    ({"$le": 5}, [5], [5.1]),
    ({"$between": [1, 3]}, [1, 2.5, 3], [0.9, 3.1, True, "2"]),
    ({"$gt": NOON}, [LATER], [NOON, NOON_IN_ROME, "later", 5, "2025-01-31"]),
    ({"$ge": NOON}, [NOON_IN_ROME], ["2025-01-31T12:00:00+01:00"]),
    ({"$between": [NOON, LATER]}, [NOON, "2025-01-31 12:00:00.49z"], ["2025-01-31T12:00:00.51Z"]),
    ({"$approx": 9.99}, [9.99, 9.99 + 1e-12], [9.98, True, "9.99", nan, ABSENT]),
    ({"$approx": {"value": 9.99, "abs": 0.01}}, [10.0, 9.985], [10.01]),
    ({"$approx": {"value": 100, "rel": 0.1}}, [91, 110], [89, 112]),
    ({"$approx": {"value": 0, "abs": 1}}, [1, -1], [1.1]),
    ({"$approx": {"value": 10**400, "rel": 0.1}}, [10**400 + 1], [1, inf, 2 * 10**400]),
    ({"$approx": {"value": 10**400, "abs": inf}}, [1, -(10**500)], [nan]),
    ({"$approx": inf}, [inf], [1, -inf, 10**400]),
    ({"$len": 2}, ["ab", "😀é", [1, 2], {"a": 1, "b": 2}], ["a", 2, None, ABSENT]),
    ({"$len": {"$gt": 1, "$lt": 4}}, ["ab", [1, 2, 3]], ["a", "abcd", 2]),
    ({"$len": 0}, ["", [], {}], [0, False, ABSENT]),
    ({"$datetime": NOON}, [NOON, NOON_IN_ROME], [LATER, "noon", 5, ABSENT]),
    ({"$datetime": {"$gt": NOON, "$lt": LATER}}, ["2025-01-31T12:00:00.1Z"], [NOON, 5]),
    ({"$schema": {"type": "object", "required": ["a"]}}, [{"a": 1}], [{}, [], ABSENT]),
    ({"$schema": {"prefixItems": [{"type": "string"}]}}, [["a", 1]], [[1]]),
    (
        {"$exact": {"a": 1, "b": {}}},
        [{"a": 1, "b": {"c": 1}}],
        [{"a": 1}, {"a": 1, "b": {}, "c": 1}],
    ),
    ({"$exact": {"a.b": {"$any": True}}}, [{"a.b": None}], [{"a": {"b": 1}}]),
    ({"$exact": {}}, [{}], [{"a": 1}, [], ABSENT]),
    ({"$exact": {"a": {"$exists": False}}}, [], [{}, {"a": 1}]),
]

CASES = [
    (data, value, answer)
    for data, matching, others in TABLE
    for values, answer in ((matching, YES), (others, NO))
    for value in values
]


@pytest.mark.parametrize(("data", "value", "answer"), CASES)
def test_an_operator_answers(data, value, answer):
    assert answer is parse(data).match(value)


def test_a_schema_that_meets_what_json_cannot_hold_is_unknown():
    assert UNKNOWN is parse({"$schema": {"type": "string"}}).match("\ud800")


@pytest.mark.parametrize(
    "text",
    [
        "2025-02-30T12:00:00Z",
        "0000-01-01T12:00:00Z",
        "2025-01-31T24:00:00Z",
        "2025-01-31T12:00:00",
        "2025-01-31T12:00:00+1:00",
        "2025-01-31T12:00:61Z",
        "٢٠٢٥-01-31T12:00:00Z",
    ],
)
def test_what_is_no_rfc_3339_time_is_no_instant(text):
    assert NO is parse({"$datetime": {"$gt": "0001-01-01T00:00:00Z"}}).match(text)


def test_a_leap_second_is_the_next_second():
    assert YES is parse({"$datetime": "2017-01-01T00:00:00Z"}).match("2016-12-31T23:59:60Z")


def test_a_literal_object_is_no_other_kind_of_value():
    matcher = parse({"$one_of": [{"a": 1}]})
    assert [matcher.match(value) for value in ({"a": 1}, [1], "a", None)] == [YES, NO, NO, NO]
