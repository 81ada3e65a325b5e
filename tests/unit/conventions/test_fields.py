import pytest

from toolscore_otel.conventions import fields


def test_text_is_the_first_that_is_not_empty():
    attributes = {"a": "", "b": 3, "c": "<not specified>", "d": "yes"}
    assert fields.first_text(attributes, tuple("abcd")) == "yes"
    assert [fields.text(attributes, name) for name in "abcde"] == [None, None, None, "yes", None]


def test_no_text_is_none():
    assert fields.first_text({"a": ["x"]}, ("a", "b")) is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [(7, 7), (7.0, 7), ("8", 8), (0, 0)],
)
def test_whole_numbers_count_also_as_text(value, expected):
    assert fields.count({"n": value}, ["n"]) == expected


@pytest.mark.parametrize(
    "value",
    [True, -1, 7.5, float("nan"), float("inf"), "7.0", "-7", "\u0667", "9" * 40, [7], None, 10**15],
)
def test_everything_else_is_no_count(value):
    assert fields.count({"n": value}, ["n"]) is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.5, 0.5),
        (2, 2.0),
        ("0.00012495USD", 0.00012495),
        ("3 USD", 3.0),
        ("0.25", 0.25),
        ("9.5e-05", 0.000095),
    ],
)
def test_amounts_are_read_as_numbers_or_dollars(value, expected):
    assert fields.usd({"cost": value}, ["cost"]) == expected


@pytest.mark.parametrize(
    "value",
    [
        0,
        0.0,
        -1,
        True,
        float("nan"),
        float("inf"),
        1e300,
        10**400,
        "0.0USD",
        "-0.5",
        "1,5",
        "0.5EUR",
        {},
    ],
)
def test_zero_and_nonsense_are_no_amounts(value):
    assert fields.usd({"cost": value}, ["cost"]) is None


def test_an_unusable_value_does_not_hide_the_next_name():
    assert fields.count({"new": "x", "old": 4}, ["new", "old"]) == 4
    assert fields.usd({"new": 0, "old": 4}, ["new", "old"]) == 4.0
