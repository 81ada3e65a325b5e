from __future__ import annotations

import json

import pytest

from toolscore_otel.secrets import Fingerprints, Scanner, redact_json, redact_text
from toolscore_otel.secrets.redaction import _ROUNDS
from toolscore_otel.secrets.samples import make_sample

SCANNER = Scanner()
TOKEN = make_sample("github_token_classic", 1)
OTHER = make_sample("github_token_classic", 2)
PEM = make_sample("private_key_pem", 1)
PLAIN_KEY = "a8f3k29dk3" + "l20dk3jf83hd73"


def test_a_clean_value_comes_back_as_it_is():
    value = {"a": [1, "x"]}
    assert redact_json(value, SCANNER) is value


def test_values_and_keys_are_redacted():
    mark = "[REDACTED:github_token_classic]"
    assert {mark: {"a": f"x {mark}"}} == redact_json({TOKEN: {"a": f"x {TOKEN}"}}, SCANNER)


def test_keys_that_become_the_same_are_numbered():
    mark = "[REDACTED:github_token_classic]"
    assert {mark: 1, f"{mark} 2": 2} == redact_json({TOKEN: 1, OTHER: 2}, SCANNER)


def test_other_values_survive_redaction():
    value = {"a": TOKEN, "b": [1, 2.5, None, True, "é\ud800"], "c": 2**70}
    redacted = redact_json(value, SCANNER)
    assert {**value, "a": "[REDACTED:github_token_classic]"} == redacted


def test_a_key_goes_from_begin_to_end():
    assert redact_text(f"a {PEM} b", SCANNER) == "a [REDACTED:private_key_pem] b"


def test_a_key_that_was_cut_goes_to_the_end():
    assert redact_text(f"a {PEM[:150]}", SCANNER) == "a [REDACTED:private_key_pem]"


def test_of_a_url_only_the_password_goes():
    word = make_sample("password_assignment", 1).partition("=")[2]
    redacted = redact_text(f"postgresql://app:{word}@db.example.net/orders", SCANNER)
    assert redacted == "postgresql://app:[REDACTED:url_credentials]@db.example.net/orders"


def test_json_keeps_its_layout():
    text = '{ "a" :\t"' + TOKEN + '" , "b": 1.50 }'
    assert redact_text(text, SCANNER) == '{ "a" :\t"[REDACTED:github_token_classic]" , "b": 1.50 }'


def test_json_in_json_stays_json():
    text = json.dumps({"a": json.dumps({"b": f'"\n{TOKEN}"'})})
    assert (
        json.loads(json.loads(redact_text(text, SCANNER))["a"])["b"]
        == '"\n[REDACTED:github_token_classic]"'
    )


def test_a_cut_beginning_goes_too():
    assert (
        redact_text(f"see {TOKEN[:20]}", SCANNER, cut=True) == "see [REDACTED:github_token_classic]"
    )


def test_own_marks_are_no_findings():
    for text in (
        '{"password": "[REDACTED:password_assignment]"}',
        "https://app:[REDACTED:url_credentials]@db.example.net",
        "[REDACTED:slack_token] = a1b2c3d4e5f6a7b8c9d0",
        '{"[REDACTED:slack_token]": "a1b2c3d4e5f6a7b8c9d0", "x_token": "[REDACTED:jwt]"}',
    ):
        assert SCANNER.scan_text(text) == ()


def test_secrets_in_a_row_go_together_where_each_mark_would_bring_one_more_to_light():
    row = "k1" * 9
    scanner = Scanner(patterns=[("tail", r"k\d\b")])
    texts = [row, f"a {row}", f"é\n{row};b c", f"\u0001{row}", f"a\\{row}", f"{row} {row}"]
    mark = "[REDACTED:tail]"
    assert json.loads(redact_text(json.dumps(texts), scanner)) == [
        *(mark + mark * _ROUNDS, f"a {mark}{mark * _ROUNDS}", f"é\n{mark}{mark * _ROUNDS};b c"),
        *(f"\u0001{mark}{mark * _ROUNDS}", f"a\\k{mark}{mark * _ROUNDS}"),
        f"{mark}{mark * _ROUNDS} {mark}{mark * _ROUNDS}",
    ]


@pytest.mark.parametrize("beside", [float("nan"), float("inf"), "\ud83d", "é\udc00"])
@pytest.mark.parametrize("fingerprints", [None, Fingerprints(b"k")])
def test_what_only_a_name_tells_goes_whatever_no_strict_reader_takes_stands_beside(
    beside, fingerprints
):
    value = {"api_key": {"value": PLAIN_KEY}, "b": [beside, json.dumps({"api_key": PLAIN_KEY, "c": beside})]}  # fmt: skip
    redacted = redact_json(value, SCANNER, fingerprints=fingerprints)
    assert PLAIN_KEY not in repr(redacted)
    assert SCANNER.scan_json(redacted) == ()
    assert repr(redacted["b"][0]) == repr(beside)


def test_each_mark_has_a_fingerprint_also_where_a_secret_comes_to_light_beside_another_mark():
    scanner = Scanner(patterns=[("tail", r"k\d\b")])
    hashed = redact_text("k1" * 9, scanner, fingerprints=Fingerprints(b"k"))
    assert hashed == f"[REDACTED:tail.{Fingerprints(b'k').of('k1')}]" * (_ROUNDS + 1)
