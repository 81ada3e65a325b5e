from __future__ import annotations

from base64 import b64encode

import pytest

from toolscore_otel.secrets import lookalikes
from toolscore_otel.secrets.samples import make_sample

RANDOM = make_sample("secret_assignment", 3).partition("=")[2]

LOOKALIKES = {
    "is_placeholder": [
        "YOUR_API_KEY_12",
        "x" * 20,
        "abcdefgh1",
        "ab" * 20,
        "AKIA" + "****" + "ABCD",
        "k3y…9",
        "0" * 9,
    ],
    "is_reference": [
        "${TOKEN}",
        "$TOKEN",
        "{{ token }}",
        "<token>",
        "os.environ",
        "op://vault/item",
        "%TOKEN%",
        "f(x)",
    ],
    "is_path": ["/srv/me/key", "./key.pem", "~/key", "https://example.net/x", "C:\\keys"],
    "is_id": ["call_a1b2c3", "toolu_01a", "pk_live_51", "cus_a1", "pk.eyJ1"],
    "is_uuid": ["5f0c2d1e-7a3b-4c4d-9e8f-1a2b3c4d5e6f"],
    "is_digest": ["sha256:" + "ab" * 32, "sha512-Zm9v", "h1:abc="],
    "is_identifier": ["settings.api_token", "newPassword"],
    "is_name": ["prod-database-secret-2", "kv/data/billing", "utf8.Codec", "Ed25519PrivateKey"],
    "is_cursor": [b64encode(b'{"offset": 2997, "k": "created"}').decode()],
}


@pytest.mark.parametrize(
    ("question", "value"),
    [(question, value) for question, values in LOOKALIKES.items() for value in values],
)
def test_a_look_alike_is_known(question, value):
    assert getattr(lookalikes, question)(value)


@pytest.mark.parametrize("question", LOOKALIKES)
def test_random_characters_are_no_look_alike(question):
    assert not getattr(lookalikes, question)(RANDOM)


def test_what_is_no_base64_is_no_cursor():
    assert not lookalikes.is_cursor("eyJ!")


def test_a_published_specimen_is_a_placeholder():
    assert lookalikes.is_placeholder("sk_test_" + "4eC39HqLyjWD" + "arjtT1zdp7dc")


def test_letters_in_random_case_are_no_words():
    assert lookalikes.is_scrambled("aBcDeFgHiJ")
    assert not lookalikes.is_scrambled("newUserPassword")
