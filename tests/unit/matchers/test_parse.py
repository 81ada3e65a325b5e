from typing import Any

import pytest

from toolscore_otel.matchers import (
    ANY,
    AllOf,
    Answer,
    AnyOf,
    Approx,
    Between,
    Casefold,
    Contains,
    Datetime,
    Exact,
    Exists,
    Fields,
    FullMatch,
    Ge,
    Glob,
    Gt,
    IsType,
    Items,
    Le,
    Len,
    Literal,
    Lt,
    Matcher,
    MatcherError,
    Not,
    OneOf,
    Regex,
    Schema,
    parse,
)
from toolscore_otel.matchers.parse import MAX_DEPTH, OPERATORS

NOON = "2025-01-31T12:00:00Z"

SAME: list[tuple[Any, Matcher]] = [
    ({"$any": True}, ANY),
    ({"$exists": False}, Exists(expected=False)),
    ({"$type": "string"}, IsType("string")),
    ({"$type": ["string", "null"]}, IsType(str, type(None))),
    ({"$regex": "a+"}, Regex("a+")),
    ({"$fullmatch": "a+"}, FullMatch("a+")),
    ({"$glob": "a*"}, Glob("a*")),
    ({"$contains": "a"}, Contains("a")),
    ({"$contains": {"$gt": 1}}, Contains(Gt(1))),
    ({"$one_of": ["a", 1]}, OneOf("a", 1)),
    ({"$gt": 1}, Gt(1)),
    ({"$ge": 1}, Ge(1)),
    ({"$lt": 1}, Lt(1)),
    ({"$le": NOON}, Le(NOON)),
    ({"$between": [1, 2]}, Between(1, 2)),
    ({"$approx": 1.5}, Approx(1.5)),
    ({"$approx": {"value": 1, "rel": 0.1, "abs": 2}}, Approx(1, rel=0.1, abs=2)),
    ({"$len": 3}, Len(3)),
    ({"$len": {"$gt": 3}}, Len(Gt(3))),
    ({"$casefold": "A"}, Casefold("A")),
    ({"$datetime": NOON}, Datetime(NOON)),
    ({"$datetime": {"$gt": NOON}}, AllOf(Gt(NOON))),
    ({"$schema": {"type": "string"}}, Schema({"type": "string"})),
    ({"$exact": {"a": 1}}, Exact({"a": 1})),
    ({"$not": {"$gt": 1}}, Not(Gt(1))),
    ({"$all": [1, {"$gt": 1}]}, AllOf(1, Gt(1))),
    ({"$or": [1, {"$gt": 1}]}, AnyOf(1, Gt(1))),
    ({"$gt": 1, "$lt": 5}, AllOf(Gt(1), Lt(5))),
]


@pytest.mark.parametrize(("data", "matcher"), SAME)
def test_each_operator_is_a_class_of_the_same_meaning(data, matcher):
    assert matcher == parse(data)


def test_all_operators_are_covered_here():
    assert set(OPERATORS) == {key for data, _ in SAME for key in data}


def test_plain_data_becomes_literals_fields_and_items():
    expected = Fields(
        (
            (("a", "b"), Items((Literal(1), Fields(())))),
            (("c",), Literal(None)),
        )
    )
    assert expected == parse({"a.b": [1, {}], "c": None})


def test_a_matcher_may_stand_wherever_a_literal_can():
    assert parse({"a": [Regex("x")]}) == parse({"a": [{"$regex": "x"}]})
    assert parse({"$or": [1, Gt(5)]}) == parse({"$or": [1, {"$gt": 5}]})
    assert parse(ANY) is ANY


def test_a_schema_file_is_loaded_by_its_name():
    loaded = parse({"$schema": "a.json"}, read_schema=lambda name: {"const": name})
    assert loaded == Schema({"const": "a.json"})


