"""Regular expressions in RE2 syntax, searched in time linear in the text, also in texts of which only the beginning is known."""

from __future__ import annotations

import re
from typing import Any, cast

import re2  # pyright: ignore[reportMissingTypeStubs]

from toolscore_otel.errors import clip
from toolscore_otel.matchers.answer import NO, UNSURE, YES, Answer
from toolscore_otel.matchers.error import MatcherError

_engine = cast("Any", re2)
_AT_THE_END = ("$", r"\b", r"\B", r"\z")
"""What in a pattern may look at the end of the text, or at the character after a match."""
_ANCHORED = re.compile(r"\^(?![*?+{])")
_RANGE_BYTES = 100


def compile_pattern(source: object) -> Any:
    """A pattern, compiled without groups.

    Raises:
        MatcherError: it is no text, or RE2 does not take it.
    """
    if not isinstance(source, str):
        raise MatcherError((), "must be a regular expression, as text")
    options = _engine.Options()
    options.log_errors = False
    options.never_capture = True
    try:
        return _engine.compile(source, options)
    except (_engine.error, UnicodeEncodeError) as problem:
        reason = problem.args[0] if problem.args else problem
        reason = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else reason
        raise MatcherError(
            (), f"`{clip(source)}` is no regular expression in RE2 syntax: {clip(reason)}"
        ) from problem


def encoded(text: str) -> bytes:
    """The bytes that RE2 looks at; a lone surrogate matches nothing and raises nothing."""
    return text.encode("utf-8", "surrogatepass")


def search_prefix(pattern: Any, source: str, prefix: str) -> Answer:
    """What searching a text says of which only the beginning is known.

    A match inside the prefix is one of the whole text, unless it looks at what comes after its end. The second search
    prefers short matches, since `.*` would always reach the end. Without a match, only a pattern that is anchored at
    the beginning can be past hope.

    Args:
        pattern: compiled from `source`.
        source: a pattern in RE2 syntax.
        prefix: what is known of the text.
    """
    text = encoded(prefix)
    found = pattern.search(text)
    if found is None:
        anchored = _ANCHORED.match(source) is not None and "|" not in source
        return NO if anchored and not may_begin(source, prefix) else UNSURE
    if found.end() < len(text) or not any(mark in source for mark in _AT_THE_END):
        return YES
    short = compile_pattern(f"(?U:{source})").search(text)
    return YES if short is not None and short.end() < len(text) else UNSURE


def may_begin(source: str, prefix: str) -> bool:
    """Whether a match from the beginning of a text on may start with the whole of `prefix`.

    Args:
        source: a pattern. True is also said where RE2 knows no bounds of what it matches.
        prefix: what is known of the text.
    """
    try:
        low, high = compile_pattern(source).possiblematchrange(_RANGE_BYTES)
    except _engine.error:
        return True
    text = encoded(prefix)
    return bool(text[: len(high)] <= high and (text >= low or low.startswith(text)))
