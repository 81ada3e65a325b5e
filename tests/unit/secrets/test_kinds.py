from __future__ import annotations

from collections import Counter
from re import _parser  # type: ignore[attr-defined]  # no public way to a pattern's width

import pytest

from toolscore_otel.errors import ConfigError
from toolscore_otel.secrets import KINDS, Scanner
from toolscore_otel.secrets.kinds import TABLE
from toolscore_otel.secrets.naming import REACH as NAMED_REACH
from toolscore_otel.secrets.samples import make_sample

SCANNERS = [Scanner(engine="hyperscan"), Scanner(engine="re2")]


@pytest.mark.parametrize("kind", KINDS)
def test_a_sample_of_a_kind_is_found_as_that_kind_and_nothing_else(kind):
    for seed in range(10):
        assert [kind] == [hit.kind for hit in SCANNERS[0].scan_text(make_sample(kind, seed))]


@pytest.mark.parametrize("kind", KINDS)
def test_both_engines_find_the_same(kind):
    for seed in range(10):
        text = f"a {make_sample(kind, seed)}, b"
        assert SCANNERS[0].scan_text(text) == SCANNERS[1].scan_text(text)


@pytest.mark.parametrize("kind", KINDS)
def test_a_secret_between_asian_punctuation_is_found(kind):
    assert [kind] == [hit.kind for hit in SCANNERS[0].scan_text(f"「{make_sample(kind, 1)}」")]


@pytest.mark.parametrize("kind", sorted({row.name for row in TABLE if row.prefix}))
def test_the_beginning_of_a_secret_counts_where_the_text_was_cut(kind):
    sample = make_sample(kind, 1)
    text = "x " + sample[: len(sample) * 3 // 4]
    hits = SCANNERS[0].scan_text(text, cut=True)
    assert [(kind, len(text))] == [(hit.kind, hit.end) for hit in hits]


def _width(expression: str) -> int:
    return int(_parser.parse(expression).getwidth()[1])


def test_a_whole_form_begins_within_reach_of_its_detection_form():
    assert [row.name for row in TABLE if not row.words and _width(row.detect) > row.reach] == []


def test_a_secret_stands_within_reach_of_the_name_it_is_known_by():
    for row in (row for row in TABLE if row.words):
        least = row.reach - NAMED_REACH
        assert 0 < least <= 64, row.name
        assert _width(row.pattern.partition("(?P<secret>")[0]) <= NAMED_REACH, row.name


def test_only_a_kind_with_more_than_one_way_to_it_stands_more_than_once():
    assert {
        *(
            "aws_secret_access_key",
            "cli_password_flag",
            "cli_secret_flag",
            "curl_user",
            "login_call",
            "wif_private_key",
        ),
        *("password_assignment", "secret_assignment", "session_cookie", "spoken_password"),
        *("spoken_secret", "sql_password", "url_credentials", "url_parameter"),
    } == {name for name, rows in Counter(row.name for row in TABLE).items() if rows > 1}


def test_the_same_seed_gives_the_same_sample_and_another_seed_another():
    assert make_sample("jwt", 1) == make_sample("jwt", 1) != make_sample("jwt", 2)


def test_a_sample_of_an_unknown_kind_is_refused():
    with pytest.raises(ConfigError, match="unknown kind of secret `nope`"):
        make_sample("nope", 1)
