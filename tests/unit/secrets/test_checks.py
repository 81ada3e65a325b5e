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


def test_what_follows_a_lead_decodes_to_an_object():
    check = checks.decodes_to_object("ops_")
    assert check("ops_" + part('{"a":1}'))
    for text in (part("[1]"), part("no"), "a", "____"):
        assert not check("ops_" + text)


def test_a_signature_is_32_bytes_in_base64_quoted_or_not():
    value = b64encode(bytes(range(200, 232))).decode()
    assert checks.signature(value)
    assert checks.signature(value.replace("+", "%2B").replace("/", "%2F").replace("=", "%3D"))
    assert not checks.signature(b64encode(bytes(range(30))).decode())
    assert not checks.signature("A")


def test_a_private_key_of_a_wallet_is_64_hex_digits():
    digits = make_sample("hex_private_key", 1).partition("=")[2]
    assert checks.hex_private_key(digits)
    assert checks.hex_private_key(digits.removeprefix("0x"))
    assert not checks.hex_private_key(digits[:-1])
    assert not checks.hex_private_key("0x" + "0" * 64)


def test_what_follows_a_scheme_has_to_be_generated():
    assert checks.behind_scheme("Token " + make_sample("secret_assignment", 1).partition("=")[2])
    assert not checks.behind_scheme("Token authentication-scheme")


@pytest.mark.parametrize("value", ["fw_config_of_the_house", "fw_xxxxxxxxxxxxxxxx"])
def test_words_behind_a_short_beginning_are_not_drawn(value):
    assert not checks.mixed(value)


UUID = "5f0c2d1e-7a3b-4c4d-9e8f" + "-1a2b3c4d5e6f"


def test_a_uuid_is_a_password_only_where_the_name_leaves_no_doubt():
    assert checks.any_password(UUID)
    assert checks.any_password("tulip" + "7fKq2")
    assert not checks.password(UUID)
    assert not checks.any_password("00000000-0000-0000-0000-000000000000")


def test_digits_behind_a_flag_are_a_password_unless_somebody_counts_with_them():
    assert checks.flag_password("7545" + "0299")
    assert not checks.flag_password("20261103")
    assert not checks.flag_password("4829")


def test_all_of_a_line_is_a_password_unless_it_is_a_call_or_an_element():
    assert checks.line_password("689)jKk2" + "yNagf#")
    assert not checks.line_password("args[1]")


def test_the_key_of_a_variable_is_hex_of_a_length_that_keys_have_or_drawn():
    assert checks.variable_key("4a2cdeb17c8c588256085dd9" + "1b5ba6358e7c4734")
    assert checks.variable_key("CF0J3Oi5B8xhGyHt" + "JTbvGVsulTh8uyRY")
    assert not checks.variable_key("a1" * 20)
    assert not checks.variable_key("users-by-region-and-day-in-2026-11")


@pytest.mark.parametrize(
    "value",
    [
        *("argon2id", "pbkdf2_sha256", "hmac-sha256", "x86_64", "eu-west-1", "v2.1.3-rc.1", "TLSv1.3", "AES-256-GCM"),
        *("10.0.0.1:5432", "user-service:8080", "localhost:5432", "src/auth/login.ts:42", "CVE-2024-12345"),
        *("2026-11-03T10:11:12Z", "10:30:00", "build-20261103.4", "base64url-encoded"),
    ],
)  # fmt: skip
def test_what_logs_and_settings_say_is_no_password_and_no_key(value):
    assert not checks.password(value)
    assert not checks.generated(value)
