"""What findings name a call by."""

from __future__ import annotations

from collections import Counter

import pytest

from toolscore_otel.assembly.keys import MOST_SHARED, Keys
from toolscore_otel.model import ToolCall


@pytest.fixture
def keys():
    return Keys(Counter())


def call(call_id: str | None, start_ns: int | None = 0) -> ToolCall:
    return ToolCall(tool="search", call_id=call_id, start_ns=start_ns)


def test_a_call_is_named_by_its_call_id_else_by_its_span(keys):
    assert keys.put("span1", call("x")) == []
    assert keys.put("span2", call(None)) == []
    assert [keys.of("span1"), keys.of("span2")] == ["x", "span2"]


def test_calls_that_share_an_id_are_numbered_by_start(keys):
    keys.put("late", call("x", 3))
    assert keys.put("early", call("x", 1)) == ["early", "late"]
    assert keys.put("middle", call("x", 2)) == ["middle", "late"]
    assert [keys.of(head) for head in ("early", "middle", "late")] == ["x#1", "x#2", "x#3"]


def test_equal_starts_are_numbered_by_span_and_unknown_ones_last(keys):
    for head, start in (("c", None), ("b", 1), ("a", 1)):
        keys.put(head, call("x", start))
    assert [keys.of(head) for head in "abc"] == ["x#1", "x#2", "x#3"]


def test_a_call_that_has_not_changed_touches_no_other(keys):
    keys.put("a", call("x", 1))
    keys.put("b", call("x", 2))
    assert keys.put("b", call("x", 2)) == ["b"]


def test_a_start_that_becomes_known_moves_the_number(keys):
    keys.put("a", call("x", 2))
    keys.put("b", call("x", None))
    assert set(keys.put("b", call("x", 1))) == {"a", "b"}
    assert [keys.of("a"), keys.of("b")] == ["x#2", "x#1"]


def test_an_id_that_becomes_known_names_the_call(keys):
    keys.put("a", call(None))
    keys.put("a", call("x"))
    assert keys.of("a") == "x"


def test_a_call_that_is_gone_leaves_its_number_to_the_next(keys):
    for number, head in enumerate("abc"):
        keys.put(head, call("x", number))
    assert keys.drop("a") == ["b", "c"]
    assert [keys.of("b"), keys.of("c")] == ["x#1", "x#2"]
    assert keys.drop("c") == ["b"]
    assert keys.of("b") == "x"
    assert keys.drop("b") == []
    assert keys.drop("b") == []


def test_an_id_that_looks_like_a_shared_one_is_numbered_itself(keys):
    changed = [
        keys.put(head, call(call_id, number))
        for number, (head, call_id) in enumerate((("a", "x#1"), ("b", "x"), ("c", "x")))
    ]
    assert changed == [["a"], [], ["b", "c"]]
    assert [keys.of(head) for head in "abc"] == ["x#1#1", "x#1", "x#2"]


def test_an_id_shared_by_too_many_calls_names_none_of_them():
    counters: Counter[str] = Counter()
    keys = Keys(counters)
    heads = [f"span{number:03}" for number in range(MOST_SHARED + 2)]
    for number, head in enumerate(heads[:MOST_SHARED]):
        keys.put(head, call("x", number))
    assert keys.of(heads[-3]) == f"x#{MOST_SHARED}"
    assert keys.put(heads[MOST_SHARED], call("x", MOST_SHARED)) == heads[:-1]
    assert keys.put(heads[-1], call("x", MOST_SHARED + 1)) == heads[-1:]
    assert [keys.of(head) for head in heads] == heads
    assert counters == {"shared_id": 1}
    assert keys.drop(heads[0]) == []
    assert keys.drop(heads[1]) == heads[2:]
    assert keys.of(heads[2]) == "x#1"
