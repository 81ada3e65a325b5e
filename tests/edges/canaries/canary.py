"""Fake secrets of every kind, and how to see six characters in a row of one anywhere."""

from __future__ import annotations

import re
from itertools import count

from tests.unit.secrets.labelled import FORMED, secret_of
from toolscore_otel.secrets import KINDS
from toolscore_otel.secrets.samples import make_sample

SEED = 77
ROW, HEX_ROW = 6, 12
"""How many characters in a row are looked for: more of hexadecimal ones, of which ids and fingerprints consist by chance."""

CONTRACT = {
    "contract": "canary",
    "language": 1,
    "secrets": {"in": ["arguments", "result", "error", "messages", "attributes"]},
    "forbid": [{"tool": "http", "args": {"q": {"$exists": True}}}],
    "loop": {"same_call": 2},
    "limit": [{"tool": "http", "max": 1}],
}
"""Looks everywhere, and has more to say of the same calls."""


def sample(kind: str) -> str:
    """The canary of a kind."""
    return make_sample(kind, SEED)


def _drawn(kind: str) -> set[str]:
    """All rows of what is random in a canary: not of how all of its kind begin."""
    whole = sample(kind)
    value = whole if kind in FORMED else secret_of(whole)
    other = make_sample(kind, SEED + 1)
    rows = {value[at : at + n] for n in (ROW, HEX_ROW) for at in range(len(value) - n + 1)}
    rows = {row for row in rows if len(row) == HEX_ROW or re.search("[^0-9a-f]", row)}
    return {row for row in rows if row not in other and "-----" not in row}


ROWS = {row: kind for kind in KINDS for row in _drawn(kind)}
"""Row -> the kind of a secret that it is of."""


def shown(output: str) -> dict[str, set[str]]:
    """What is to be seen of secrets, by kind."""
    seen: dict[str, set[str]] = {}
    for length in (ROW, HEX_ROW):
        for at in range(len(output) - length + 1):
            if (kind := ROWS.get(row := output[at : at + length])) is not None:
                seen.setdefault(kind, set()).add(row)
    return seen


class Turns:
    """Canaries of all kinds in turn."""

    def __init__(self) -> None:
        self._numbers = count()

    def __call__(self) -> str:
        """The next one."""
        return sample(KINDS[next(self._numbers) % len(KINDS)])