def _problem(data: object) -> str:
    with pytest.raises(MatcherError) as caught:
        parse(data)
    return str(caught.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            {"a": {"$regx": "x"}},
            "`a.$regx`: unknown operator `$regx`; did you mean `$regex`?",
        ),
        (
            {"a": {"$regex": "x", "b": 1}},
            "`a`: operators (`$regex`) and plain keys cannot stand in one mapping",
        ),
        (
            {"$any": False},
            "`$any`: must be true; what must be absent is `$exists: false`",
        ),
        ({"$exists": "yes"}, "`$exists`: must be true or false"),
        (
            {"$type": "int"},
            "`$type`: unknown type `int`; did you mean `integer`?",
        ),
        (
            {"$type": 5},
            "`$type`: must be the name of a JSON type, or a list of them",
        ),
        ({"$type": []}, "`$type`: must be a list with something in it"),
        (
            {"$regex": "("},
            "`$regex`: `(` is no regular expression in RE2 syntax: missing ): (",
        ),
        ({"$fullmatch": 5}, "`$fullmatch`: must be a regular expression, as text"),
        ({"$glob": 5}, "`$glob`: must be a shell pattern"),
        ({"$casefold": None}, "`$casefold`: must be a text"),
        ({"$one_of": []}, "`$one_of`: must be a list with something in it"),
        (
            {"$one_of": [1, {"$gt": 5}]},
            "`$one_of.1.$gt`: only literals can stand here; `$or` takes matchers",
        ),
        (
            {"$one_of": [[{"a": {"$gt": 5}}]]},
            "`$one_of.0.0.a.$gt`: only literals can stand here; `$or` takes matchers",
        ),
        (
            {"$one_of": [{1: 2}]},
            "`$one_of.0`: the key `1` must be text; put it in quotes",
        ),
        (
            {"$one_of": [[ANY]]},
            "`$one_of.0.0`: only literals can stand here; `$or` takes matchers",
        ),
        ({"$all": {}}, "`$all`: must be a list with something in it"),
        (
            {"$or": [{"$nto": 1}]},
            "`$or.0.$nto`: unknown operator `$nto`; did you mean `$not`?",
        ),
        (
            {"$gt": "soon"},
            "`$gt`: must be a number, or an RFC 3339 time with its offset such as `2025-01-31T09:00:00Z`",
        ),
        (
            {"$gt": True},
            "`$gt`: must be a number, or an RFC 3339 time with its offset such as `2025-01-31T09:00:00Z`",
        ),
        (
            {"$between": [1]},
            "`$between`: must be a list of two bounds, such as [1, 10]",
        ),
        ({"$between": [5, 1]}, "`$between`: nothing lies between 5 and 1"),
        (
            {"$between": [5, NOON]},
            "`$between`: both bounds must be numbers, or both RFC 3339 times",
        ),
        (
            {"$approx": {"rel": 1}},
            "`$approx`: `value` must be a number",
        ),
        (
            {"$approx": {"value": 1, "abs": -1}},
            "`$approx`: `abs` must not be negative",
        ),
        (
            {"$approx": {"value": 1, "tol": 1}},
            "`$approx.tol`: unknown key `tol`; known are abs, rel, value",
        ),
        (
            {"$len": -1},
            "`$len`: must be a whole number from 0, or a mapping of operators",
        ),
        (
            {"$len": {}},
            "`$len`: must be a whole number from 0, or a mapping of operators",
        ),
        (
            {"$datetime": {"$regex": "x"}},
            "`$datetime.$regex`: unknown comparison `$regex`; did you mean `$ge`?",
        ),
        (
            {"$datetime": {"$gt": 5}},
            "`$datetime.$gt`: must be an RFC 3339 time such as `2025-01-31T09:00:00Z`",
        ),
        (
            {"$datetime": {}},
            "`$datetime`: must be an RFC 3339 time, or a mapping of comparisons",
        ),
        (
            {"$schema": 5},
            "`$schema`: must be a JSON Schema: a mapping, or the name of a file",
        ),
        (
            {"$schema": "a.json"},
            "`$schema`: a schema file cannot be read here; write the schema itself",
        ),
        ({"$exact": 5}, "`$exact`: must be a mapping of keys to what they hold"),
        ({"$exact": {"$any": True}}, "`$exact.$any`: must be a plain key, as text"),
        ({"a": {7: 1}}, "`a`: the key `7` must be text; put it in quotes"),
        ({"a": {1, 2}}, "`a`: `set` is no JSON value"),
        ({"a": Regex}, "`a`: `type` is no JSON value"),
    ],
)
def test_what_makes_no_sense_is_an_error_with_its_path(data, message):
    assert message == _problem(data)


