from __future__ import annotations

import pytest

from toolscore_otel.errors import ConfigError
from toolscore_otel.secrets import Fingerprints


def test_one_key_gives_one_secret_one_fingerprint():
    assert Fingerprints(b"k" * 16).of("value") == Fingerprints(b"k" * 16).of("value")


def test_another_key_or_another_secret_gives_another_fingerprint():
    told = {
        Fingerprints(b"k" * 16).of("value"),
        Fingerprints(b"K" * 16).of("value"),
        Fingerprints(b"k" * 16).of("other"),
    }
    assert len(told) == 3


def test_a_fingerprint_is_sixteen_hex_digits():
    assert len(bytes.fromhex(Fingerprints(b"k").of("value"))) == 8


def test_keys_longer_than_the_hash_takes_differ_to_their_last_byte():
    assert Fingerprints(b"k" * 100 + b"1").of("v") != Fingerprints(b"k" * 100 + b"2").of("v")


def test_a_lone_surrogate_has_a_fingerprint():
    assert len(Fingerprints(b"k").of("\ud800")) == 16


def test_an_empty_key_is_refused():
    with pytest.raises(ConfigError, match="is empty"):
        Fingerprints(b"")


def test_the_key_does_not_show():
    assert repr(Fingerprints(b"hidden")) == "Fingerprints(...)"
