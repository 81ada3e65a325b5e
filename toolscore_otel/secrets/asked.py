"""Which kinds somebody asked for by name."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from toolscore_otel.errors import ConfigError, clip

_MOST = 3


def asked_kinds(kinds: Iterable[str], known: set[str]) -> set[str]:
    """These kinds.

    Args:
        kinds: their names.
        known: the names of all.

    Raises:
        ConfigError: there is no such kind; it names those that may be meant.
    """
    asked = set(kinds)
    for kind in sorted(asked - known):
        near = [f"`{each}`" for each in _near(kind, sorted(known))]
        hint = f"did you mean {' or '.join(near)}?" if near else "see `KINDS` for all"
        raise ConfigError(f"unknown kind of secret `{clip(kind)}`; {hint}")
    return asked


def _near(kind: str, known: list[str]) -> list[str]:
    """Names that hold all words of a name, those that begin with it first; else the one that is spelt most like it."""
    plain = kind.lower().replace("-", "_")
    words = set(plain.split("_"))
    same = [each for each in known if words <= {*each.split("_")}]
    same.sort(key=lambda each: not each.startswith(plain))
    return same[:_MOST] or get_close_matches(plain, known, n=1, cutoff=0.5)
