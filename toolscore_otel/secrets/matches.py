"""All matches of an expression that we did not write, in time that grows with the text and no faster.

RE2 looks for one match in such time. For the next it starts anew, and an expression such as `x([a-z]*y)?` looks to the end of
the text each time. So the first matches may be of any length; behind them RE2 sees only so many characters at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

MOST_UNBOUNDED = 100
"""Matches in one text that RE2 may look for to its end."""

ENOUGH = 1_000
"""Characters, at least, that it sees from where one of the others begins."""


def matches(regex: Any, text: str) -> Iterator[tuple[int, Any]]:
    """The matches, rising and apart, each with what to add to its offsets.

    Behind the first `MOST_UNBOUNDED`, one that `ENOUGH` characters do not tell of may be missing; one that they tell of is
    found whole.

    Args:
        regex: compiled by `re2`.
        text: without lone surrogates.
    """
    found = done = 0
    for match in islice(regex.finditer(text), MOST_UNBOUNDED):
        yield 0, match
        found += 1
        done = max(match.end(), match.start() + 1)
    if found == MOST_UNBOUNDED:
        yield from _in_windows(regex, text, done)


def _in_windows(regex: Any, text: str, at: int) -> Iterator[tuple[int, Any]]:
    while at <= len(text):
        low, high, part = _window(text, at, 2 * ENOUGH)
        following = at + ENOUGH
        for seen in regex.finditer(part, at - low, high - low):
            start, end = low + seen.start(), low + seen.end()
            if start >= at + ENOUGH and high < len(text):
                break
            shift, match = _whole(regex, text, start) if end == high else (low, seen)
            yield shift, match
            following = max(following, shift + match.end())
        at = following if high < len(text) else len(text) + 1


def _window(text: str, at: int, size: int) -> tuple[int, int, str]:
    """A part of a text with one character more at each end, for `^` and `$`: where that begins, where the part ends."""
    low, high = max(0, at - 1), min(len(text), at + size)
    return low, high, text[low : high + 1]


def _whole(regex: Any, text: str, start: int) -> tuple[int, Any]:
    """A match that may go on; reads twice as much until it ends, so at most four times what it is long."""
    size = 2 * ENOUGH
    while True:
        low, high, part = _window(text, start, size)
        match = regex.search(part, start - low, high - low)
        if low + match.end() < high or high == len(text):
            return low, match
        size *= 2
