"""Secrets that stand percent-encoded or in base64."""

from __future__ import annotations

import json
from base64 import b64encode
from urllib.parse import quote

import pytest

from toolscore_otel.secrets import Fingerprints, Scanner, Sealer, redact_text
from toolscore_otel.secrets.encodings import (
    base64_texts,
    openings,
    without_colours,
    without_percent,
    without_plus,
)
from toolscore_otel.secrets.samples import make_sample

SCANNERS = [Scanner(engine="hyperscan"), Scanner(engine="re2")]
TOKEN = make_sample("github_token_classic", 1)
WORD = make_sample("password_assignment", 1).partition("=")[2]


def in_base64(text: str) -> str:
    return b64encode(text.encode()).decode()


@pytest.mark.parametrize("scanner", SCANNERS)
@pytest.mark.parametrize("before", ["", "a", "ab", "abc "])
def test_a_secret_in_base64_is_all_of_the_base64(scanner, before):
    encoded = in_base64(before + " " + TOKEN)
    text = json.dumps({"data": encoded})
    (hit,) = scanner.scan_text(text)
    assert (hit.kind, text[hit.start : hit.end]) == ("github_token_classic", encoded)


@pytest.mark.parametrize("scanner", SCANNERS)
def test_json_in_base64_is_gone_into(scanner):
    (hit,) = scanner.scan_json({"d": in_base64(json.dumps({"password": WORD}))})
    assert (hit.kind, hit.path) == ("password_assignment", "d")


def test_base64_in_base64_is_not_gone_into():
    assert SCANNERS[0].scan_text(in_base64(in_base64("xx " + TOKEN))) == ()


def test_base64_of_bytes_is_passed_over():
    assert list(base64_texts(b64encode(bytes(range(256))).decode())) == []
    assert list(base64_texts("A" * 21)) == []


def test_the_lines_of_a_block_are_one_run():
    encoded = in_base64("x" * 60)
    text = f"key:\n  {encoded[:64]}\n  {encoded[64:]}\nend"
    ((start, end, told),) = base64_texts(text)
    assert (told, text[:start], text[end:]) == ("x" * 60, "key:\n  ", "\nend")


KINDS_WITH_SHORT_BEGINNINGS = [
    *("fireworks_api_key", "replicate_token", "resend_key", "sendgrid_key", "dropbox_token"),
    *("deepseek_like_key", "elevenlabs_api_key", "firecrawl_key", "telegram_bot_token"),
    *("azure_search_key", "azure_storage_or_cosmos_key", "nuget_key", "airtable_pat"),
    *("facebook_token", "salesforce_session", "launchdarkly_key", "azure_ad_client_secret"),
]


@pytest.mark.parametrize("scanner", SCANNERS)
@pytest.mark.parametrize("kind", KINDS_WITH_SHORT_BEGINNINGS)
def test_a_secret_whose_beginning_is_short_is_found_wherever_the_base64_begins(scanner, kind):
    for before in ("", "ci:", "bot: ", '{"k": "'):
        encoded = in_base64(before + make_sample(kind, 1))
        (hit,) = scanner.scan_json({"data": encoded})
        assert (hit.start, hit.end) == (0, len(encoded))


@pytest.mark.parametrize("scanner", SCANNERS)
def test_where_words_say_that_there_is_base64_it_is_read(scanner):
    kind = "twilio_api_key_sid"
    encoded = in_base64(make_sample(kind, 1))
    assert scanner.scan_text(f"data {encoded}") == ()
    for text in (f"echo {encoded} | base64 -d", f"kind: Secret\ndata:\n  sid: {encoded}\n"):
        assert [kind] == [hit.kind for hit in scanner.scan_text(text)]


def test_a_known_secret_is_not_found_again_in_base64():
    text = "password=" + in_base64("my password=" + WORD)
    assert [hit.kind for hit in SCANNERS[0].scan_text(text)] == ["password_assignment"]


@pytest.mark.parametrize("scanner", SCANNERS)
def test_a_password_in_a_quoted_form_is_found_at_its_place(scanner):
    text = "https://a.example.net/?next=" + quote(f"user=a&password={WORD}&go=1", safe="")
    (hit,) = scanner.scan_text(text)
    assert text[hit.start : hit.end] == WORD
    assert redact_text(text, scanner) == text.replace(WORD, "[REDACTED:password_assignment]")


def test_a_secret_is_taken_out_with_its_quoted_rest():
    secret = make_sample("azure_connection_string", 2).rpartition("AccountKey=")[2]
    text = "Authorization: Bearer " + quote("a1B2c3D4e5F6g7H8i9J0k/" + secret, safe="")
    (hit,) = SCANNERS[0].scan_text(text)
    assert hit.end == len(text)


def test_two_secrets_of_which_quoting_hides_where_they_part_stay_two():
    text = f"{TOKEN}%3A{make_sample('github_token_classic', 2)}"
    assert len(SCANNERS[0].scan_text(text)) == 2


def test_a_sealed_mark_beside_a_quoted_text_stays_what_it_is():
    names = Fingerprints(b"k" * 16)
    sealed = Sealer([], names).text(f"{TOKEN} a%3Db")
    assert [hit.kind for hit in SCANNERS[0].scan_text(sealed, fingerprints=names)] == [
        "github_token_classic"
    ]


def test_offsets_in_a_plain_text_have_a_place_in_the_quoted_one():
    plain, place = without_percent("a%3Db%20c%zz")
    assert plain == "a=b c%zz"
    assert [place(at, at + 1) for at in range(5)] == [(0, 1), (1, 4), (4, 5), (5, 8), (8, 9)]


def test_offsets_in_a_text_without_colours_lie_inside_of_them():
    plain, place = without_colours("\x1b[32mab\x1b[0mc")
    assert plain == "abc"
    assert [place(0, 2), place(2, 3), place(0, 3)] == [(5, 7), (11, 12), (5, 12)]


def test_plus_is_a_blank_in_values_of_a_form_alone():
    assert [without_plus(text)[0] for text in ("a+b=c+d&e=f+g h+i", "a+b", "x a+b")] == [
        "a b=c d&e=f g h+i",
        "a b",
        "x a+b",
    ]


def test_the_beginnings_of_secrets_are_told_one_by_one():
    assert sorted(openings(r"x(?:a|b)?-[cd]\.\d")) == [
        "x-c.",
        "x-d.",
        "xa-c.",
        "xa-d.",
        "xb-c.",
        "xb-d.",
    ]
