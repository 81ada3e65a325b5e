"""Many matches in one text: they are those of RE2, with an end to how far ahead it looks."""

from __future__ import annotations

import re2
from hypothesis import given, strategies as st

from toolscore_otel.secrets import Scanner
from toolscore_otel.secrets.matches import ENOUGH, MOST_UNBOUNDED, matches
from toolscore_otel.secrets.patterns import OwnPattern

MANY = "x " * MOST_UNBOUNDED
FIXED = (r"x", r"x|yx?", r"\bx{1,3}\b", r"(?m)^x.{0,3}$", r"\Ax|y$", r"x*", r"(?:x|é){1,4}\b")


def spans(expression: str, text: str) -> list[tuple[int, int]]:
    found = matches(re2.compile(expression), text)
    return [(shift + match.start(), shift + match.end()) for shift, match in found]


def behind_many(expression: str, text: str) -> list[str]:
    """What is found of a text that stands behind so many other matches."""
    text = MANY + text
    found = spans(expression, text)
    return [text[start:end] for start, end in found if start >= len(MANY)]


@given(st.sampled_from(FIXED), st.text("xyé \n", max_size=40), st.integers(0, ENOUGH))
def test_they_are_those_of_re2(expression, text, gap):
    whole = MANY + " " * gap + text * (ENOUGH // 20) + "y"
    theirs = {match.span() for match in re2.compile(expression).finditer(whole)}
    assert set(spans(expression, whole)) == theirs


def test_a_match_that_goes_on_is_found_whole():
    long = "x" * 7 * ENOUGH
    assert behind_many("x+", f"{long} x {long}") == [long, "x", long]
    assert behind_many("x{900}(?:x|y)*", f"{long}y") == [long + "y"]


def test_behind_many_matches_a_long_one_is_told_by_its_beginning_or_not_at_all():
    far = "x" + "a" * 3 * ENOUGH + "y"
    assert spans("x[a-z]*y", far) == [(0, len(far))]
    assert behind_many("x[a-z]*y|x", far) == ["x"]
    assert behind_many("x[a-z]*y|x", far[-ENOUGH:]) == []
    assert behind_many("x[a-z]*y|x", "x" + far[-ENOUGH + 1 :]) == ["x" + far[-ENOUGH + 1 :]]


def test_a_kind_of_ones_own_has_its_places_right_behind_many():
    own = OwnPattern("badge", r"(?:x|badge-(\w{4}))", group=1)
    text = MANY * 20 + "badge-a1b2"
    assert [text[hit.start : hit.end] for hit in Scanner(patterns=[own]).scan_text(text)] == [
        "a1b2"
    ]


def test_kinds_that_take_turns_each_have_theirs():
    own = [OwnPattern("a", r"a\d"), OwnPattern("b", r"b\d"), OwnPattern("both", r"a\d b\d")]
    found = Scanner(patterns=own).scan_text("a1 b1 a2 b2")
    assert [hit.kind for hit in found] == ["a", "b", "a", "b"]
