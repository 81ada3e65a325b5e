"""Shell patterns as `fnmatch.fnmatchcase` reads them, also on texts of which only the beginning is known."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase, translate

Globs = str | list[str]
"""A shell pattern, or several of which one must match."""

_TOKENS = re.compile(r"\[!?\]?[^\]]*\]|.", re.DOTALL)


def is_glob(text: str) -> bool:
    """Whether a text holds a wildcard, so that it may match other texts than itself."""
    return any(mark in text for mark in "*?[")


def matches_globs(globs: Globs, value: str | None) -> bool:
    """Whether one of the patterns matches; a value that is absent matches only `*`."""
    patterns = [globs] if isinstance(globs, str) else globs
    if value is None or "*" in patterns:
        return "*" in patterns
    return any(fnmatchcase(value, pattern) for pattern in patterns)


def compile_glob(pattern: str) -> re.Pattern[str]:
    """A shell pattern as a regular expression for `match`; case counts."""
    return re.compile(translate(pattern))


def certain_from(pattern: str, prefix: str) -> bool:
    """Whether every text that begins with `prefix` matches: the pattern ends in `*` and takes the prefix."""
    tokens = _TOKENS.findall(pattern)
    return tokens[-1:] == ["*"] and fnmatchcase(prefix, pattern)


def possible_from(pattern: str, prefix: str) -> bool:
    """Whether some text that begins with `prefix` matches: the prefix takes up some first tokens of the pattern."""
    tokens = _TOKENS.findall(pattern)
    return any(fnmatchcase(prefix, "".join(tokens[:end])) for end in range(len(tokens) + 1))
