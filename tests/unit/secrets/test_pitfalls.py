"""Where secrets hide, and what looks like one."""

from __future__ import annotations

import json
from itertools import product

import pytest

from toolscore_otel.secrets import Scanner, redact_text
from toolscore_otel.secrets.samples import make_sample

SCANNERS = [Scanner(engine="hyperscan"), Scanner(engine="re2")]
TOKEN = make_sample("github_token_classic", 1)
UUID = "5f0c2d1e-7a3b-4c4d-9e8f" + "-1a2b3c4d5e6f"
AWS = make_sample("aws_access_key_id", 1)
WORD = make_sample("password_assignment", 1).partition("=")[2]
KEY = make_sample("secret_assignment", 1).partition("=")[2]
PEM = make_sample("private_key_pem", 1)
HOOK = make_sample("slack_webhook", 1)
BOT = make_sample("telegram_bot_token", 1)

HIDING = {
    "behind an escaped line feed": (json.dumps({"a": "x\n" + AWS}), AWS),
    "behind an escaped tab": (json.dumps({"a": "x\t" + AWS}), AWS),
    "in JSON in JSON in JSON": (
        json.dumps({"a": json.dumps({"b": json.dumps({"c": "l\n" + TOKEN})})}),
        TOKEN,
    ),
    "in a doubly quoted text": (json.dumps({"a": json.dumps(json.dumps(TOKEN))}), TOKEN),
    "under its key": (json.dumps({"password": WORD}), WORD),
    "under its key in JSON in JSON": (
        json.dumps({"a": json.dumps({"db": {"password": WORD}})}),
        WORD,
    ),
    "as a value beside a name": (
        json.dumps({"env": [{"name": "DB_PASSWORD", "value": WORD}]}),
        WORD,
    ),
    "behind a flag in a list": (json.dumps(["mysql", "--password", WORD]), WORD),
    "behind a flag in one item": (json.dumps(["mysql", "--password=" + WORD]), WORD),
    "in a row of a table": (f"a,{TOKEN},b", TOKEN),
    "at the end of a sentence": (f"It is {TOKEN}.", TOKEN),
    "in a URL": (f"https://x.example.net/?t={TOKEN}&a=1", TOKEN),
    "in XML": (f"<t>{TOKEN}</t>", TOKEN),
    "behind a quoted equals sign": (f"token%3D{TOKEN}%26x", TOKEN),
    "with escaped slashes": (json.dumps({"u": HOOK}).replace("/", "\\/"), HOOK.replace("/", "\\/")),
    "between escaped ASCII": (
        json.dumps({"q": f"a=1&password={WORD}"}).replace("=", "\\u003d"),
        WORD,
    ),
    "in an element": (f"<password>{WORD}</password>", WORD),
    "in YAML": (f"password: {WORD}\n", WORD),
    "in Kotlin": (f'val apiKey: String = "{KEY}"', KEY),
    "in Go": (f'apiKey := "{KEY}"', KEY),
    "in PHP": (f"'password' => '{WORD}'", WORD),
    "in a subscript": (f'os.environ["API_TOKEN"] = "{KEY}"', KEY),
    "in a header": (f"X-Api-Key: {KEY}", KEY),
    "in a connection string": (f"jdbc:sqlserver://h;user=a;password={WORD};", WORD),
    "in the text of a dict": (str({"password": WORD}), WORD),
    "in JSON that was cut": (json.dumps({"x": "\n" + TOKEN, "y": 1})[:-1], TOKEN),
    "in a Telegram URL": (f"https://api.telegram.org/bot{BOT}/getMe", BOT),
    "URL-quoted": (BOT.replace(":", "%3A"), BOT.replace(":", "%3A")),
    "as a key with escaped line ends": (
        "KEY=" + PEM.replace("\n", "\\n"),
        PEM.replace("\n", "\\n"),
    ),
    "as a key cut before its end": (PEM[:200], PEM[:200]),
}

LOOKALIKES = [
    "password: required",
    '{"password": "string"}',
    '{"password": "********"}',
    'type="password" name="x1"',
    "password=$DB_PASS",
    "PASSWORD=changeme",
    "password = getpass.getpass1()",
    "max_tokens: 1000000000000000",
    "token = tokens[i2345678901234567]",
    '{"api_key": "YOUR_API_KEY_123456789"}',
    '{"token": "${TOKEN_VALUE_1234567}"}',
    '{"secret": "op://vault/item/field1234"}',
    "postgres://user:password@localhost/db",
    '{"next_page_token": "a1b2c3d4e5f6a7b8c9d0"}',
    '{"secret_name": "prod/db/main-1234567"}',
    '{"api_key_id": "a1b2c3d4e5f6a7b8c9d0"}',
    "apiKey: process.env.API_KEY_2",
    '{"token": "call_a1b2c3d4e5f6a7b8c9d0"}',
    '{"password": {"type": "string", "minLength": 8}}',
    '{"required": ["username", "password", "email_1"]}',
    "sk-proj-…xY9z",
    "PWD=/srv/user1/x",
    "Authorization: Bearer {token12345678901234}",
    "method=password token_type=bearer",
    "the password token_type=bearer9",
    '{"token": "5f0c2d1e-7a3b-4c4d-9e8f-1a2b3c4d5e6f"}',
    '{"task_token": "5f0c2d1e-7a3b-4c4d-9e8f-1a2b3c4d5e6f"}',
    "PASSWORD: Final = -2146893773",
    "git checkout a75142a04c58caf1b9cec4e4c0283e549a49b5bc",
    '"integrity": "sha512-SMuNUOWTn3edSHoXo9aqOyu48aQw1lL/JXoXIrM361XcraUbqRHF5xBgF4ya2YdR0Yj2B0TjVTBl+1BIrA6oxw=="',
]


