from __future__ import annotations

import pytest

from toolscore_otel.errors import ConfigError
from toolscore_otel.secrets import KINDS
from toolscore_otel.secrets.asked import asked_kinds


def test_kinds_that_there_are_are_taken():
    assert asked_kinds(["jwt", "jwt"], {*KINDS}) == {"jwt"}


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        ("github_token_clasic", "did you mean `github_token_classic`?"),
        ("github_token", "did you mean `github_token_classic` or `github_app_token`?"),
        ("password", "did you mean `password_assignment` or `bitbucket_app_password` or"),
        (
            "Private-Key",
            "did you mean `private_key_pem` or `hex_private_key` or `wif_private_key`?",
        ),
        ("pem", "did you mean `private_key_pem`?"),
        ("AWS_ACCESS_KEY", "did you mean `aws_access_key_id`"),
        ("zzz", "see `KINDS` for all"),
    ],
)
def test_of_others_those_are_named_that_may_be_meant(asked, hint):
    with pytest.raises(ConfigError) as caught:
        asked_kinds([asked], {*KINDS})
    assert hint in str(caught.value)
