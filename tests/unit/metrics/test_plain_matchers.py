"""Matchers for hand-written expectations."""

from __future__ import annotations

import re
from math import inf, nan

import pytest

from toolscore_otel.matchers import (
    ABSENT,
    HIDDEN,
    UNKNOWN,
    Answer,
    Gt,
    MatcherError,
    OneOf as OneOfMatchers,
)
from toolscore_otel.metrics import ANY, Approx, Contains, IsType, OneOf, Regex


@pytest.mark.parametrize(
    ("matcher", "value", "expected"),
    [
        (ANY, None, True),
        (Regex(r"NYC|JFK"), "NYC", True),
        (Regex(r"NYC"), "NYC ", False),
        (Regex("a.b"), "a\nb", False),
        (Regex("a.b", re.DOTALL), "a\nb", True),
        (Regex("nyc", re.IGNORECASE), "NYC", True),
        (Regex("1"), 1, False),
        (Approx(9.99, abs=0.01), 10.0, True),
        (Approx(9.99), 10.0, False),
        (Approx(0), 1e-12, False),
        (Approx(1), True, False),
        (Approx(1), "1", False),
        (Approx(1), nan, False),
        (Approx(inf), 5, False),
        (Approx(inf), inf, True),
        (Approx(1), 10**400, False),
        (Approx(10**400), 10**400 + 1, True),
        (Approx(1, rel=inf), 10**400, True),
        (Contains("urgent"), ["urgent", "billing"], True),
        (Contains("urgent"), "not urgent", True),
        (Contains("k"), {"k": 1}, True),
        (Contains("k"), {"j": "k"}, False),
        (Contains(Gt(3)), (1, 4), True),
        (Contains(Regex("k")), {"k": 1}, False),
        (Contains(Regex("k")), frozenset({"k"}), False),
        (Contains(Regex("k")), "k", False),
        (Contains("k"), frozenset({"k"}), True),
        (Approx(value=True), 1.0, True),
        (Approx(value=True), True, False),
        (Approx(value=False), 0, True),
        (Contains(1), "1", False),
        (Contains(1), 1, False),
        (Contains(1), [True], False),
        (OneOf("C", "F", Regex("kelvin")), "kelvin", True),
        (OneOf(1), True, False),
        (OneOf(), None, False),
        (IsType(int), 3, True),
        (IsType(int), True, False),
        (IsType(bool), True, True),
        (IsType(str, int), 1.5, False),
        (IsType(), 1, False),
    ],
)
def test_a_matcher_is_asked_by_equality(matcher, value, expected):
    assert (matcher == value) is expected
    assert matcher.match(value) is (Answer.YES if expected else Answer.NO)


def test_matchers_work_inside_values_and_inside_those_of_contracts():
    assert {"a": [Regex("x+"), ANY]} == {"a": ["xx", 1]}
    assert OneOfMatchers(Approx(2)).match(2.0000001) is Answer.YES
    assert len({ANY, ANY}) == 1


def test_what_was_not_observed_is_open():
    assert Regex("a").match(UNKNOWN) is Answer.UNKNOWN
    assert Regex("a").match("[REDACTED]") is Answer.UNKNOWN
    assert ANY.match(UNKNOWN) is Answer.UNKNOWN
    assert ANY.match(HIDDEN) is Answer.YES
    assert ANY.match(ABSENT) is Answer.NO


@pytest.mark.parametrize(
    ("matcher", "written"),
    [
        (ANY, "ANY"),
        (Regex("a+"), "Regex('a+')"),
        (Regex("a", re.IGNORECASE), "Regex('a', flags=re.IGNORECASE)"),
        (Approx(9.99), "Approx(9.99)"),
        (Approx(1, rel=0.5, abs=2), "Approx(1, rel=0.5, abs=2)"),
        (Contains("x"), "Contains('x')"),
        (OneOf("C", Regex("k")), "OneOf('C', Regex('k'))"),
        (IsType(int, str), "IsType(int, str)"),
    ],
)
def test_a_matcher_is_printed_as_it_is_written(matcher, written):
    assert repr(matcher) == written
    assert matcher.describe() == f"is {written}"


@pytest.mark.parametrize(
    ("build", "given"),
    [
        (Regex, ("(",)),
        (Regex, (r"(a)\1",)),
        (Regex, ("a", re.LOCALE)),
        (Approx, ("1",)),
        (Approx, (1, -1)),
        (Approx, (1, 0, nan)),
    ],
)
def test_what_makes_no_sense_is_refused(build, given):
    with pytest.raises(MatcherError):
        build(*given)
