from math import inf, nan

import pytest

from toolscore_otel.matchers import canonical, digest


@pytest.mark.parametrize(
    ("expected", "value"),
    [
        (b"null", None),
        (b'{"a":[1,true],"b":null}', {"b": None, "a": [1.0, True]}),
        (b'{"a":1.5,"b":"x y"}', {"b": "x y", "a": 1.5}),
        (b"[0,0,1e-07]", [0, -0.0, 1e-7]),
        (b"100000000000000000000", 1e20),
        (b"[nan,inf,-inf]", [nan, inf, -inf]),
        (b'"\\ud800"', "\ud800"),
        (b"[1,[],{}]", (1, [], {})),
        (b'{"1":2}', {1: 2.0}),
    ],
)
def test_a_value_has_one_spelling(expected, value):
    assert expected == canonical(value)


def test_floats_and_integers_of_one_value_are_one():
    assert canonical({"a": 1, "b": [2.0, "é 1.5e3 null"]}) == canonical(
        {"b": [2, "é 1.5e3 null"], "a": 1.0}
    )
    assert canonical(2**70) == canonical(float(2**70))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (1, "1"),
        (None, nan),
        (2**53 + 1, float(2**53)),
        ([1, 2], [12]),
        ({"a": "b"}, ["a", "b"]),
        ("\ud800", "\\ud800"),
        ([10**5000], [10**5000 + 1]),
        ({"a": []}, {"a": {}}),
    ],
)
def test_different_values_differ(one, other):
    assert canonical(one) != canonical(other)
    assert digest(one) != digest(other)


def test_a_digest_is_16_bytes_and_stays_what_it_is():
    assert digest({"a": 1}).hex() == "2c6b113b8dd15ffbded9860b43eb0c6c"
    assert digest({"a": 1, "b": 2}) == digest({"b": 2.0, "a": 1.0})
    assert len(digest(None)) == 16


def test_any_depth_has_a_spelling():
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert canonical(deep) == b"[" * 100_001 + b"]" * 100_001


def test_what_is_no_json_value_still_has_a_spelling():
    assert canonical({"a": object}) == canonical({"a": object})
