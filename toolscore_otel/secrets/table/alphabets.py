"""The alphabets that tokens are written in, as character classes."""

from __future__ import annotations

WORD = "[A-Za-z0-9]"
BASE64 = "[A-Za-z0-9+/]"
URL = "[A-Za-z0-9_-]"
HEX = "[0-9a-f]"
LOWER = "[a-z0-9]"
UUID_HEAD = f"{HEX}{{8}}-{HEX}{{4}}-{HEX}{{4}}-{HEX}{{4}}-"
"""A UUID up to its last twelve digits."""
