"""What operators say of values of which a part was not observed: unknown only where the rest could turn the answer."""

import pytest

from toolscore_otel.matchers import (
    HIDDEN,
    UNKNOWN,
    Answer,
    CutText,
    OpenList,
    OpenObject,
    SomeNumber,
    parse,
)
from toolscore_otel.matchers.parse import OPERATORS

YES, NO, UNSURE = Answer.YES, Answer.NO, Answer.UNKNOWN
NOON = "2025-01-31T12:00:00Z"
OPEN = OpenObject({"a": 1})
NEXT = OpenObject({"a": 1}, "b")

ONE_OF_EACH = [
    {"$type": "string"},
    {"$regex": "R"},
    {"$fullmatch": ".*"},
    {"$glob": "*"},
    {"$contains": "R"},
    {"$one_of": ["[REDACTED]"]},
    {"$gt": 1},
    {"$ge": NOON},
    {"$lt": 1},
    {"$le": 1},
    {"$between": [1, 2]},
    {"$approx": 1},
    {"$len": 10},
    {"$casefold": "[REDACTED]"},
    {"$datetime": NOON},
    {"$schema": True},
    {"$exact": {}},
    {"$not": "[REDACTED]"},
    {"$all": ["[REDACTED]"]},
    {"$or": ["[REDACTED]"]},
    "[REDACTED]",
    5,
    {},
    {"a": 1},
    [],
]
PLACEHOLDERS = [
    "[REDACTED]",
    "[REDACTED:aws_key]",
    "[REDACTED aws_key: ab]",
    "<REDACTED>",
    "__REDACTED__",
    "***",
    "********",
    "HIDDEN:non-empty",
    "[MaxDepth]",
    "[unreadable: NaN]",
    "[unreadable: huge number]",
    HIDDEN,
    UNKNOWN,
]


@pytest.mark.parametrize("data", ONE_OF_EACH)
@pytest.mark.parametrize("value", PLACEHOLDERS)
def test_every_matcher_is_unsure_of_a_placeholder(data, value):
    assert UNSURE is parse(data).match(value)


def test_every_operator_is_held_against_placeholders():
    tried = {key for data in ONE_OF_EACH if isinstance(data, dict) for key in data}
    assert {"$any", "$exists"} == set(OPERATORS) - tried


@pytest.mark.parametrize("value", [value for value in PLACEHOLDERS if value is not UNKNOWN])
def test_a_placeholder_is_there(value):
    assert YES is parse({"$any": True}).match(value)
    assert YES is parse({"$exists": True}).match(value)
    assert NO is parse({"$exists": False}).match(value)


def test_whether_an_unobserved_value_is_there_is_unknown():
    assert UNSURE is parse({"$any": True}).match(UNKNOWN)
    assert UNSURE is parse({"$exists": False}).match(UNKNOWN)


@pytest.mark.parametrize(
    "value", ["**", "a [REDACTED]", "[REDACTED", "[redacted]", "HIDDEN:empty", "REDACTED", ""]
)
def test_what_only_looks_like_a_placeholder_is_text(value):
    assert YES is parse({"$type": "string"}).match(value)


@pytest.mark.parametrize(
    ("data", "value", "answer"),
    [
        ("abc", CutText("ab"), UNSURE),
        ("abc", CutText("x"), NO),
        (5, CutText("5"), NO),
        ({"$type": "number"}, CutText("5"), NO),
        ({"$type": "string"}, CutText("5"), YES),
        ({"$contains": "b"}, CutText("abc"), YES),
        ({"$contains": "x"}, CutText("abc"), UNSURE),
        ({"$contains": 5}, CutText("5"), NO),
        ({"$len": {"$ge": 3}}, CutText("abc"), YES),
        ({"$len": {"$lt": 3}}, CutText("abc"), NO),
        ({"$len": 2}, CutText("abc"), NO),
        ({"$len": 4}, CutText("abc"), UNSURE),
        ({"$casefold": "ABCD"}, CutText("abc"), UNSURE),
        ({"$casefold": "x"}, CutText("abc"), NO),
        ({"$one_of": ["x", "y"]}, CutText("abc"), NO),
        ({"$one_of": ["x", "abcd"]}, CutText("abc"), UNSURE),
        ({"$glob": "ab*"}, CutText("abc"), YES),
        ({"$glob": "ab*z"}, CutText("abc"), UNSURE),
        ({"$glob": "x*"}, CutText("abc"), NO),
        ({"$glob": "a?"}, CutText("abc"), NO),
        ({"$glob": "[ab]?[c]"}, CutText("ab"), UNSURE),
        ({"$gt": 5}, CutText("9"), NO),
        ({"$gt": NOON}, CutText("2025-0"), UNSURE),
        ({"$gt": NOON}, CutText("2025-3"), NO),
        ({"$gt": NOON}, CutText("soon"), NO),
        ({"$datetime": NOON}, CutText("soon"), NO),
        ({"$datetime": NOON}, CutText("2025-01-31T12:00:00.0"), UNSURE),
        ({"$exact": {}}, CutText("x"), NO),
        ({}, CutText("x"), NO),
        ([], CutText("x"), NO),
        ({"a": {"$exists": False}}, CutText("x"), YES),
    ],
)
def test_of_a_cut_text_the_beginning_is_known(data, value, answer):
    assert answer is parse(data).match(value)