@pytest.mark.parametrize("where", HIDING)
def test_a_secret_is_found_where_it_hides(where):
    text, secret = HIDING[where]
    at = text.index(secret)
    assert [(at, at + len(secret))] == [(hit.start, hit.end) for hit in SCANNERS[0].scan_text(text)]


@pytest.mark.parametrize("where", HIDING)
def test_both_engines_find_it_there(where):
    text, _ = HIDING[where]
    assert SCANNERS[0].scan_text(text) == SCANNERS[1].scan_text(text)


@pytest.mark.parametrize("where", HIDING)
def test_nothing_but_the_secret_is_taken_out(where):
    text, secret = HIDING[where]
    before, after = text.split(secret)
    redacted = redact_text(text, SCANNERS[0])
    assert redacted.startswith(before + "[REDACTED:")
    assert redacted.endswith("]" + after)


@pytest.mark.parametrize("text", LOOKALIKES)
def test_a_look_alike_is_no_secret(text):
    assert [scanner.scan_text(text) for scanner in SCANNERS] == [(), ()]


def test_a_token_whose_sum_is_wrong_is_none_even_under_a_telling_name():
    assert SCANNERS[0].scan_json({"token": TOKEN[:-1] + ("1" if TOKEN[-1] != "1" else "2")}) == ()


FOUND = [
    "password: " + "75555241",
    "DB_PASSWORD=" + "689)jKk2yNagf#",
    "db:\n  password: " + "689)jKk2yNagf#" + "\n",
    "deploy --password " + "75450299",
    "deploy --token " + UUID,
    "deploy --api-key=" + UUID,
    "gh secret set ACME_TOKEN --body " + UUID,
    "ACME_TOKEN=" + UUID,
    json.dumps({"password": UUID}),
    json.dumps({"password": "Jssh" + "FBZecwkM"}),
    "DEEPGRAM_KEY=" + "4a2cdeb17c8c588256085dd9" + "1b5ba6358e7c4734",
    "ngrok config add-authtoken " + "2QzqGQrT3CiwdTkHYsNhCQEF3zZ" + "_wE4yctZkmv3HUY4E9Km3f",
]


@pytest.mark.parametrize("text", FOUND)
def test_what_only_its_place_tells_is_found_by_both_engines(text):
    one, other = (scanner.scan_text(text) for scanner in SCANNERS)
    assert len(one) == 1
    assert one == other


def test_a_wallet_key_that_is_none_may_still_be_a_token():
    text = (
        "deploy --azure-devops-pat=" + "csi4yisyx6tob5qozwbankbsk" + "pmvruc4jq5obxutz6yyx2vn4iae"
    )
    assert [hit.kind for hit in SCANNERS[0].scan_text(text)] == ["secret_assignment"]


def test_all_secrets_of_one_kind_are_found():
    text = " ".join(make_sample("aws_access_key_id", seed) for seed in range(5))
    assert len(SCANNERS[0].scan_text(text)) == 5


def test_a_marker_inside_a_longer_run_is_no_token():
    assert SCANNERS[0].scan_text(f"Qz{AWS}") == ()
    assert SCANNERS[0].scan_text(f"{AWS}QQ") == ()


PIECES = (
    "1",
    "-sha-1",
    "_a1",
    "a.",
    "1.",
    ":1",
    "-20",
    "A",
    "0f",
    "-",
    "/",
    "$",
    "=",
    "%41",
    "é",
    ",",
    "*",
    "{",
    "\\\\",
    " one",
)


@pytest.mark.parametrize("begin", ["", "md5", "argon2id", "x86", "v1", "a.b"])
@pytest.mark.parametrize("name", ['password="', '{"api_key": "', "--password ", "https://u:"])
def test_a_value_of_anything_again_and_again_is_looked_at_once(name, begin):
    # What stands behind the kinds has patterns of its own. Exponential time would not end here: no need to measure it.
    for one, other in product(PIECES, repeat=2):
        SCANNERS[0].scan_text(f'{name}{begin}{((one + other) * 90)[:180]}!"')
