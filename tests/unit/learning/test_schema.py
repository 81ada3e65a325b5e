from typing import Any

import jsonschema_rs
from hypothesis import given, strategies as st

from toolscore_otel.learning.schema import ENOUGH, MAX_DEPTH, schema_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc1", max_size=2), inner),
    max_leaves=12,
)


def say_all(_name: str) -> bool:
    return True


def schema(*values: Any) -> dict[str, Any]:
    return schema_of(values, say_all)


def test_types_are_those_that_were_seen() -> None:
    assert schema({"a": "x", "b": None, "c": True}) == {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "null"}, "c": {"type": "boolean"}},
    }
    assert schema("x", None) == {"type": ["null", "string"]}


def test_an_integer_is_one_only_after_enough_values() -> None:
    assert schema(*[1] * (ENOUGH - 1)) == {"type": "number"}
    assert schema(*[1] * ENOUGH) == {"type": "integer"}
    assert schema(*[1] * ENOUGH, 1.5) == {"type": "number"}


def test_what_was_always_there_often_enough_is_required() -> None:
    often = [{"a": "x", "b": "y"}] * (ENOUGH - 1) + [{"a": "x"}]
    assert schema(*often)["required"] == ["a"]
    assert "required" not in schema(*often[1:])


def test_what_was_there_seldom_is_not_mentioned() -> None:
    seen = schema(*[{"a": "x"}] * ENOUGH, {"a": "x", "seldom": "y"})
    assert list(seen["properties"]) == ["a"]


def test_objects_and_arrays_are_gone_into() -> None:
    assert schema({"items": [{"sku": "K-7"}, {"sku": "K-8"}], "none": []}) == {
        "type": "object",
        "properties": {
            "items": {
                "type": "array",
                "items": {"type": "object", "properties": {"sku": {"type": "string"}}},
            },
            "none": {"type": "array"},
        },
    }


def test_keys_that_are_data_are_not_repeated() -> None:
    assert schema({"2026-01-01": 3, "a": 4}) == {"type": "object"}
    assert schema({"kim@example.com": 3}) == {"type": "object"}


def test_a_key_that_may_not_be_said_is_left_out() -> None:
    assert schema_of([{"open": 1, "closed": 2}], lambda name: name == "open") == {
        "type": "object",
        "properties": {"open": {"type": "number"}},
    }
    assert schema_of([{"closed": 2}], lambda _name: False) == {"type": "object"}


def test_a_value_that_hides_another_leaves_the_type_open() -> None:
    assert schema({"a": "[REDACTED]"}) == {"type": "object", "properties": {"a": {}}}
    assert schema(["__REDACTED__", 3]) == {"type": "array"}


def test_what_lies_very_deep_is_not_gone_into() -> None:
    value: Any = "x"
    for _ in range(MAX_DEPTH + 3):
        value = [value]
    found, depth = schema(value), 0
    while "items" in found:
        found, depth = found["items"], depth + 1
    assert (found, depth) == ({"type": "array"}, MAX_DEPTH)


@given(st.lists(JSON, min_size=1, max_size=8))
def test_all_values_satisfy_their_schema(values: list[Any]) -> None:
    validator = jsonschema_rs.Draft202012Validator(schema_of(values, say_all))
    assert [value for value in values if not validator.is_valid(value)] == []
