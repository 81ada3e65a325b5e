"""Dates and times in other spellings."""

from __future__ import annotations

import pytest

from toolscore_otel.matchers import ABSENT, UNKNOWN, Answer, CutText
from toolscore_otel.metrics.dates import SameMoment, moment


def is_same(one: str, other: str) -> bool:
    first, second = moment(one), moment(other)
    return first is not None and second is not None and first.is_same(second)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2025-01-31", "20250131"),
        ("2025-01-31", "2025/01/31"),
        ("2025-01-31", " 2025.1.31 "),
        ("2025-01-31", "31 Jan 2025"),
        ("2025-01-31", "31-JAN-2025"),
        ("2025-01-31", "January 31st, 2025"),
        ("2025-09-01", "Sept. 1 2025"),
        ("2025-01-31", "2025-01-31T00:00:00Z"),
        ("2025-01-31", "2025-01-31T00:00:00+02:00"),
        ("2025-01-31", "2025-01-31 00:00"),
        ("2025-01-31T09:00:00Z", "2025-01-31T10:00:00+01:00"),
        ("2025-01-31T09:00:00Z", "2025-01-31T09:00:00+00:00"),
        ("2025-01-31T09:00:00Z", "20250131T090000-0000"),
        ("2025-01-31T09:00:00Z", "2025/01/31 09:00 UTC"),
        ("2025-01-31T09:00:00.5Z", "2025-01-31t11:00:00,500+02"),
        ("2025-01-31T09:00", "2025-01-31 09:00:00.000"),
        ("2025-01-31", "31/01/2025"),
        ("2025-01-31", "1/31/2025"),
        ("2025-01-31", "31.1.2025"),
        ("2025-05-05", "05/05/2025"),
        ("2025-01-31T21:30", "31/01/2025 9:30 PM"),
        ("2025-01-31T00:30", "Jan 31, 2025, 12:30 a.m."),
        ("2025-01-31T12:30:05", "2025-01-31 12:30:05PM"),
        ("2025-01-31T09:30:00Z", "2025-01-31 9:30 AM UTC"),
    ],
)
def test_spellings_of_one_day_or_time_are_the_same(one, other):
    assert is_same(one, other)
    assert is_same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2025-01-31", "2025-02-01"),
        ("2025-01-31", "2025-01-31T09:00:00Z"),
        ("2025-01-31T09:00", "2025-01-31T09:00:00Z"),
        ("2025-01-31T09:00:00Z", "2025-01-31T09:00:00+01:00"),
        ("2025-01-31T09:00:00Z", "2025-01-31T09:00:01Z"),
    ],
)
def test_days_and_times_that_differ_are_not(one, other):
    assert moment(one) is not None
    assert moment(other) is not None
    assert not is_same(one, other)
    assert not is_same(other, one)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "01/02/2025",
            "31/13/2025",
            "32/32/2025",
            "31/01-2025",
            "2025-01-31 13:30 PM",
            "1-2-2025",
            "25-01-02",
            "2025",
            "2025-01-31 0:30 AM",
            "2025-01-31 930",
            "2025-01",
            "2025-01/31",
        ),
        *("2025-02-30", "2025-31-01", "2025-01-31T25:00", "2025-01-31T09:00+99:00", "Foo 1 2025"),
        *("1738281600", "tomorrow", "", "\u0662\u0660\u0662\u0665-01-31", "2025-01-31 or so"),
    ],
)
def test_what_could_be_read_in_two_ways_or_in_none_is_no_date(text):
    assert moment(text) is None


def test_a_date_is_held_against_a_value():
    named = moment("2025-01-31")
    assert named is not None
    day = SameMoment("2025-01-31", named)
    assert day.describe() == "is the time 2025-01-31"
    assert day.match("20250131") is Answer.YES
    assert day.match(20250131) is Answer.NO
    assert day.match("soon") is Answer.NO
    assert day.match(ABSENT) is Answer.NO
    assert day.match(UNKNOWN) is Answer.UNKNOWN
    assert day.match(CutText("2025")) is Answer.UNKNOWN
