"""What is wrong in a contract is said without the secrets in it."""

import pytest

from toolscore_otel.contracts import Contract
from toolscore_otel.contracts.telling import problem
from toolscore_otel.errors import ContractError, Location, clip
from toolscore_otel.secrets.samples import make_sample

HERE = Location("c.yaml", 3)


def test_a_message_without_a_secret_stays_as_it_is():
    assert str(problem(HERE, "unknown key `tol`…; did you mean `tool`?")) == (
        "c.yaml:3: unknown key `tol`…; did you mean `tool`?"
    )


@pytest.mark.parametrize("kind", ["jwt", "github_token_classic", "anthropic_api_key"])
@pytest.mark.parametrize("limit", [30, 500])
def test_a_secret_is_not_shown_whether_it_was_cut_or_not(kind, limit):
    secret = make_sample(kind, 1)
    told = problem(HERE, f"`{clip(secret, limit)}` is no action").message
    assert secret[12:20] not in told
    assert "[REDACTED" in told
    assert told.endswith("` is no action")


def test_an_error_about_a_contract_shows_no_secret_that_was_written_into_it():
    secret = make_sample("github_token_classic", 2)
    with pytest.raises(ContractError) as caught:
        Contract.from_dict({"contract": "c", "language": 1, secret: [secret]})
    assert secret[8:14] not in f"{caught.value}{caught.value!r}"
    assert "unknown key" in str(caught.value)
