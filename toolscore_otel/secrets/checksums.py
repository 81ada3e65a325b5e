"""Checksums that issuers build into their tokens: a token whose sum is wrong is none.

Source:
    GitHub and npm: "Behind GitHub's new authentication token formats" (2021). GitLab: design document of routable
    tokens. The others are not documented by their vendors; the sums were seen on real tokens.
"""

from __future__ import annotations

import re
from zlib import crc32

BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
BASE36 = "0123456789abcdefghijklmnopqrstuvwxyz"

_ROUTABLE = re.compile(
    r"[a-z]+-(?P<payload>[A-Za-z0-9_-]+)(?:\.[0-9a-z]{2})?\.(?P<length>[0-9a-z]{2})[0-9a-z]{7}"
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
