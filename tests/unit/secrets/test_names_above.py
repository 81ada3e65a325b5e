"""A name that tells, above a list or an inner key."""

from __future__ import annotations

import json

import pytest

from toolscore_otel.secrets import Scanner
from toolscore_otel.secrets.samples import make_sample

SCANNERS = [Scanner(engine="hyperscan"), Scanner(engine="re2")]
WORD = make_sample("password_assignment", 1).partition("=")[2]
KEY = make_sample("secret_assignment", 1).partition("=")[2]


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"passwords": [WORD]}, "passwords.0"),
        ({"passwords": ["none", WORD]}, "passwords.1"),
        ({"passwords": {"bob": WORD}}, "passwords.bob"),
        ({"passwords": [{"value": WORD}]}, "passwords.0.value"),
        ({"password": {"value": WORD}}, "password.value"),
        ({"password": {"stringValue": WORD}}, "password.stringValue"),
        ({"password": {"length": 16, "current": WORD}}, "password.current"),
        ({"api_keys": [KEY]}, "api_keys.0"),
        ({"api_keys": {"billing": KEY}}, "api_keys.billing"),
        ({"api_keys": {"prod": {"value": KEY}}}, "api_keys.prod.value"),
        ({"credentials": {"prod": KEY}}, "credentials.prod"),
        ({"tokens": [KEY]}, "tokens.0"),
        ([{"op": "add", "path": "/db/password", "value": WORD}], "0.value"),
    ],
)
def test_what_stands_under_a_telling_name_further_up_is_found(value, path):
    text = json.dumps(value)
    for scanner in SCANNERS:
        assert [path] == [hit.path for hit in scanner.scan_json(value)]
        assert [path] == [hit.path for hit in scanner.scan_text(text)]
        assert [f"a.{path}"] == [hit.path for hit in scanner.scan_json({"a": text})]


@pytest.mark.parametrize(
    "value",
    [
        {"password": {"type": "string", "description": WORD, "pattern": "^[A-Z]+[0-9]{3}$"}},
        {"properties": {"passwords": {"type": "array", "description": WORD}}},
        {"credentials": {"username": WORD, "region": "eu-west-1a"}},
        {"api_keys": [{"key_name": KEY, "created": "2026-01-02T03:04:05Z"}]},
        {"api_keys": {"key_id": KEY}},
        {"password_policy": {"value": "strict-v2-17"}},
        {"max_tokens": ["a1B2c3D4e5F6g7H8i9J0"]},
        {"page_tokens": [KEY]},
    ],
)
def test_a_schema_or_a_description_of_one_tells_nothing(value):
    for scanner in SCANNERS:
        assert scanner.scan_json(value) == ()
        assert scanner.scan_text(json.dumps(value)) == ()


@pytest.mark.parametrize(
    "mask", ["(hidden)", "<hidden>", "[masked]", "(not shown)", "*hidden*", "__MASKED__"]
)
def test_a_word_that_stands_for_what_is_not_shown_is_none(mask):
    for scanner in SCANNERS:
        assert scanner.scan_text(json.dumps({"password": mask, "passwords": [mask]})) == ()