@pytest.mark.parametrize(
    ("pattern", "prefix", "answer"),
    [
        ("DROP", "x; DROP TABLE", YES),
        (r"\bDROP\b", "x; DROP TABLE", YES),
        (r"\bDROP\b.*", "x; DROP TABLE", YES),
        (r"\bDROP\b", "x; DROP", UNSURE),
        ("DROP$", "x; DROP", UNSURE),
        ("DROP$", "x; DROP TABLE", UNSURE),
        (r"DROP\z", "x; DROP", UNSURE),
        ("DRO", "x; DRO", YES),
        ("(?i)drop", "x; DROP", YES),
        ("^git", "git", YES),
        ("^git", "gi", UNSURE),
        ("^git", "rm", NO),
        ("^git|rm", "sudo", UNSURE),
        ("^?git", "rm", UNSURE),
        ("^gi(t$)?", "gix", YES),
        ("git", "rm", UNSURE),
    ],
)
def test_a_search_in_a_cut_text_is_sure_of_what_cannot_change(pattern, prefix, answer):
    assert answer is parse({"$regex": pattern}).match(CutText(prefix))


@pytest.mark.parametrize(
    ("pattern", "prefix", "answer"),
    [
        (r"O-\d+", "O-1", UNSURE),
        (r"O-\d+", "", UNSURE),
        (r"O-\d+", "P", NO),
        ("a|b", "c", NO),
        ("a|b", "b", UNSURE),
        ("(?s).*", "b", UNSURE),
        (r"\C+", "b", UNSURE),
    ],
)
def test_a_full_match_of_a_cut_text_can_only_be_excluded(pattern, prefix, answer):
    assert answer is parse({"$fullmatch": pattern}).match(CutText(prefix))


@pytest.mark.parametrize(
    ("data", "answer"),
    [
        ({"$type": "number"}, YES),
        ({"$type": "integer"}, UNSURE),
        ({"$type": ["string", "null"]}, NO),
        ({"$gt": -1}, YES),
        ({"$ge": 0}, YES),
        ({"$lt": 0}, NO),
        ({"$gt": 5}, UNSURE),
        ({"$between": [-5, -1]}, NO),
        ({"$between": [1, 5]}, UNSURE),
        ({"$gt": NOON}, NO),
        ({"$approx": -1}, NO),
        ({"$approx": 1}, UNSURE),
        ({"$approx": {"value": -1, "rel": 1}}, UNSURE),
        ({"$one_of": [-1, "1"]}, NO),
        (1, UNSURE),
        (-1, NO),
        ("1", NO),
        ({"$len": 1}, NO),
        ({"$contains": 1}, NO),
        ({"$regex": "1"}, NO),
        ({"$fullmatch": "1"}, NO),
        ({"$glob": "1"}, NO),
        ({"$casefold": "1"}, NO),
    ],
)
def test_of_a_cut_number_the_sign_is_known(data, answer):
    assert answer is parse(data).match(SomeNumber(low=0.0))


