"""Messages without secrets."""

import re

import pytest

from toolscore_otel.errors import ConfigError, clip
from toolscore_otel.secrets import KINDS, Scanner
from toolscore_otel.secrets.messages import hidden
from toolscore_otel.secrets.samples import make_sample

SECRET = make_sample("github_token_classic", 1)
MARK = "[REDACTED:github_token_classic]"

PUBLIC = 32
"""So many characters at most say whose secret it is: `https://hooks.slack.com/services/`."""


def secret_of(kind: str) -> str:
    """The secret itself, without what stands around it in a sample."""
    sample = make_sample(kind, 1)
    (hit,) = Scanner().scan_text(sample)
    return sample[hit.start : hit.end]


def parts_of(text: str) -> set[str]:
    """Every six characters in a row, without the marks of what is hidden."""
    told = re.sub(r"\[REDACTED:\w+\]", "[]", text)
    return {told[at : at + 6] for at in range(len(told) - 5)}


def test_a_message_without_a_secret_stays_as_it_is():
    assert hidden("no such file: traces.jsonl…") == "no such file: traces.jsonl…"


def test_of_an_error_its_text_is_told_without_secrets():
    assert hidden(ConfigError(f"`{SECRET}` is no number")) == f"`{MARK}` is no number"


def test_the_beginning_of_a_secret_before_a_cut_is_hidden_too():
    assert hidden(f"`{clip(SECRET, 20)}` and `{clip(SECRET, 30)}`") == f"`{MARK}…` and `{MARK}…`"


@pytest.mark.parametrize("kind", KINDS)
def test_of_no_long_kind_the_beginning_stands_before_a_cut(kind):
    secret = secret_of(kind)
    random = set() if "\n" in secret else parts_of(secret[PUBLIC:])
    for limit in (len(secret) * 2 // 3, len(secret) - 1):
        assert not random & parts_of(hidden(f"unknown key `{clip(secret, limit)}`"))


@pytest.mark.parametrize("kind", KINDS)
def test_no_secret_is_shown_as_the_name_of_a_file(kind):
    secret = secret_of(kind)
    if "/" not in secret and Scanner().scan_text(secret):
        assert not parts_of(secret) & parts_of(hidden(f"./traces/{secret}: no such file"))
