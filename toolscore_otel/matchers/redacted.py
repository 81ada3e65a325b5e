"""Placeholders that stand where content was: the text is there, what it stands for was not observed.

Source:
    Recorded telemetry: `[REDACTED]` (Mastra, Codex), `<REDACTED>` (Claude Code), `HIDDEN:non-empty` (Koog),
    `[MaxDepth]` (Mastra), masks of asterisks, and what redaction processors and this package write, which also says
    `[unreadable: NaN]` and the like where a value is none that JSON has (`conventions.unreadable`).
"""

from __future__ import annotations

import re

NOT_A_NUMBER = "[unreadable: NaN]"
INFINITY = "[unreadable: Infinity]"
MINUS_INFINITY = "[unreadable: -Infinity]"
HUGE_NUMBER = "[unreadable: huge number]"
UNREADABLE = frozenset({NOT_A_NUMBER, INFINITY, MINUS_INFINITY, HUGE_NUMBER})
"""What stands for a value that JSON cannot say, or that no program reads."""

_FIXED = (
    *("[REDACTED]", "<REDACTED>", "__REDACTED__", "HIDDEN:non-empty", "[MaxDepth]"),
    *sorted(UNREADABLE),
)
_OPENING = ("[REDACTED:", "[REDACTED ")
_PLACEHOLDER = re.compile(r"\[REDACTED(?:[: ][^\]]*)?\]|\*{3,}")
_FIRST = frozenset("[<_*H")


_IN_JSON = re.compile(
    b'"(?:%s)' % b"|".join(re.escape(text).encode() for text in (*_FIXED, "[REDACTED", "***"))
)


def may_hold_placeholder(written: bytes) -> bool:
    """Whether a JSON text may have one somewhere; a quick look."""
    return _IN_JSON.search(written) is not None


def is_placeholder(text: str) -> bool:
    """Whether the whole text is a placeholder."""
    return text[:1] in _FIRST and (text in _FIXED or _PLACEHOLDER.fullmatch(text) is not None)


def may_become_placeholder(prefix: str) -> bool:
    """Whether a text that begins with `prefix` may turn out to be a placeholder."""
    if any(fixed.startswith(prefix) for fixed in (*_FIXED, *_OPENING)):
        return True
    if prefix.startswith(_OPENING):
        return prefix.find("]") in (-1, len(prefix) - 1)
    return not prefix.strip("*")
