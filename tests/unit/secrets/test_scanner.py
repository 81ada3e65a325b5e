from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from toolscore_otel.errors import ConfigError, MissingExtraError
from toolscore_otel.secrets import KINDS, Fingerprints, Scanner, SecretHit
from toolscore_otel.secrets.detection import engine_here
from toolscore_otel.secrets.samples import make_sample

SCANNER = Scanner()
TOKEN = make_sample("github_token_classic", 1)
AWS = make_sample("aws_access_key_id", 1)
WORD = make_sample("password_assignment", 1).partition("=")[2]


def test_a_hit_in_a_value_tells_where_it_is():
    value = {"env": [{"token": f"é {TOKEN}"}]}
    assert SCANNER.scan_json(value) == (
        SecretHit("github_token_classic", "env.0.token", 2, 2 + len(TOKEN), "high"),
    )


@pytest.mark.parametrize(
    ("values", "clean"),
    [
        ([{"q": "open orders"}, None, ["x", 1]], True),
        ([{"q": "open orders"}, {"token": TOKEN}], False),
        ([{"q": "\ud800"}], True),
        ([{"q": "\ud800"}, TOKEN], False),
    ],
)
def test_one_look_at_several_values_tells_where_there_is_nothing(values, clean):
    assert SCANNER.may_find(values, sealed=True) is not clean


def test_with_patterns_of_its_own_one_look_does_not_tell():
    assert Scanner(patterns=[("ours", "open")]).may_find([{"q": "nothing"}])


def test_a_hit_in_a_text_counts_in_that_text():
    text = json.dumps({"ü": TOKEN}, ensure_ascii=False)
    (hit,) = SCANNER.scan_text(text)
    assert (hit.path, text[hit.start : hit.end]) == ("ü", TOKEN)


def test_a_bare_text_has_an_empty_path():
    assert [hit.path for hit in SCANNER.scan_text(TOKEN)] == [""]
    assert [hit.path for hit in SCANNER.scan_json(TOKEN)] == [""]


def test_a_key_that_is_a_secret_does_not_stand_in_a_path():
    hits = SCANNER.scan_json({"a": {TOKEN: {"b": AWS}}})
    assert [hit.path for hit in hits] == [
        "a.<key:github_token_classic>",
        "a.<key:github_token_classic>.b",
    ]


def test_offsets_in_json_in_a_string_count_in_that_string():
    inner = json.dumps({"b": f"x\n{TOKEN}"})
    (hit,) = SCANNER.scan_json({"a": inner})
    assert (hit.path, inner[hit.start : hit.end]) == ("a.b", TOKEN)


def test_a_password_is_of_medium_confidence():
    assert [hit.confidence for hit in SCANNER.scan_json({"password": WORD})] == ["medium"]


def test_clean_values_have_no_hits():
    assert SCANNER.scan_json({"query": "flights from Berlin", "adults": 2, "none": None}) == ()
    assert SCANNER.scan_text("flights from Berlin") == ()


@pytest.mark.parametrize("value", ["\ud800", 2**70, {"a": float("nan")}, {1: "x"}])
def test_values_that_are_hard_to_encode_are_scanned(value):
    assert len(SCANNER.scan_json([value, TOKEN])) == 1


def test_the_value_stands_in_no_repr():
    assert TOKEN not in repr(SCANNER.scan_json({TOKEN: TOKEN}))


def test_a_cut_beginning_counts_only_where_the_text_was_cut():
    text = f"see {TOKEN[:20]}"
    assert SCANNER.scan_text(text) == ()
    assert (SecretHit("github_token_classic", "", 4, 24, "low"),) == SCANNER.scan_text(
        text, cut=True
    )


def test_dots_that_mark_the_cut_are_no_part_of_the_secret():
    (hit,) = SCANNER.scan_text(f"see {TOKEN[:20]}...", cut=True)
    assert hit.end == 24


def test_a_whole_secret_at_the_end_of_a_cut_text_is_sure():
    assert [hit.confidence for hit in SCANNER.scan_text(TOKEN, cut=True)] == ["high"]


def test_a_masked_beginning_at_the_cut_is_none():
    assert SCANNER.scan_text("ghp_xxxxxxxxxx", cut=True) == ()


def test_only_asked_kinds_are_told():
    value = [TOKEN, AWS]
    assert [hit.kind for hit in Scanner(kinds=["aws_access_key_id"]).scan_json(value)] == [
        "aws_access_key_id"
    ]
    assert [hit.kind for hit in Scanner(not_kinds=["github_token_classic"]).scan_json(value)] == [
        "aws_access_key_id"
    ]


