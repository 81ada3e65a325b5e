"""Kinds of a caller's own, with what narrows them."""

from __future__ import annotations

import pytest

from toolscore_otel.errors import ConfigError
from toolscore_otel.secrets import Scanner
from toolscore_otel.secrets.patterns import FIRST_GROUP, Exempt, OwnPattern, entropy


def kinds(text: str, **more: object) -> list[str]:
    own = OwnPattern("acme", more.pop("regex", r"acme-(\w{6})"), **more)  # type: ignore[arg-type]
    return [text[hit.start : hit.end] for hit in Scanner(patterns=[own]).scan_text(text)]


def test_a_group_is_the_secret():
    assert kinds("x acme-a1b2c3", group=1) == ["a1b2c3"]
    assert kinds("x acme-a1b2c3") == ["acme-a1b2c3"]


def test_a_text_without_any_keyword_is_not_looked_at():
    assert kinds("acme-a1b2c3", keywords=("ACME",)) == ["acme-a1b2c3"]
    assert kinds("acme-a1b2c3", keywords=("other",)) == []


def test_too_little_entropy_is_no_secret():
    assert kinds("acme-aaaaab", group=1, entropy=2.0) == []
    assert kinds("acme-a1b2c3", group=1, entropy=2.0) == ["a1b2c3"]
    assert entropy("aabb") == 1.0


@pytest.mark.parametrize(
    ("exempt", "found"),
    [
        (Exempt(stopwords=("b2c",)), False),
        (Exempt(stopwords=("zzz",)), True),
        (Exempt(regexes=("^a1",)), False),
        (Exempt(regexes=("^acme",)), True),
        (Exempt(regexes=("^acme",), target="match"), False),
        (Exempt(regexes=("nosec$",), target="line"), False),
        (Exempt(regexes=("below",), target="line"), True),
        (Exempt(regexes=("^a1",), stopwords=("zzz",), all_of=True), True),
        (Exempt(regexes=("^a1",), stopwords=("b2c",), all_of=True), False),
        (Exempt(), True),
    ],
)
def test_what_is_exempt_is_none(exempt, found):
    text = "above\nx acme-a1b2c3 nosec\nbelow"
    assert bool(kinds(text, group=1, exempt=(exempt,))) is found


def test_the_first_group_that_holds_anything_is_the_secret():
    regex = r"acme-(?:a=(\w*)/)?(?:b=(\w+))?"
    assert kinds("x acme-a=/b=12", regex=regex, group=FIRST_GROUP) == ["12"]
    assert kinds("x acme-", regex=regex, group=FIRST_GROUP) == ["acme-"]


def test_a_line_is_asked_once_however_many_matches_it_has():
    exempt = Exempt(regexes=("nosec",), target="line")
    text = "acme-a1b2c3 acme-d4e5f6 nosec\nacme-a1b2c4 acme-d4e5f7\nacme-x\ny nosec"
    assert kinds(text, group=1, exempt=(exempt,)) == ["a1b2c4", "d4e5f7"]
    assert kinds(text, regex=r"acme-(x\ny)", group=1, exempt=(exempt,)) == []
    assert kinds("acme-a1b2c3\n", regex=r"(acme-\w{6}\n)", group=1, exempt=(exempt,)) == [
        "acme-a1b2c3\n"
    ]


def test_a_group_that_is_not_there_is_refused():
    with pytest.raises(ConfigError, match="`acme` has no group 2"):
        Scanner(patterns=[OwnPattern("acme", "(x)", group=2)])


def test_an_expression_of_an_exemption_has_to_compile():
    with pytest.raises(ConfigError, match="`acme` is no RE2 expression"):
        Scanner(patterns=[OwnPattern("acme", "x", exempt=(Exempt(regexes=("(",)),))])
