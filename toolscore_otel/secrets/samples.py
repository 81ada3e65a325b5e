"""Fake secrets, put together when asked for, so that none stands in a file.

Each has the form and the sums of a real one, and nothing else: it opens nothing.
"""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from hashlib import blake2b
from zlib import crc32

from toolscore_otel.errors import ConfigError, clip
from toolscore_otel.secrets.checksums import BASE36, BASE62, to_base
from toolscore_otel.secrets.kinds import KINDS

_DIGITS = "0123456789"
_HEX = "0123456789abcdef"
_UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_BASE32 = _UPPER + "234567"
_BASE64 = BASE62 + "+/"
_URL = BASE62 + "-_"


class _Source:
    """Characters that look random and follow from a seed."""

    __slots__ = ("_count", "_seed")

    def __init__(self, seed: str) -> None:
        self._seed = seed.encode()
        self._count = 0

    def take(self, alphabet: str, length: int) -> str:
        taken = ""
        while len(taken) < length:
            self._count += 1
            block = blake2b(self._seed + self._count.to_bytes(4, "big")).digest()
            taken += "".join(alphabet[byte % len(alphabet)] for byte in block)
        return taken[:length]

    def mixed(self, length: int) -> str:
        """Letters and digits, at least one upper, one lower and one digit among them."""
        return (
            self.take(BASE62, length - 3)
            + self.take(_DIGITS, 1)
            + self.take("abcdef", 1)
            + self.take(_UPPER, 1)
        )


def make_sample(kind: str, seed: int) -> str:
    """A fake secret of a kind.

    A kind that only its surroundings tell comes with the least of them: `password=...`, `Authorization: Bearer ...`.

    Args:
        kind: one of `KINDS`.
        seed: the same seed gives the same secret.

    Raises:
        ConfigError: there is no such kind.
    """
    if kind not in _MAKERS:
        raise ConfigError(f"unknown kind of secret `{clip(kind)}`; known are {', '.join(KINDS)}")
    return _MAKERS[kind](_Source(f"{kind}/{seed}"))


def _with_base62_sum(prefix: str, source: _Source) -> str:
    body = source.take(BASE62, 30)
    return prefix + body + to_base(crc32(body.encode()), BASE62, 6)


def _with_hex_sum(before: str) -> str:
    return before + f"{crc32(before.encode()):08X}"


def _cloudflare(source: _Source) -> str:
    body = source.take(BASE62, 40)
    return f"cfut_{body}{crc32(body.encode()):08x}"


def _gitlab(source: _Source) -> str:
    payload = source.take(_URL, 43)
    before = f"glpat-{payload}.{to_base(len(payload), BASE36, 2)}"
    return before + to_base(crc32(before.encode()), BASE36, 7)


def _grafana(source: _Source) -> str:
    before = "glsa_" + source.take(BASE62, 32)
    return f"{before}_{crc32(before.encode()).to_bytes(4, 'little').hex()}"


def _unpadded(text: str) -> str:
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _jwt(source: _Source) -> str:
    head = _unpadded('{"alg":"HS256","typ":"JWT"}')
    body = _unpadded('{"sub":"' + source.take(BASE62, 20) + '"}')
    return f"{head}.{body}.{source.take(_URL, 43)}"


def _pem(source: _Source) -> str:
    lines = "\n".join(source.take(_BASE64, 64) for _ in range(4))
    edges = [f"-----{word} PRIVATE KEY-----" for word in ("BEGIN", "END")]
    return f"{edges[0]}\nMC4CAQAw{source.take(_BASE64, 56)}\n{lines}\n{edges[1]}"


def _discord(source: _Source) -> str:
    return f"{_unpadded('1' + source.take(_DIGITS, 17))}.{source.take(_URL, 6)}.{source.take(_URL, 38)}"


def _basic(source: _Source) -> str:
    return "Authorization: Basic " + b64encode(f"ci:{source.mixed(16)}".encode()).decode()


