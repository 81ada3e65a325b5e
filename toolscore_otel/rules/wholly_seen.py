"""Equality of what was observed: one hash per JSON value, and none where part of it hides behind a placeholder."""

from __future__ import annotations

import re

from toolscore_otel.matchers import canonical
from toolscore_otel.matchers.canonical import hashed
from toolscore_otel.matchers.redacted import is_placeholder, may_hold_placeholder
from toolscore_otel.matchers.value import is_list, is_object
from toolscore_otel.model import Json

_TELLING = re.compile(r"\[REDACTED:[^\]]*\.[0-9a-f]{16}(?:\.[^\]]*)?\]")
"""A mark with a fingerprint: equal marks stand for equal values."""


def digest_of(value: Json) -> bytes | None:
    """The hash of a value's canonical JSON; None where it holds a placeholder. Safe at any depth.

    A placeholder is a value that is there and not known, so that two of them need not be equal.
    """
    written = canonical(value)
    if may_hold_placeholder(written) and _hides(value):
        return None
    return hashed(written)


def _hides(value: Json) -> bool:
    pending = [value]
    while pending:
        node = pending.pop()
        if is_object(node):
            pending.extend(node.values())
        elif is_list(node):
            pending.extend(node)
        elif isinstance(node, str) and is_placeholder(node) and not _TELLING.fullmatch(node):
            return True
    return False
