from __future__ import annotations

from zlib import crc32

import pytest

from toolscore_otel.secrets import checksums
from toolscore_otel.secrets.samples import make_sample

SUMS = {
    "github_token_classic": checksums.github,
    "npm_token": checksums.github,
    "gitlab_token": checksums.gitlab,
    "atlassian_api_token": checksums.hex_of_all_before,
    "bitbucket_app_password": checksums.hex_of_all_before,
    "cloudflare_token": checksums.hex_of_body,
    "grafana_token": checksums.grafana,
    "age_secret_key": checksums.bech32,
}


def other(character: str) -> str:
    return "1" if character != "1" else "2"


@pytest.mark.parametrize("kind", SUMS)
def test_a_right_sum_is_accepted(kind):
    assert all(SUMS[kind](make_sample(kind, seed)) for seed in range(20))


@pytest.mark.parametrize("kind", SUMS)
def test_a_wrong_last_digit_is_refused(kind):
    token = make_sample(kind, 0)
    assert not SUMS[kind](token[:-1] + other(token[-1]))


@pytest.mark.parametrize("kind", SUMS)
def test_another_body_under_the_same_sum_is_refused(kind):
    token = make_sample(kind, 0)
    assert not SUMS[kind](token[:16] + other(token[16]) + token[17:])


def test_tokens_of_a_form_without_a_sum_are_not_refused_for_it():
    assert checksums.gitlab("glpat-" + "aB3" * 7)
    assert checksums.grafana("glc_" + "aB3" * 20)


def test_a_routable_token_of_a_runner_has_a_mark_that_its_length_does_not_count():
    before = "glrt-t1_" + "aB3-" * 10 + "." + "14"
    token = before + checksums.to_base(crc32(before.encode()), checksums.BASE36, 7)
    assert checksums.gitlab(token)
    assert not checksums.gitlab(token[:-1] + other(token[-1]))


def test_a_dotted_tail_of_another_form_is_no_routable_token():
    assert not checksums.gitlab("glpat-" + "aB3" * 7 + ".tail")


def test_a_number_is_padded_on_the_left():
    assert checksums.to_base(35, checksums.BASE36, 3) == "00z"
    assert checksums.to_base(0, checksums.BASE62, 2) == "00"


def test_a_wallet_key_has_its_sum_and_its_version():
    key = make_sample("wif_private_key", 1).partition("=")[2]
    assert checksums.wif(key)
    assert not checksums.wif(key[:-1] + other(key[-1]))
    assert not checksums.wif("5" + "z" * 50)
    assert not checksums.wif("5" + "0" * 50)
    assert not checksums.wif("111")


def test_a_key_of_artifactory_is_54_bytes():
    assert checksums.artifactory(make_sample("artifactory_key", 1))
    assert not checksums.artifactory("AKCp" + "1" * 60)
    assert not checksums.artifactory("AKCp" + "0" * 69)


def test_the_published_example_of_bech32_has_the_right_sum():
    assert checksums.bech32("A12UEL5L")
    assert not checksums.bech32("A12UEL5Q")
