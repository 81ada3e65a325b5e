"""Fake secrets, put together when asked for, so that none stands in a file.

Each has the form and the sums of a real one, and nothing else: it opens nothing.
"""

from __future__ import annotations

import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from hashlib import blake2b, sha256
from zlib import crc32

from toolscore_otel.errors import ConfigError, clip
from toolscore_otel.secrets.checksums import BASE36, BASE58, BASE62, BECH32, bech32_sum, to_base
from toolscore_otel.secrets.kinds import KINDS, TABLE

_DIGITS = "0123456789"
_HEX = "0123456789abcdef"
_UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
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
    if kind not in KINDS:
        raise ConfigError(f"unknown kind of secret `{clip(kind)}`; known are {', '.join(KINDS)}")
    source = _Source(f"{kind}/{seed}")
    if kind in _MAKERS:
        return _MAKERS[kind](source)
    return _filled(_TEMPLATES[kind], source)


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


def _login(source: _Source) -> str:
    return b64encode(f"ci:{source.mixed(16)}".encode()).decode()


def _object(source: _Source, length: int) -> str:
    return _unpadded('{"k":"' + source.take(BASE62, length) + '"}')


def _age(source: _Source) -> str:
    human, data = "age-secret-key-", source.take(BECH32, 52)
    rest = bech32_sum(human, data + "q" * 6) ^ 1
    return f"{human}1{data}{''.join(BECH32[rest >> 5 * (5 - at) & 31] for at in range(6))}".upper()


def _artifactory(source: _Source) -> str:
    return "AKCp" + source.take(BASE58, 69)


def _wif(source: _Source) -> str:
    data = b"\x80" + bytes.fromhex(source.take(_HEX, 64))
    data += sha256(sha256(data).digest()).digest()[:4]
    return to_base(int.from_bytes(data, "big"), BASE58, 51)


_MAKERS: dict[str, Callable[[_Source], str]] = {
    "age_secret_key": _age,
    "artifactory_key": _artifactory,
    "atlassian_api_token": lambda s: _with_hex_sum("ATATT3xFfGF0" + s.take(_URL, 170) + "="),
    "basic_auth_header": lambda s: "Authorization: Basic " + _login(s),
    "bitbucket_app_password": lambda s: _with_hex_sum("ATBB" + s.take(BASE62, 24)),
    "cloudflare_token": _cloudflare,
    "discord_bot_token": _discord,
    "docker_auth": lambda s: '{"auths": {"r.example.net": {"auth": "' + _login(s) + '"}}}',
    "github_token_classic": lambda s: _with_base62_sum("ghp_", s),
    "gitlab_token": _gitlab,
    "grafana_cloud_token": lambda s: "glc_" + _object(s, 60),
    "grafana_token": _grafana,
    "jwt": _jwt,
    "npm_token": lambda s: _with_base62_sum("npm_", s),
    "onepassword_service_token": lambda s: "ops_" + _object(s, 160),
    "private_key_pem": _pem,
    "wif_private_key": lambda s: "PRIVATE_KEY=" + _wif(s),
}
"""What no template makes: sums and structures."""

_TEMPLATES = {kind.name: kind.sample for kind in TABLE if kind.sample}
_DRAW = re.compile(r"\[([^\]]+)\](?:\{(\d+)(?:,\d+)?\})?")
_RANGE = re.compile(r"(.)-(.)")
_CHOICE = re.compile(r"\(\?:([^|()]*)(?:\|[^()]*)?\)")


def _alphabet(inside: str) -> str:
    spread = _RANGE.sub(lambda r: "".join(map(chr, range(ord(r[1]), ord(r[2]) + 1))), inside)
    return "".join(dict.fromkeys(spread))


def _filled(template: str, source: _Source) -> str:
    """A template with random characters; of alternatives, the first."""
    plain = re.sub(r"\\(.)", r"\1", _CHOICE.sub(r"\1", template))
    return _DRAW.sub(lambda draw: source.take(_alphabet(draw[1]), int(draw[2] or 1)), plain)