_MAKERS: dict[str, Callable[[_Source], str]] = {
    "anthropic_api_key": lambda s: "sk-ant-api03-" + s.take(_URL, 93) + "AA",
    "atlassian_api_token": lambda s: _with_hex_sum("ATATT3xFfGF0" + s.take(_URL, 170) + "="),
    "aws_access_key_id": lambda s: "AKIA" + s.take(_BASE32, 16),
    "aws_secret_access_key": lambda s: "aws_secret_access_key = " + s.mixed(40),
    "azure_connection_string": lambda s: (
        "AccountName=store;AccountKey=" + s.take(_BASE64, 86) + "=="
    ),
    "azure_storage_or_cosmos_key": lambda s: (
        s.take(_BASE64, 76) + "+ASt" + s.take(_BASE64, 5) + "A=="
    ),
    "basic_auth_header": _basic,
    "bearer_header": lambda s: "Authorization: Bearer " + s.mixed(40),
    "bitbucket_app_password": lambda s: _with_hex_sum("ATBB" + s.take(BASE62, 24)),
    "cli_password_flag": lambda s: "mongosh --host db1 --password " + s.mixed(16),
    "cli_secret_flag": lambda s: "deploy --api-key " + s.mixed(32),
    "cloudflare_token": _cloudflare,
    "curl_user": lambda s: "curl -fsS -u bot:" + s.mixed(16) + " art.example.net/a.jar",
    "discord_bot_token": _discord,
    "gcp_api_key": lambda s: "AIza" + s.take(_URL, 34) + "w",
    "github_fine_grained_pat": lambda s: (
        "github_pat_" + s.take(BASE62, 22) + "_" + s.take(BASE62, 59)
    ),
    "github_token_classic": lambda s: _with_base62_sum("ghp_", s),
    "gitlab_token": _gitlab,
    "google_oauth_access_token": lambda s: "ya29." + s.take(_URL, 120) + "w",
    "google_oauth_client_secret": lambda s: "GOCSPX-" + s.take(_URL, 27) + "w",
    "google_oauth_refresh_token": lambda s: "1//0" + s.take(_URL, 99) + "w",
    "grafana_token": _grafana,
    "huggingface_token": lambda s: "hf_" + s.take(BASE62[10:], 34),
    "jwt": _jwt,
    "npm_token": lambda s: _with_base62_sum("npm_", s),
    "openai_api_key": lambda s: "sk-proj-" + s.take(_URL, 74) + "T3BlbkFJ" + s.take(_URL, 73) + "w",
    "password_assignment": lambda s: "password=" + s.mixed(16),
    "private_key_pem": _pem,
    "pypi_token": lambda s: "pypi-AgEIcHlwaS5vcmc" + s.take(_URL, 150) + "w",
    "secret_assignment": lambda s: "API_TOKEN=" + s.mixed(32),
    "sendgrid_key": lambda s: "SG." + s.take(_URL, 22) + "." + s.take(_URL, 42) + "w",
    "slack_app_token": lambda s: (
        f"xapp-1-A{s.take(_DIGITS, 10)}-{s.take(_DIGITS, 13)}-{s.take(_HEX, 64)}"
    ),
    "slack_token": lambda s: (
        f"xoxb-{s.take(_DIGITS, 12)}-{s.take(_DIGITS, 13)}-{s.take(BASE62, 24)}"
    ),
    "slack_webhook": lambda s: (
        "https://hooks.slack.com/services/"
        f"T{s.take(_BASE32, 10)}/B{s.take(_BASE32, 10)}/{s.take(BASE62, 24)}"
    ),
    "stripe_secret_key": lambda s: "sk_live_" + s.take(BASE62, 99),
    "stripe_webhook_secret": lambda s: "whsec_" + s.take(BASE62, 32),
    "telegram_bot_token": lambda s: f"7{s.take(_DIGITS, 9)}:AA{s.take(_URL, 32)}w",
    "twilio_api_key_sid": lambda s: "SK" + s.take(_HEX, 32),
    "url_credentials": lambda s: f"postgresql://app:{s.mixed(16)}@db.example.net/orders",
}
