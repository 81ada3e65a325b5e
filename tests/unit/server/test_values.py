"""Durations, addresses, targets, references."""

import pytest
from hypothesis import given, strategies as st

from toolscore_otel.errors import ConfigError
from toolscore_otel.server.config.environment import UnsetError, expanded, value_of
from toolscore_otel.server.config.values import Address, address, nanoseconds, seconds, target


@pytest.mark.parametrize(
    ("text", "length_s"),
    [("10s", 10), ("1h", 3600), ("200ms", 0.2), ("1h30m", 5400), ("7d", 604800), ("1.5s", 1.5), ("0", 0), ("3us", 3e-6)],
)  # fmt: skip
def test_durations_read_as_in_a_collector(text, length_s):
    assert seconds(text) == length_s


@pytest.mark.parametrize("text", ["", "10", "s", "-1s", "10 s", "1w", "1s1", "٣s"])
def test_what_is_no_duration_is_refused(text):
    with pytest.raises(ConfigError, match="must be a duration"):
        nanoseconds(text)


@given(st.integers(1, 10**6), st.sampled_from(["ns", "us", "ms", "s", "m", "h", "d"]))
def test_a_duration_in_two_parts_is_their_sum(number, unit):
    assert nanoseconds(f"{number}{unit}{number}{unit}") == 2 * nanoseconds(f"{number}{unit}")


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [("127.0.0.1:1", "127.0.0.1", 1), ("[::1]:0", "::1", 0), ("box.local:65535", "box.local", 65535)],
)  # fmt: skip
def test_an_address_is_a_host_and_a_port(text, host, port):
    assert address(text) == Address(host, port)
    assert str(address(text)) == text


@pytest.mark.parametrize("text", ["", "1", ":1", "a", "a:", "a:b", "::1:1", "a:65536", "u@a:1", "a/b:1", "a :1"])  # fmt: skip
def test_what_is_no_address_is_refused(text):
    with pytest.raises(ConfigError, match="must be `host:port`"):
        address(text)


@pytest.mark.parametrize(
    ("one", "other", "taken"),
    [
        ("127.0.0.1:1", "localhost:1", True),
        ("127.0.0.1:1", "[::1]:1", True),
        ("127.0.0.1:1", "127.8.8.8:1", True),
        ("0.0.0.0:1", "localhost:1", True),
        ("[::]:1", "10.0.0.1:1", True),
        ("a:1", "A.:1", True),
        ("127.0.0.1:1", "localhost:2", False),
        ("127.0.0.1:0", "127.0.0.1:0", False),
        ("10.0.0.1:1", "10.0.0.2:1", False),
    ],
)
def test_which_addresses_are_the_same(one, other, taken):
    assert address(one).takes(address(other)) is taken
    assert address(other).takes(address(one)) is taken


@pytest.mark.parametrize(
    ("text", "at", "is_secure", "path"),
    [
        ("a:1", "a:1", None, ""),
        ("http://a:1", "a:1", False, ""),
        ("https://a", "a:443", True, ""),
        ("http://a/otlp/", "a:80", False, "/otlp"),
        ("https://[::1]:2", "[::1]:2", True, ""),
    ],
)
def test_a_target_is_an_address_or_a_url(text, at, is_secure, path):
    found = target(text)
    assert (str(found.address), found.is_secure, found.path) == (at, is_secure, path)


@pytest.mark.parametrize(
    "text", ["ftp://a:1", "http://", "http://a?b=c", "http://u:p@a:1", "http://a:b", "a", "http://[a:1"]
)  # fmt: skip
def test_what_is_no_target_is_refused(text):
    with pytest.raises(ConfigError):
        target(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${env:A}", "x"),
        ("${A}", "x"),
        ("b${A}c", "bxc"),
        ("${env:N:-d}", "d"),
        ("${env:EMPTY:-d}", "d"),
        ("${env:N:-}", ""),
        ("$$A", "$A"),
        ("$${A}", "${A}"),
        ("$A", "$A"),
        ("${env:N:-a:-b}", "a:-b"),
    ],
)
def test_references_are_replaced(text, value):
    assert expanded(text, {"A": "x", "EMPTY": ""}) == value


@pytest.mark.parametrize("text", ["${}", "${env:}", "${1A}", "${file:/etc/passwd}", "${A B}", "${N}", "${EMPTY}"])  # fmt: skip
def test_a_reference_that_cannot_be_followed_is_an_error(text):
    with pytest.raises(UnsetError):
        expanded(text, {"EMPTY": ""})


@pytest.mark.parametrize(
    ("held", "value"), [("5", 5), ("true", True), ("a", "a"), ("1.5", 1.5), ("{a: 1}", "{a: 1}"), ("1" * 5000, "1" * 5000)]
)  # fmt: skip
def test_a_whole_value_from_a_variable_is_a_plain_scalar(held, value):
    assert value_of("${A}", {"A": held}) == value


def test_a_number_within_a_text_stays_text():
    assert value_of("a${A}", {"A": "5"}) == "a5"
    assert value_of("$$5", {}) == "$5"
