from __future__ import annotations

import pytest

from toolscore_otel.secrets.names import (
    may_tell,
    names_auth,
    names_authorization,
    names_aws_secret,
    names_password,
    names_private_key,
    names_secret,
    names_uuid_option,
    names_uuid_secret,
    names_variable_key,
)

PASSWORDS = [
    "password",
    "DB_PASSWORD",
    "userPwd",
    "db.pass",
    "DB_PASS",
    "passwd",
    "PASSWORD_CONFIRM",
    "dbPassword2",
]
NO_PASSWORDS = [
    "password_hash",
    "passwordPolicy",
    "bypass",
    "compass",
    "forgot_password_url",
    "passes",
    "name",
]
SECRETS = [
    "apiToken",
    "JWT_SECRET",
    "X-Api-Key",
    "SECRET_KEY_BASE",
    "client_secret",
    "api_key_prod",
    "Authorization",
]
NO_SECRETS = [
    "next_page_token",
    "secret_id",
    "api_key_id",
    "max_tokens",
    "tokenizer",
    "token_type",
    "primary_key",
]


@pytest.mark.parametrize("name", PASSWORDS)
def test_names_that_end_in_a_password_word_name_one(name):
    assert names_password(name)
    assert may_tell(name)


@pytest.mark.parametrize("name", NO_PASSWORDS)
def test_names_that_only_hold_the_word_name_no_password(name):
    assert not names_password(name)


@pytest.mark.parametrize("name", SECRETS)
def test_names_that_end_in_a_secret_word_name_one(name):
    assert names_secret(name)
    assert may_tell(name)


@pytest.mark.parametrize(
    "name", [*NO_SECRETS, "csrf_token", "public_key", "cacheKey", "idempotency_token"]
)
def test_names_of_cursors_ids_and_public_keys_name_no_secret(name):
    assert not names_secret(name)


def test_a_uuid_is_a_secret_only_under_a_name_that_leaves_no_doubt():
    assert [
        names_uuid_secret(name)
        for name in (
            "client_secret",
            "access_token",
            "token",
            "ACME_TOKEN",
            "task_token",
            "secret_id",
        )
    ] == [True, True, False, True, False, False]


def test_a_uuid_is_a_secret_behind_the_option_of_a_command():
    assert [names_uuid_option(name) for name in ("--token", "--acme-token", "--task-token")] == [
        True,
        True,
        False,
    ]


def test_an_aws_secret_is_named_by_aws_and_secret():
    assert [
        names_aws_secret(name)
        for name in ("AWS_SECRET_ACCESS_KEY", "aws_secret_key", "github_secret")
    ] == [True, True, False]


def test_a_wallet_key_stands_under_these_names():
    assert [names_private_key(name) for name in ("PRIVATE_KEY", "deployerPrivKey", "publicKey")] == [
        True, True, False
    ]  # fmt: skip


def test_encoded_credentials_stand_under_auth():
    assert [names_auth(name) for name in ("auth", "_auth", "author", "auth_type")] == [
        True, True, False, False
    ]  # fmt: skip


def test_a_scheme_stands_under_authorization():
    assert names_authorization("Proxy-Authorization")
    assert not names_authorization("author")


def test_a_variable_named_for_a_key_holds_one_unless_the_key_finds_or_is_public():
    assert [
        names_variable_key(name)
        for name in ("DEEPGRAM_KEY", "ACME_2_KEY", "CACHE_KEY", "AWS_S3_KEY", "NEXT_PUBLIC_ACME_KEY", "acme_key", "KEY", "ACME_KEY_ID")
    ] == [True, True, False, False, False, False, False, False]  # fmt: skip


@pytest.mark.parametrize(
    "name",
    ["task_token", "pageToken", "request_token", "TRACE_TOKEN", "lock_token", "device_token"],
)
def test_a_uuid_under_the_name_of_an_id_is_no_secret(name):
    assert not names_uuid_secret(name)