@pytest.mark.parametrize(
    ("data", "value", "answer"),
    [
        ([1], OpenList([1]), UNSURE),
        ([1], OpenList([2]), NO),
        ([1], OpenList([1, HIDDEN]), NO),
        ([1, 2], OpenList([1, HIDDEN]), UNSURE),
        ({"$one_of": [[1, 2]]}, OpenList([1]), UNSURE),
        ({"$one_of": [[1, 2]]}, OpenList([2]), NO),
        ({"$one_of": [[1]]}, OpenList([1, HIDDEN]), NO),
        ({"$type": "array"}, OpenList([]), YES),
        ({"$contains": 1}, OpenList([1]), YES),
        ({"$contains": 2}, OpenList([1]), UNSURE),
        ({"$len": {"$gt": 1}}, OpenList([1, HIDDEN]), YES),
        ({"$len": 1}, OpenList([1, HIDDEN]), NO),
        ({}, OPEN, YES),
        ({}, OpenList([]), NO),
        ({"$type": "object"}, OPEN, YES),
        ({"$contains": "a"}, OPEN, NO),
        ({"$len": 1}, OPEN, UNSURE),
        ({"$len": 1}, NEXT, NO),
        ({"$exact": {"a": 1}}, OPEN, UNSURE),
        ({"$exact": {"a": 2}}, OPEN, NO),
        ({"$exact": {"b": 1}}, OPEN, NO),
        ({"$exact": {"a": 1, "c": 1}}, NEXT, NO),
        ({"$exact": {"a": 1, "bc": 1}}, NEXT, UNSURE),
        ({"$exact": {"a": 1, "bc": {"$exists": False}}}, NEXT, NO),
        ({"$one_of": [{"a": 1}]}, OPEN, UNSURE),
        ({"$one_of": [{"a": 1}]}, NEXT, NO),
        ({"$one_of": [{"a": 1, "bc": 1}]}, NEXT, UNSURE),
        ({"$one_of": [{"a": 2, "bc": 1}]}, NEXT, NO),
        ({"$one_of": [{"x": 1}, 5, "x", [1]]}, OPEN, NO),
    ],
)
def test_what_was_cut_may_go_on(data, value, answer):
    assert answer is parse(data).match(value)


def test_a_hole_deep_in_a_value_counts_only_where_it_is_looked_at():
    value = {"a": {"token": "[REDACTED]", "n": 1}}
    assert YES is parse({"a.n": 1}).match(value)
    assert UNSURE is parse({"a.token": "x"}).match(value)
    assert NO is parse({"a.token": "x", "a.n": 2}).match(value)
    assert UNSURE is parse({"$one_of": [{"a": {"token": "x", "n": 1}}]}).match(value)
    assert NO is parse({"$one_of": [{"a": {"token": "x", "n": 2}}]}).match(value)
    assert YES is parse({"$or": [{"a.n": 1}, {"a.token": "x"}]}).match(value)


def test_values_of_any_depth_are_matched_without_recursion():
    deep: object = "x"
    for _ in range(100_000):
        deep = [{"a": deep}]
    for data in (*ONE_OF_EACH, {"*.a.*.a.*": "x"}):
        assert parse(data).match(deep) in Answer


def test_the_deepest_matcher_meets_the_deepest_value():
    data: object = 1
    value: object = 1
    for _ in range(64):
        data, value = {"a": data}, {"a": value}
    assert YES is parse(data).match(value)


@pytest.mark.parametrize(
    ("schema", "value", "answer"),
    [
        ({"properties": {"a": {"type": "string"}}}, OPEN, NO),
        ({"properties": {"a": {"type": "integer"}}}, OPEN, UNSURE),
        ({"required": ["b"]}, OPEN, UNSURE),
        ({"type": "array"}, OPEN, NO),
        ({"additionalProperties": False}, OPEN, NO),
        ({"additionalProperties": {"type": "null"}}, OPEN, NO),
        ({"maxProperties": 0}, OPEN, NO),
        ({"minProperties": 2}, OPEN, UNSURE),
        ({"allOf": [{"properties": {"a": {"anyOf": [{"type": "null"}]}}}]}, OPEN, NO),
        ({"$defs": {"t": {"type": "null"}}, "properties": {"a": {"$ref": "#/$defs/t"}}}, OPEN, NO),
        ({"anyOf": [{"properties": {"a": {"type": "null"}}}]}, OPEN, UNSURE),
        ({"if": {"minProperties": 1}, "then": {"properties": {"a": False}}}, OPEN, UNSURE),
        ({"not": {"type": "object"}}, OPEN, UNSURE),
        ({"properties": {"a": False}}, OPEN, NO),
        ({"prefixItems": [{"type": "null"}], "items": {}}, OpenList([1]), NO),
        ({"maxItems": 1}, OpenList([1, HIDDEN]), NO),
        ({"items": {"type": "integer"}}, OpenList([HIDDEN, CutText("x")]), NO),
        ({"items": {"type": "null"}}, OpenList([SomeNumber(), HIDDEN]), UNSURE),
        ({"maxLength": 2}, CutText("abc"), NO),
        ({"pattern": "x"}, CutText("abc"), UNSURE),
        ({"type": "integer"}, "[REDACTED]", UNSURE),
        ({"properties": {"a": {"type": "null"}}}, {"a": 1, "b": "[REDACTED]"}, NO),
        ({"properties": {"b": {"type": "null"}}}, {"a": 1, "b": "[REDACTED]"}, UNSURE),
        (False, OpenObject({"a": UNKNOWN}), UNSURE),
    ],
)
def test_a_schema_fails_on_what_was_seen_and_waits_for_the_rest(schema, value, answer):
    assert answer is parse({"$schema": schema}).match(value)
