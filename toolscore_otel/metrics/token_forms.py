"""Tokens by their forms alone, as the field's `find_secrets` knows them: also where a checksum is wrong or a marker is missing.

The rules of contracts want to be sure (`toolscore_otel.secrets`); a score that is held against hand-made calls wants what has
the form of a token, unless it is plainly made up.
"""

from __future__ import annotations

from toolscore_otel.matchers.pattern import compile_pattern
from toolscore_otel.secrets.patterns import Exempt, OwnPattern

_FIELD = {
    "anthropic_key": "anthropic_api_key",
    "aws_key_id": "aws_access_key_id",
    "gcp_api_key": "google_api_key",
    "github_app_token": "github_token",
    "github_fine_grained_pat": "github_token",
    "github_pat": "github_token",
    "github_token_classic": "github_token",
    "openai_key": "openai_api_key",
    "openai_like_key": "openai_api_key",
    "private_key_pem": "private_key",
    "slack_key": "slack_token",
    "stripe_key": "stripe_secret_key",
}
"""The field's words for kinds that have another name here, or that are told by their form alone."""

_BEGIN = r"(?:\b|\\[nrt]|%[0-9A-Fa-f]{2})"
_MADE_UP = (
    *("example", "placeholder", "your", "changeme", "dummy", "sample", "redacted"),
    *("insert", "replace", "-here", "xxxxx", "key-", "token-"),
)
_FEWEST_BITS = 2.5


def _form(kind: str, keywords: tuple[str, ...], regex: str, *plain: str) -> OwnPattern:
    """One form; what matches one of `plain` is a name that happens to have it."""
    return OwnPattern(
        name=kind,
        regex=f"{_BEGIN}(?P<secret>{regex})",
        keywords=keywords,
        entropy=_FEWEST_BITS,
        exempt=(Exempt(regexes=plain), Exempt(stopwords=_MADE_UP)),
    )


TOKEN_FORMS = (
    _form("anthropic_key", ("sk-ant-",), "sk-ant-[A-Za-z0-9_-]{20,}", "^[^A-Z]*$"),
    _form(
        "openai_key",
        ("sk-",),
        "sk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{32,}|[A-Za-z0-9]{32,})",
        "^[^A-Z]*$",
        "^[^0-9]*$",
    ),
    _form("github_token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9]{36}\b"),
    _form("github_pat", ("github_pat_",), "github_pat_[A-Za-z0-9_]{60,}"),
    _form(
        "aws_key_id",
        ("akia", "asia"),
        r"(?:AKIA|ASIA)[A-Z0-9]{16}\b",
        "^[A-Z]*(?:(?:19|20)[0-9]{2})?$",
    ),
    _form("google_api_key", ("aiza",), "AIza[A-Za-z0-9_-]{35}"),
    _form("slack_key", ("xox",), "xox[abprs]-[A-Za-z0-9-]{10,}", "^xox[a-z]-[a-z-]*$"),
    _form("stripe_key", ("sk_live_", "rk_live_"), "[sr]k_live_[A-Za-z0-9]{24,}"),
)
"""The nine formats besides private keys, which are told by more than their first line."""


_MAY_STAND = compile_pattern("sk-|gh[pousr]_|github_pat_|AKIA|ASIA|AIza|xox[abprs]-|[sr]k_live_")


def may_stand(text: bytes) -> bool:
    """Whether one of the forms may stand in a text, or in a value that is written as JSON."""
    return _MAY_STAND.search(text) is not None


def field_kind(kind: str) -> str:
    """A kind of secret by the field's name for it, where it has one."""
    return _FIELD.get(kind, kind)
