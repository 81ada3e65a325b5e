"""Patterns mean what they mean to `re`, for every text, and no text makes them run away."""

from __future__ import annotations

import re
import warnings

import pytest
from hypothesis import given, settings, strategies as st

from toolscore_otel.matchers import MatcherError
from toolscore_otel.metrics.python_pattern import PythonPattern

ATOMS = st.sampled_from(
    [
        *("a", "b", "é", "ß", "K", ".", "^", "$", " ", r"\n", r"\w", r"\D", r"\s", r"\b", r"\B"),
        *(r"\A", r"\Z", "[^a]", "[a-c]", r"[\w-]", "(?!a)", "(?=b)", "(?<=a)", "(?<!é)", "(?i:k)"),
    ]
)
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("(?:{0[0]}|{0[1]})".format),
        st.tuples(st.sampled_from(["(", "(?=", "(?!", "(?-i:"]), inner).map("{0[0]}{0[1]})".format),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "*?", "{2}", "{1,2}", "{,2}"])).map(
            "(?:{0[0]}){0[1]}".format
        ),
    ),
    max_leaves=8,
)
TEXTS = st.text(alphabet="abc é1\nkK\u212aß\u017f_-٣\x1c\v\ud800", max_size=8)
FLAGS = st.sampled_from([0, re.IGNORECASE, re.MULTILINE, re.DOTALL, re.ASCII, re.VERBOSE])


@settings(max_examples=300)
@given(PATTERNS, FLAGS, TEXTS)
def test_a_pattern_means_what_it_means_to_re(source, flags, text):
    theirs, ours = re.compile(source, flags), PythonPattern(source, flags)
    assert ours.is_in(text) is (theirs.search(text) is not None)
    assert ours.is_all_of(text) is (theirs.fullmatch(text) is not None)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"\w+", "café"),
        (r"\d+", "٣٤"),
        (r"\s", "\N{NO-BREAK SPACE}"),
        (r"\s", "\v"),
        (r"\b", "é"),
        (r"[\w-]+", "日本-語"),
        ("(?i)STRASSE|ÉCOLE", "école"),
        ("^(?!.*--safe).*rm", "rm x"),
        ("(?<=/)etc", "/etc"),
        ("a{,2}", "aa"),
        ("a$", "a\n"),
        ("(?x) r m # both", "rm"),
        ("x{1001}", "x" * 1001),
        ("[[:a]b", ":b"),
        (r"\u00e9", "é"),
        ("", ""),
    ],
)
def test_what_re_finds_is_found(source, text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert re.search(source, text)
    assert PythonPattern(source).is_in(text)


def test_looking_around_holds_things_apart():
    allowed = PythonPattern(r"^(?!prod\b).*")
    assert allowed.is_in("prodigy")
    assert not allowed.is_in("prod é")
    assert not PythonPattern(r"(?<!\w)rm\b").is_in("éarm")


def test_what_only_re2_takes_means_what_it_does_there():
    assert PythonPattern(r"\p{L}+").is_all_of("日本")
    assert not PythonPattern(r"\p{L}").is_in("\ud800")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("(a+)+$", "a" * 5000 + "!"),
        ("(?=(a+)+$)x", "a" * 5000 + "!"),
        (r"(\w*)*\w*\w*$é", "é" * 3000 + "!"),
        ("(?!x)(((a?){1000}){1000}){1000}b", "a" * 1000),
        ("(?!x)(a{1,1000}b?){1,1000}z", "a" * 3000),
    ],
)
def test_no_text_makes_a_pattern_run_away(source, text):
    assert not PythonPattern(source).is_in(text)


@pytest.mark.parametrize(
    ("source", "flags", "reason"),
    [
        ("(", 0, "`(` is no regular expression: missing )"),
        ("(" * 5000, 0, "is no regular expression"),
        ("a", re.LOCALE, "is no regular expression"),
        (r"(a)\1", 0, r"`(a)\1` has a back-reference: that cannot be answered in bounded time"),
        ("(a)(?(1)b|c)", 0, "has a condition"),
        ("(?>a)", 0, "has an atomic group"),
        ("a++", 0, "has a possessive repeat"),
        ("(" * 60 + "a" + ")" * 60, 0, "is nested more than 50 deep"),
    ],
)
def test_what_cannot_be_answered_is_refused(source, flags, reason):
    with pytest.raises(MatcherError, match=re.escape(reason)):
        PythonPattern(source, flags)
