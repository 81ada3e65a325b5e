from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode

import pytest

from toolscore_otel.secrets import checks
from toolscore_otel.secrets.samples import make_sample


def part(text: str) -> str:
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def test_a_jwt_has_a_header_with_an_algorithm():
    assert checks.jwt(make_sample("jwt", 1))
    assert not checks.jwt(".".join((part('{"typ":"JWT"}'), part("{}"), "sig")))


@pytest.mark.parametrize("header", ["eyJ", "a", part("[1]"), part("\x00")])
def test_a_header_that_is_no_object_makes_no_jwt(header):
    assert not checks.jwt(f"{header}.{part('{}')}.sig")


def test_the_jwt_of_documentation_is_refused():
    head, body = part('{"alg":"HS256"}'), part('{"name":"John Doe"}')
    assert not checks.jwt(f"{head}.{body}.sig")


def test_a_pem_block_needs_a_body():
    begin, end = "-----BEGIN PRIVATE" + " KEY-----", "-----END PRIVATE" + " KEY-----"
    assert checks.private_key(make_sample("private_key_pem", 1))
    assert not checks.private_key(f"{begin}\n...\n{end}")
    assert not checks.private_key(f"{begin}\n{'x' * 200}\n{end}")
    assert not checks.private_key("no block")


def test_a_pem_block_may_be_written_with_escapes():
    assert checks.private_key(make_sample("private_key_pem", 1).replace("\n", r"\\n"))


def test_basic_credentials_decode_to_a_user_and_a_password():
    assert checks.basic_credentials(b64encode(b"ci:9f2Kq8").decode())
    for text in (b"no colon here", b"\xff\xfe:\xff", b"user:password", b"a:\x01\x02"):
        assert not checks.basic_credentials(b64encode(text).decode())
    assert not checks.basic_credentials("A")


@pytest.mark.parametrize(
    "value", ["required", "Password1", "newPassword", "/srv/app1", "-2146893773", "self.password2"]
)
def test_words_paths_and_numbers_are_no_password(value):
    assert not checks.password(value)


@pytest.mark.parametrize(
    "value", ["tulip." + "copper0029", "saffron" + "!winter", "P@$$" + "w0rd!x", "aQzDkF" + "wHtJ"]
)
def test_a_password_has_a_digit_a_symbol_or_mixed_case(value):
    assert checks.password(value)


@pytest.mark.parametrize("value", ["guest", "8080", "${PASS}", "mypassword"])
def test_documentation_words_in_a_url_are_no_password(value):
    assert not checks.url_password(value)


def test_forty_hex_digits_are_no_aws_secret():
    assert checks.aws_secret(make_sample("aws_secret_access_key", 1)[-40:])
    assert not checks.aws_secret("0123456789abcdef" * 2 + "89abcdef")
