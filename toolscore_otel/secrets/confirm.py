"""What was detected in one string: is it a secret?"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from msgspec import Struct

from toolscore_otel.secrets.detection import ANYWHERE
from toolscore_otel.secrets.hit import Confidence
from toolscore_otel.secrets.kind import LEFT, Kind
from toolscore_otel.secrets.kinds import TABLE
from toolscore_otel.secrets.lookalikes import is_placeholder

MARK = re.compile(r"\[REDACTED:[A-Za-z0-9_.-]+\]")
"""What stands where a secret was taken out."""

_TAIL_CHARS = 1000  # a cut secret is looked for in the last so many characters
_NAME_CHARS = 48  # of a part of a name, at most
_NAME_PARTS = 3
_CUT_LEAST = 4  # characters behind its prefix

Extent = tuple[int, int]


class Found(Struct, frozen=True, gc=False):
    """A secret, with its value; never leaves this package.

    Attributes:
        fingerprint: of one that was taken out and left a sealed mark (`seals`); its `value` is then the seal.
    """

    kind: str
    start: int
    end: int
    confidence: Confidence
    value: str
    fingerprint: str | None = None

    def moved(self, start: int, end: int) -> Found:
        """The same, elsewhere."""
        return Found(self.kind, start, end, self.confidence, self.value, self.fingerprint)


class Claims:
    """Which characters are spoken for: each belongs to the first kind that said something about it."""

    __slots__ = ("_marks", "_taken")

    def __init__(self, text: str) -> None:
        self._marks = [mark.span() for mark in MARK.finditer(text)] if "[REDACTED:" in text else []
        self._taken = bytearray(len(text))

    def take(self, secret: Extent, whole: Extent) -> bool:
        """Claim a secret; False where it is taken, or touches a mark with all that was read for it."""
        start, end = secret
        if self._taken.find(1, start, end) >= 0 or _touches(whole, self._marks):
            return False
        self._taken[start:end] = b"\1" * (end - start)
        return True

    def free(self, kind: Kind, ends: Sequence[int]) -> list[int]:
        """Where detection forms of a kind end, rising; without those that end in what is taken, which its secret would touch."""
        if not kind.words:
            return sorted(ends)
        return [end for end in sorted(ends) if end == ANYWHERE or not self._taken[end - 1]]


def _touches(extent: Extent, others: Sequence[Extent]) -> bool:
    """Whether it shares a character with one of the others, which are apart and rise."""
    at = bisect_left(others, (extent[1],)) - 1  # the last that begins before it ends
    return at >= 0 and extent[0] < others[at][1]


@cache
def regex(pattern: str) -> re.Pattern[str]:
    """A compiled whole form; compiled when it is first needed."""
    return re.compile(pattern)


def in_text(
    text: str, ends: Mapping[int, Sequence[int]], claims: Claims, *, cut: bool = False
) -> list[Found]:
    """The secrets of a text, as the kinds have precedence.

    Args:
        text: one string.
        ends: row of the table -> where its detection form was seen to end.
        claims: of this text.
        cut: the text ends where somebody cut it.
    """
    rows = sorted(ends)
    found: list[Found] = []
    later: list[int] = []
    for row in rows:
        if TABLE[row].prefix is None:
            later.append(row)
        else:
            _of_kind(TABLE[row], text, ends[row], claims, found, cut=cut)
    if cut:
        found += _at_cut_end(text, claims)
    for row in later:
        _of_kind(TABLE[row], text, ends[row], claims, found)
    return found


def _of_kind(
    kind: Kind,
    text: str,
    ends: Sequence[int],
    claims: Claims,
    found: list[Found],
    *,
    cut: bool = False,
) -> None:
    rest = claims.free(kind, ends)
    for match in _at_words(kind, text, rest) if kind.words and rest else _matches(kind, text, rest):
        if kind.names is not None and not kind.names(match["name"]):
            continue
        start, end = extent = match.span("secret")
        secret = match["secret"]
        is_one = kind.check(secret)
        if not is_one and (kind.tentative or (cut and end == len(text))):
            continue
        if claims.take(extent, match.span()) and is_one:
            found.append(Found(kind.name, start, end, kind.confidence, secret))


def _matches(kind: Kind, text: str, ends: Sequence[int]) -> Iterable[re.Match[str]]:
    if len(ends) == 1 and ends[0] != ANYWHERE:  # quicker
        match = _next(kind, text, max(0, ends[0] - kind.reach))
        return () if match is None else (match,)
    return _all_matches(kind, text, ends)


def _all_matches(kind: Kind, text: str, ends: Sequence[int]) -> Iterator[re.Match[str]]:
    done = 0
    for end in ends:
        if end <= done and end != ANYWHERE:
            continue
        match = _next(kind, text, max(done, end - kind.reach))
        while match is not None and end == ANYWHERE:
            yield match
            match = _next(kind, text, match.end())
        if match is None:  # it searched all the rest
            return
        yield match
        done = match.end()


def _at_words(kind: Kind, text: str, ends: Sequence[int]) -> Iterator[re.Match[str]]:
    """As `_matches`, of a kind with words: the whole form is tried where a name with one of them begins."""
    pattern = regex(kind.pattern)
    done = 0
    for low, high in _windows(ends, kind.reach, len(text)):
        for start in _names(kind, text, low, high):
            if start >= done and (match := pattern.match(text, start)) is not None:
                yield match
                done = match.end()


def _windows(ends: Sequence[int], reach: int, length: int) -> Iterator[Extent]:
    """Where whole forms may begin; parts of a text that overlap are one, so that no name is tried twice."""
    if ends[0] == ANYWHERE:
        yield 0, length
        return
    low, high = ends[0] - reach, ends[0]
    for end in ends:
        if end - reach > high:
            yield max(0, low), high
            low = end - reach
        high = end
    yield max(0, low), high


def _names(kind: Kind, text: str, low: int, high: int) -> list[int]:
    """Where names begin that hold a word of a kind in this part of a text, rising; a name has up to three parts."""
    part = text[low:high]
    lowered = part.lower() if part.isascii() else part.encode("ascii", "replace").lower().decode()
    starts: set[int] = set()
    for word in kind.words:
        at = lowered.find(word)
        while at >= 0:
            start = low + at
            for _ in range(_NAME_PARTS):
                before = text[max(0, start - _NAME_CHARS) : start]
                start -= len(before) - len(before.rstrip(kind.run))
                starts.add(start)
                if not start or text[start - 1] != " ":
                    break
                start -= 1
            at = lowered.find(word, at + len(word))
    return sorted(starts)


def _next(kind: Kind, text: str, start: int) -> re.Match[str] | None:
    """The first whole form from `start` on that stands where it may."""
    pattern = regex(kind.pattern)
    match = pattern.search(text, start)
    if not kind.left:
        return match
    left = regex(kind.left)
    while match is not None and left.match(text, match.start()) is None:
        match = pattern.search(text, match.start() + 1)
    return match


_NAMED = tuple((kind, kind.names) for kind in TABLE if kind.names is not None and kind.value)


def under_name(name: str, value: str, claims: Claims) -> Iterator[Found]:
    """The secret that a whole string is, or that stands in it, because of the name it stands under."""
    if MARK.search(name):
        return
    for kind, names in _NAMED:
        if not names(name):
            continue
        for start, end in _of_form(kind, value):
            secret = value[start:end]
            if kind.check(secret) and claims.take((start, end), (start, end)):
                yield Found(kind.name, start, end, kind.confidence, secret)


def _of_form(kind: Kind, value: str) -> Iterator[Extent]:
    """What of a string under a telling name may be a secret of a kind: all of it, or the places that its form names."""
    pattern = regex(kind.value)
    if "secret" in pattern.groupindex:
        yield from [match.span("secret") for match in pattern.finditer(value)]
    elif pattern.fullmatch(value):
        yield 0, len(value)


@cache
def _cut_pattern() -> re.Pattern[str]:
    either = "|".join(f"(?P<{kind.name}>{kind.prefix})" for kind in TABLE if kind.prefix)
    return re.compile(
        rf"{LEFT}(?P<secret>(?:{either})(?P<body>[A-Za-z0-9_+/=%.:@-]{{{_CUT_LEAST},}}?))(?:\.\.\.|…)?\Z"
    )


def _at_cut_end(text: str, claims: Claims) -> Iterator[Found]:
    match = _cut_pattern().search(text, max(0, len(text) - _TAIL_CHARS))
    if match is None or is_placeholder(match["body"]) or not _is_drawn(match["body"]):
        return
    parts = match.groupdict()
    kind = next(kind.name for kind in TABLE if parts.get(kind.name))
    extent = match.span("secret")
    if claims.take(extent, match.span()):
        yield Found(kind, *extent, "low", match["secret"])


def _is_drawn(body: str) -> bool:
    """Whether it may be characters at random: a word (`npm_install`) is in one case and has no digit."""
    return any(map(str.isdigit, body)) or (body.lower() != body != body.upper())