def test_an_invalid_schema_and_one_that_refers_elsewhere_are_errors():
    assert "is no JSON Schema of draft 2020-12" in _problem({"$schema": {"type": "text"}})
    assert "is no JSON Schema of draft 2020-12" in _problem({"$schema": {"$ref": "https://a/b"}})


def _nested(depth: int) -> object:
    data: object = 1
    for _ in range(depth):
        data = {"a": data}
    return data


def test_a_matcher_that_is_nested_too_deep_is_an_error():
    parse(_nested(MAX_DEPTH))
    assert _problem(_nested(MAX_DEPTH + 1)).endswith("nested deeper than 64 levels")
    assert _problem({".".join("a" * 65): 1}).endswith("nested deeper than 64 levels")
    assert _problem({"$one_of": [_nested(5000)]}).endswith("nested deeper than 64 levels")


def test_a_class_that_makes_no_sense_is_an_error_of_the_same_kind():
    for build in (IsType, lambda: IsType("int"), lambda: Regex("("), lambda: Len(-1)):
        with pytest.raises(MatcherError):
            build()


def test_the_path_of_a_problem_is_kept_as_keys_and_indices():
    with pytest.raises(MatcherError) as caught:
        parse({"a.b": [{"$gt": "x"}]})
    assert caught.value.path == ("a.b", 0, "$gt")


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"command": {"$regex": "rm"}}, "command matches /rm/"),
        ({"a.b": 1, "c": [1]}, "a.b is 1 and c is a list of 1 (is 1)"),
        ({}, "is an object"),
        ({"$exists": False}, "is absent"),
        ({"$any": True}, "is there"),
        ({"$type": ["string", "null"]}, "is of type string or null"),
        ({"$fullmatch": "a"}, "matches all of /a/"),
        ({"$glob": "a*"}, 'is like "a*"'),
        ({"$casefold": "A"}, 'is "A" in whatever case'),
        ({"$contains": "x"}, 'contains "x"'),
        ({"$contains": {"$gt": 1}}, "contains an element that > 1"),
        ({"$one_of": ["a", 2]}, 'is "a" or is 2'),
        ({"$between": [1, 2]}, "is between 1 and 2"),
        ({"$approx": 1.5}, "is about 1.5"),
        ({"$len": {"$ge": 3}}, "has a length that >= 3"),
        ({"$datetime": NOON}, f"is the instant {NOON}"),
        ({"$schema": True}, "is valid under its schema"),
        ({"$exact": {"a": 1}}, "has only a (is 1)"),
        ({"$exact": {}}, "is an empty object"),
        ({"$not": 1}, "not (is 1)"),
        ({"$all": [1, 2]}, "(is 1) and (is 2)"),
        ({"$or": [1, 2]}, "(is 1) or (is 2)"),
        ({"$gt": 10**5000}, "> a certain int"),
    ],
)
def test_a_matcher_describes_itself(data, sentence):
    assert sentence == parse(data).describe()


def test_in_python_a_matcher_may_be_one_of_the_choices() -> None:
    matcher = parse({"$one_of": [Regex("^a"), 1]})
    assert [matcher.match(value) for value in ("ab", 1, "b")] == [Answer.YES, Answer.YES, Answer.NO]