def test_a_kind_that_is_left_out_is_not_told_as_another():
    scanner = Scanner(not_kinds=["github_token_classic"])
    assert scanner.scan_json({"api_token": TOKEN}) == ()


def test_an_unknown_kind_is_refused_with_the_nearest_one():
    with pytest.raises(ConfigError, match="did you mean `github_token_classic`"):
        Scanner(kinds=["github_token_clasic"])
    with pytest.raises(ConfigError, match="see `KINDS`"):
        Scanner(not_kinds=["zzz"])


def test_own_patterns_are_kinds_too():
    scanner = Scanner(patterns=[("acme", r"^acme-\d{4}$")])
    assert [hit.kind for hit in scanner.scan_json({"id": "acme-1234"})] == ["acme"]
    assert scanner.scan_json({"id": "x acme-1234"}) == ()


def test_an_own_pattern_goes_before_the_table_and_may_name_its_secret():
    scanner = Scanner(patterns=[("acme", r"key=(?P<secret>[A-Z]{4}\w*)")])
    text = f"ü\ud800 api_key=key={AWS}"
    assert [("acme", text.index("AKIA"))] == [
        (hit.kind, hit.start) for hit in scanner.scan_text(text)
    ]


def test_an_own_pattern_that_matches_nothing_finds_nothing():
    assert Scanner(patterns=[("acme", "x*")]).scan_text("abc") == ()


@pytest.mark.parametrize(
    ("patterns", "message"),
    [
        ([("acme", "(")], "`acme` is no RE2 expression"),
        ([("acme", r"(?=x)")], "`acme` is no RE2 expression"),
        ([("a b", "x")], "names no secret pattern"),
        ([("jwt", "x")], "name of another kind"),
        ([("acme", "x"), ("acme", "y")], "name of another kind"),
    ],
)
def test_a_pattern_that_makes_no_sense_is_refused(patterns, message):
    with pytest.raises(ConfigError, match=message):
        Scanner(patterns=patterns)


def test_fingerprints_are_those_of_the_decoded_secret():
    names = Fingerprints(b"k" * 16)
    nested = json.dumps({"a": json.dumps({"b": TOKEN})})
    hits = (
        *SCANNER.scan_text(nested, fingerprints=names),
        *SCANNER.scan_json(TOKEN, fingerprints=names),
    )
    assert [names.of(TOKEN)] * 2 == [hit.fingerprint for hit in hits]


def test_threads_share_a_scanner():
    texts = [f"{make_sample('aws_access_key_id', seed)} {'x ' * 5000}" for seed in range(64)]
    with ThreadPoolExecutor(4) as pool:
        assert [len(hits) for hits in pool.map(SCANNER.scan_text, texts)] == [1] * 64


def test_without_hyperscan_the_other_engine_takes_over(monkeypatch):
    assert engine_here() == "hyperscan"
    monkeypatch.setitem(sys.modules, "hyperscan", None)
    assert engine_here() == "re2"
    assert [hit.kind for hit in Scanner().scan_text(TOKEN)] == ["github_token_classic"]
    with pytest.raises(MissingExtraError, match=r"toolscore-otel\[secrets\]"):
        Scanner(engine="hyperscan")


def test_json_deeper_than_three_levels_down_is_a_text():
    text = json.dumps("x\n" + AWS)
    for _ in range(3):
        text = json.dumps({"a": text})
    assert [hit.kind for hit in SCANNER.scan_text(text)] == ["aws_access_key_id"]
    assert len(KINDS) == len(set(KINDS))


def test_a_form_that_is_seen_again_inside_a_secret_is_no_second_one() -> None:
    """hyperscan reports every place where a detection form ends; one secret may hold several."""
    doubled = make_sample("slack_token", 1) * 2
    for engine in ("hyperscan", "re2"):
        assert len(Scanner(engine=engine).scan_text(doubled)) == 1


def test_an_escape_in_a_text_that_is_no_json_hides_nothing() -> None:
    text = rf"a\/b {TOKEN}"
    assert [text.index(TOKEN)] == [hit.start for hit in SCANNER.scan_text(text)]


def test_of_very_many_secrets_in_a_document_each_is_found() -> None:
    tokens = [make_sample(kind, 1) for kind in KINDS if not kind.endswith("_key_id")]
    text = json.dumps({"all": tokens, "escaped": [f"\n{token}\n" for token in tokens * 2]})
    hits = [Scanner(engine=engine).scan_text(text) for engine in ("hyperscan", "re2")]
    assert hits[0] == hits[1]
    assert len(hits[0]) >= 3 * len(tokens)
    assert hits[0] == tuple(sorted(hits[0], key=lambda hit: hit.start))
