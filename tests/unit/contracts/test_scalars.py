"""The core schema of YAML 1.2, and nothing beyond it."""

import pytest
from hypothesis import given, strategies as st

from toolscore_otel.contracts.scalars import ScalarError, resolve


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (None, ""),
        (None, "~"),
        (None, "null"),
        (None, "NULL"),
        (True, "true"),
        (True, "TRUE"),
        (False, "False"),
        (1, "1"),
        (-3, "-3"),
        (3, "+3"),
        (17, "017"),
        (15, "0o17"),
        (31, "0x1F"),
        (1.5, "1.5"),
        (1.0, "1."),
        (0.5, ".5"),
        (1000.0, "1e3"),
        (0.01, "+1.e-2"),
    ],
)
def test_a_word_of_the_core_schema_is_its_value(expected, text):
    assert (type(expected), expected) == (type(resolve(text)), resolve(text))


@pytest.mark.parametrize(
    "text",
    [
        "no",
        "yes",
        "on",
        "Off",
        "n",
        "tRuE",
        "1_000",
        "12:30",
        "2026-01-01",
        "0b1",
        "1.2.3",
        "--1",
        "e3",
        ".",
        "-",
        "0x",
        "٣",
        "nULL",
        "<<",
        "=",
    ],
)
def test_everything_else_is_text(text):
    assert text == resolve(text)


@pytest.mark.parametrize("text", [".inf", "-.INF", "+.Inf", ".nan", ".NaN", "1e999", "9" * 5000])
def test_a_number_that_json_cannot_hold_is_an_error(text):
    with pytest.raises(ScalarError, match=r"number|digits"):
        resolve(text)


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_is_read_as_python_writes_it(number):
    assert number == resolve(repr(number))


@given(st.text())
def test_no_text_brings_it_down(text):
    try:
        value = resolve(text)
    except ScalarError:
        return
    assert value is None or isinstance(value, bool | int | float | str)
