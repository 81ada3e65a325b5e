from typing import Any

import pytest

from toolscore_otel.wire.fields import MAX_DEPTH, Unreadable
from toolscore_otel.wire.json_values import attributes, value_or_none


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ({"stringValue": "x"}, "x"),
        ({"stringValue": ""}, ""),
        ({"boolValue": False}, False),
        ({"intValue": "101"}, 101),
        ({"intValue": 101}, 101),
        ({"doubleValue": 0.5}, 0.5),
        ({"doubleValue": "Infinity"}, float("inf")),
        ({"bytesValue": "AP8="}, "AP8="),
        ({"arrayValue": {}}, []),
        ({"arrayValue": {"values": [{"intValue": "1"}, {}, {"stringValue": "a"}]}}, [1, None, "a"]),
        ({"kvlistValue": {}}, {}),
        ({"kvlistValue": {"values": [{"key": "note"}, {"key": "n", "value": {}}]}}, {"note": None, "n": None}),
        ({}, None),
        (None, None),
        ({"stringValue": None}, None),
        ({"valueOfTomorrow": 1}, None),
    ],
)  # fmt: skip
def test_a_value_becomes_what_it_is_in_json(written, value, stats):
    read = value_or_none(written, stats)
    assert (type(read), read) == (type(value), value)
    assert stats.unreadable_values == 0


@pytest.mark.parametrize(
    "written",
    [
        "bare",
        7,
        [],
        {"stringValue": 1},
        {"boolValue": "true"},
        {"intValue": "many"},
        {"intValue": True},
        {"doubleValue": "much"},
        {"bytesValue": 1},
        {"arrayValue": []},
        {"arrayValue": {"values": {}}},
        {"kvlistValue": {"values": [1]}},
        {"kvlistValue": {"values": [{"key": 1}]}},
    ],
)
def test_a_value_of_another_type_than_its_name_says_is_none_and_counted(written, stats):
    assert value_or_none(written, stats) is None
    assert stats.unreadable_values == 1


def nested(kind: str, levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {"stringValue": "core"}
    for _ in range(levels):
        entry = value if kind == "arrayValue" else {"key": "k", "value": value}
        value = {kind: {"values": [entry]}}
    return value


@pytest.mark.parametrize("kind", ["arrayValue", "kvlistValue"])
def test_nesting_ends_at_its_limit(kind, stats):
    read = value_or_none(nested(kind, MAX_DEPTH), stats)
    for _ in range(MAX_DEPTH):
        read = read[0 if kind == "arrayValue" else "k"]
    assert read == "core"
    assert stats.unreadable_values == 0
    assert value_or_none(nested(kind, MAX_DEPTH + 1), stats) is None
    assert stats.unreadable_values == 1


def test_a_later_attribute_of_the_same_name_wins(stats):
    pairs = [{"key": "a", "value": {"stringValue": "old"}}, {"key": "a", "value": {"intValue": 2}}]
    assert attributes(pairs, stats) == {"a": 2}


def test_an_attribute_without_a_value_or_a_key_is_kept(stats):
    assert attributes([{"key": "a"}, {"value": {"stringValue": "x"}}], stats) == {
        "a": None,
        "": "x",
    }


def test_a_bad_value_costs_only_itself(stats):
    pairs = [{"key": "a", "value": {"intValue": "x"}}, {"key": "b", "value": {"boolValue": True}}]
    assert attributes(pairs, stats) == {"a": None, "b": True}
    assert stats.unreadable_values == 1


@pytest.mark.parametrize(
    "pairs", ["text", {}, [1], [None], [{"key": 1, "value": {"stringValue": "x"}}]]
)
def test_what_is_no_list_of_pairs_is_unreadable(pairs, stats):
    with pytest.raises(Unreadable):
        attributes(pairs, stats)
