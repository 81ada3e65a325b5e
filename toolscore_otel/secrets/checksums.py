"""Checksums that issuers build into their tokens: a token whose sum is wrong is none.

Source:
    GitHub and npm: "Behind GitHub's new authentication token formats" (2021). GitLab: design document of routable
    tokens. The others are not documented by their vendors; the sums were seen on real tokens.
"""

from __future__ import annotations

import re
from hashlib import sha256
from zlib import crc32

BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
BASE36 = "0123456789abcdefghijklmnopqrstuvwxyz"

BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

_BECH32_STEPS = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
_ARTIFACTORY_BYTES = 54
_WIF_BYTES = (37, 38)  # version, 32 of the key, perhaps a mark, four of the sum
_ROUTABLE = re.compile(
    r"[a-z]+-(?:t\d_)?(?P<payload>[A-Za-z0-9_-]+)(?:\.[0-9a-z]{2})?\.(?P<length>[0-9a-z]{2})[0-9a-z]{7}"
)


def to_base(number: int, digits: str, width: int) -> str:
    """A number in another base, padded with zeros on the left."""
    written = ""
    while number:
        number, digit = divmod(number, len(digits))
        written = digits[digit] + written
    return written.rjust(width, digits[0])


def github(token: str) -> bool:
    """`PREFIX_` + 30 random characters + their CRC32 in six base62 digits; npm's are the same."""
    body = token.rpartition("_")[2]
    return body[30:] == to_base(crc32(body[:30].encode()), BASE62, 6)


def gitlab(token: str) -> bool:
    """A routable token: payload, its length in base36, and the CRC32 of all before. Others have no sum."""
    if "." not in token:
        return True
    if (parts := _ROUTABLE.fullmatch(token)) is None:
        return False
    right_sum = token[-7:] == to_base(crc32(token[:-7].encode()), BASE36, 7)
    return right_sum and int(parts["length"], 36) == len(parts["payload"])


def hex_of_all_before(token: str) -> bool:
    """The last eight hex digits are the CRC32 of everything before (Atlassian, Bitbucket)."""
    return token[-8:].lower() == f"{crc32(token[:-8].encode()):08x}"


def hex_of_body(token: str) -> bool:
    """`PREFIX_` + body + the CRC32 of the body in eight hex digits (Cloudflare)."""
    body = token.rpartition("_")[2]
    return body[-8:] == f"{crc32(body[:-8].encode()):08x}"


def grafana(token: str) -> bool:
    """`glsa_` + body + `_` + the CRC32 of all before the `_`, low byte first. A `glc_` token has no sum."""
    before, _, tail = token.rpartition("_")
    if not token.startswith("glsa_"):
        return True
    return tail == crc32(before.encode()).to_bytes(4, "little").hex()


def bech32_sum(human: str, data: str) -> int:
    """The remainder of a bech32 text: 1 where its sum is right.

    Args:
        human: what stands before the last `1`.
        data: what stands behind it, in bech32 characters.

    Source:
        BIP 173.
    """
    values = [ord(c) >> 5 for c in human] + [0] + [ord(c) & 31 for c in human]
    remainder = 1
    for value in (*values, *map(BECH32.index, data)):
        top = remainder >> 25
        remainder = (remainder & 0x1FFFFFF) << 5 ^ value
        for bit, step in enumerate(_BECH32_STEPS):
            remainder ^= step if top >> bit & 1 else 0
    return remainder


def bech32(token: str) -> bool:
    """A bech32 text with the right sum (age)."""
    human, _, data = token.lower().rpartition("1")
    return bech32_sum(human, data) == 1


def _from_base58(text: str) -> bytes | None:
    number = 0
    for character in text:
        digit = BASE58.find(character)
        if digit < 0:
            return None
        number = number * 58 + digit
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def artifactory(token: str) -> bool:
    """Base58 of 54 bytes."""
    data = _from_base58(token)
    return data is not None and len(data) == _ARTIFACTORY_BYTES


def wif(key: str) -> bool:
    """Base58check of a Bitcoin private key.

    Source:
        Bitcoin's wallet import format: version byte 0x80 or 0xEF, key, double SHA-256.
    """
    data = _from_base58(key)
    if data is None or len(data) not in _WIF_BYTES or data[0] not in {0x80, 0xEF}:
        return False
    return sha256(sha256(data[:-4]).digest()).digest()[:4] == data[-4:]
