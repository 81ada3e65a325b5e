"""Messages without secrets."""

from toolscore_otel.errors import ConfigError, clip
from toolscore_otel.secrets.messages import hidden
from toolscore_otel.secrets.samples import make_sample

SECRET = make_sample("github_token_classic", 1)
MARK = "[REDACTED:github_token_classic]"


def test_a_message_without_a_secret_stays_as_it_is():
    assert hidden("no such file: traces.jsonl…") == "no such file: traces.jsonl…"


def test_of_an_error_its_text_is_told_without_secrets():
    assert hidden(ConfigError(f"`{SECRET}` is no number")) == f"`{MARK}` is no number"


def test_the_beginning_of_a_secret_before_a_cut_is_hidden_too():
    assert hidden(f"`{clip(SECRET, 20)}` and `{clip(SECRET, 30)}`") == f"`{MARK}…` and `{MARK}…`"
