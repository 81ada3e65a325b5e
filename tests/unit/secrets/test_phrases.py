"""Passwords of words and of digits under a name that leaves no doubt, and what stands under such names and is none."""

from __future__ import annotations

import json

import pytest

from toolscore_otel.secrets import Scanner
from toolscore_otel.secrets.checks import whole_password
from toolscore_otel.secrets.names import names_whole_password
from toolscore_otel.secrets.phrases import is_drawn_number, is_phrase

SCANNERS = [Scanner(engine="hyperscan"), Scanner(engine="re2")]
PHRASES = [
    "velvet harbor copper nine",
    "velvet harbor copper",
    "Velvet Harbor Copper Nine",
    "Velvet harbor copper nine",
    "VELVET HARBOR COPPER NINE",
    "velvet-harbor-copper-nine",
    "velvet harbor copper nine 42",
    "Harb0ur! blue",
    "tu7lip2x copper",
]
NO_PHRASES = [
    "Enter your password",
    "must be at least eight characters long",
    "Bitte neues Passwort eingeben",
    "votre mot de passe actuel",
    "la nueva clave del usuario",
    "see shared vault entry",
    "invalid login attempt",
    "Velvet Harbor Copper",
    "velvet-harbor-copper",
    "velvet Harbor copper nine",
    "velvet harbor, copper nine",
    "velvet harbor copper nine.",
    "min 8 chars",
    "stored as SHA256withRSA2x",
    "tu7lip2x copper?",
    "https://a1b2c3x.example.net copper",
    "one two",
    "tu7lip2x",
    "a1b c d e f g tu7lip2x",
]
NUMBERS = ["84920175", "731946", "5820317649", "90417362851"]
NO_NUMBERS = [
    "123456", "12345678", "87654321", "111111", "11223344", "121212", "123123123", "000000", "5000000", "20261130",
    "30112026", "1764525600", "1764525600000", "20261130101500", "४२०१७५", "1213",
]  # fmt: skip


@pytest.mark.parametrize("value", PHRASES)
def test_words_in_a_row_are_a_phrase(value):
    assert is_phrase(value)


@pytest.mark.parametrize("value", NO_PHRASES)
def test_a_sentence_a_label_and_a_name_are_no_phrase(value):
    assert not is_phrase(value)


@pytest.mark.parametrize("value", NUMBERS)
def test_digits_without_order_are_a_number_that_was_drawn(value):
    assert is_drawn_number(value)


@pytest.mark.parametrize("value", NO_NUMBERS)
def test_counts_dates_moments_and_sequences_are_none(value):
    assert not is_drawn_number(value)


@pytest.mark.parametrize("value", ["dummy velvet harbor copper", "${velvet} harb0ur2x", "12345678"])
def test_a_placeholder_a_reference_and_a_sequence_are_no_password(value):
    assert not whole_password(value)


def test_a_name_must_leave_no_doubt():
    names = ["password", "DB_PASSWORD", "pwd", "passphrase", "密码", "pass", "wrong_password", "password_hint"]  # fmt: skip
    assert [names_whole_password(name) for name in names] == [True] * 5 + [False] * 3


UNDER_NAMES = {
    "a key": lambda v: json.dumps({"password": v}),
    "a key inside": lambda v: json.dumps({"db": {"DB_PASSWORD": v}}),
    "JSON in JSON": lambda v: json.dumps({"body": json.dumps({"user": "a", "passphrase": v})}),
    "a list": lambda v: json.dumps({"passwords": ["x", v]}),
}
BETWEEN_QUOTES = {
    "TOML": lambda v: f'password = "{v}"',
    "YAML": lambda v: f"passphrase: '{v}'\n",
    "Python": lambda v: str({"password": v}),
}


@pytest.mark.parametrize("secret", [*PHRASES, *NUMBERS])
@pytest.mark.parametrize("where", UNDER_NAMES)
def test_such_a_password_is_found_under_its_name(where, secret):
    text = UNDER_NAMES[where](secret)
    for scanner in SCANNERS:
        assert [secret] == [text[hit.start : hit.end] for hit in scanner.scan_text(text)]


@pytest.mark.parametrize("secret", [PHRASES[0], PHRASES[5], NUMBERS[0]])
@pytest.mark.parametrize("where", BETWEEN_QUOTES)
def test_such_a_password_is_found_between_quotes(where, secret):
    text = BETWEEN_QUOTES[where](secret)
    for one in (text, json.dumps({"content": text})):
        for scanner in SCANNERS:
            assert [secret] == [one[hit.start : hit.end] for hit in scanner.scan_text(one)]


@pytest.mark.parametrize(
    "text", ["DB_PASSWORD=84920175\n", "Server=a;Pwd=84920175;", "?password=84920175&x=1"]
)
def test_digits_right_behind_an_equals_sign_are_one(text):
    for scanner in SCANNERS:
        assert [text[hit.start : hit.end] for hit in scanner.scan_text(text)] == ["84920175"]


@pytest.mark.parametrize(
    "text",
    [
        *(json.dumps({"password": value}) for value in [*NO_PHRASES[:7], *NO_NUMBERS]),
        json.dumps({"properties": {"password": {"type": "string", "description": "the words of it"}}}),
        json.dumps({"strings": {"password": "Kennwort festlegen und merken"}}),
        json.dumps({"errors": {"password": "is too short (minimum is 8 characters)"}}),
        json.dumps({"wrong_password": "84920175", "pass": "84920175", "password": 84920175}),
        json.dumps({"pin": "849201", "otp": "739164", "cvv": "739", "password_id": "84920175"}),
        "STATUS_WRONG_PASSWORD = 3221225578",
        "password: 84920175 attempts",
        "password=84920175ms",
        "password: 84920175, of 8",
    ],
)  # fmt: skip
def test_what_describes_counts_or_numbers_is_no_password(text):
    assert [scanner.scan_text(text) for scanner in SCANNERS] == [(), ()]
