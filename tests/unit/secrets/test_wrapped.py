"""Secrets of every kind behind what programs put right before them: colours, hyphens, percent escapes, quotes."""

from __future__ import annotations

import json
import re
from urllib.parse import quote_plus

import pytest

from toolscore_otel.secrets import KINDS, Scanner
from toolscore_otel.secrets.samples import make_sample

SCANNERS = [Scanner(engine="hyperscan"), Scanner(engine="re2")]
COLOURS = (
    *("\x1b[32m", "\x1b[0m", "\x1b[1;31m", "\x1b[K", "\x1b[38;2;100;200;255m"),
    *("\\x1b[32m", "\\033[32m", "\\u001b[33m"),
)


def _is_found(text: str, kind: str) -> bool:
    first, second = (scanner.scan_text(text) for scanner in SCANNERS)
    return first == second and kind in {hit.kind for hit in first}


@pytest.mark.parametrize("kind", KINDS)
def test_a_secret_between_colours_of_a_terminal_is_found(kind):
    sample = make_sample(kind, 3)
    texts = [f"{colour}{sample}\x1b[0m" for colour in COLOURS]
    assert [text for text in texts if not _is_found(text, kind)] == []
    assert [text for text in texts if not _is_found(json.dumps({"out": text}), kind)] == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_secret_in_a_line_of_a_difference_is_found(kind):
    sample = make_sample(kind, 3)
    texts = [f"-{sample}", f" a\n-{sample}\n+b\n"]
    found = [[scanner.scan_text(text) for text in texts] for scanner in SCANNERS]
    assert all(found[0])
    assert found[0] == found[1]


@pytest.mark.parametrize("kind", KINDS)
def test_a_secret_in_quotes_is_found(kind):
    sample = make_sample(kind, 3)
    assert _is_found(f"echo '{sample}' > x", kind)


def _escaped(sample: str, chars: str) -> str:
    return re.sub(chars, lambda char: f"%{ord(char[0]):02X}", sample)


@pytest.mark.parametrize("kind", sorted({*KINDS} - {"spoken_password", "spoken_secret"}))
def test_a_secret_with_every_sign_percent_encoded_is_found(kind):
    """But not in a sentence: blanks alone are no sign that anything is hidden."""
    sample = make_sample(kind, 3)
    text = "https://x.example/?a=" + _escaped(sample, "[^A-Za-z0-9]")
    assert [hit.kind for hit in SCANNERS[0].scan_text(text)] != []
    assert SCANNERS[0].scan_text(text) == SCANNERS[1].scan_text(text)


@pytest.mark.parametrize("kind", KINDS)
def test_a_secret_in_a_form_with_plus_for_blanks_is_found(kind):
    sample = quote_plus(make_sample(kind, 3))
    for text in (f"a=1&t={sample}&b=2", f"https://x.example/?a={sample}", sample):
        hits = [scanner.scan_text(text) for scanner in SCANNERS]
        assert hits[0] != ()
        assert hits[0] == hits[1]


@pytest.mark.parametrize(
    "text", ["q=flights+to+rome&page=2", "q=the+password+is+required", "q=c%2B%2B+token+ring", "token=a+b"]
)  # fmt: skip
def test_a_form_without_a_secret_has_none(text):
    assert [scanner.scan_text(text) for scanner in SCANNERS] == [(), ()]


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_secret_is_found_behind_percent_encoding_of_percent_encoding(depth):
    word = make_sample("password_assignment", 3).partition("=")[2]
    text = f"password={word}"
    for _ in range(depth):
        text = _escaped(text, "[^A-Za-z0-9]")
    for scanner in SCANNERS:
        assert [word] == [text[hit.start : hit.end] for hit in scanner.scan_text(text)]


@pytest.mark.parametrize("end", [end for end in COLOURS if "K" not in end])
def test_a_password_under_a_coloured_name_is_found(end):
    word = make_sample("password_assignment", 3).partition("=")[2]
    texts = [
        f"\x1b[32mpassword{end}: {word}",
        f"\x1b[34mDB_PASSWORD{end}=\x1b[33m{word}\x1b[0m",
        f"\x1b[32mpassword:{end} {word}\n",
        f'\x1b[34m"password"{end}: \x1b[32m"{word}"\x1b[0m',
    ]
    for text in texts:
        for one in (text, json.dumps({"out": text})):
            hits = [scanner.scan_text(one) for scanner in SCANNERS]
            assert hits[0] == hits[1]
            assert [word] == [one[hit.start : hit.end] for hit in hits[0]]


@pytest.mark.parametrize("char", "_-.~")
def test_a_token_of_an_own_kind_with_one_sign_percent_encoded_is_found(char):
    scanner = Scanner(patterns=[("own", f"own{re.escape(char)}[a-z]{{8}}")])
    text = f"https://x.example/?a=own{_escaped(char, '.')}abcdefgh"
    assert [("own", 21, len(text))] == [
        (hit.kind, hit.start, hit.end) for hit in scanner.scan_text(text)
    ]


def test_a_password_in_colours_is_found_without_them():
    word = make_sample("password_assignment", 3).partition("=")[2]
    text = f"password: \x1b[33m{word}\x1b[0m\n"
    found = [SCANNERS[0].scan_text(text), SCANNERS[1].scan_text(text)]
    assert found[0] == found[1]
    assert [word] == [text[hit.start : hit.end] for hit in found[0]]


@pytest.mark.parametrize(
    "text",
    [
        "{'password': b'WORD'}",
        "openssl enc -aes-256-cbc -k WORD -in a",
        "ssh-keygen -t ed25519 -N 'WORD' -f id",
        "useradd -m -p WORD bob",
        'disposition: form-data; name="password"\r\n\r\nWORD\r\n--b--',
        'a:1:{s:8:"password";s:16:"WORD";}',
        '{"密码": "WORD"}',
        '{"пароль": "WORD"}',
        '{"パスワード": "WORD"}',
        '{"contraseña": "WORD"}',
        '{"mot_de_passe": "WORD"}',
        '{"Passwort": "WORD"}',
        "contraseña = WORD",
        "密码：WORD",  # noqa: RUF001 - in another language
    ],
)
def test_a_password_is_found_under_names_and_in_forms_of_many_kinds(text):
    word = make_sample("password_assignment", 3).partition("=")[2]
    text = text.replace("WORD", word)
    written = [text, json.dumps({"a": text})]
    if text.startswith('{"'):
        written.append(json.dumps(json.loads(text)))
    for one in written:
        hits = [scanner.scan_text(one) for scanner in SCANNERS]
        assert hits[0] == hits[1]
        assert [word] == [one[hit.start : hit.end] for hit in hits[0]]
