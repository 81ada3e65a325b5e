"""The scanner: raw text first, everything else only where something was seen.

Most texts hold no secret. So the raw text goes through one automaton, unparsed; JSON is read only where a detection form
was seen, string by string, each with the name it stands under, down to JSON in JSON in JSON.
"""

from __future__ import annotations

import json
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import blake2b
from operator import itemgetter

import msgspec
from msgspec import Struct

from toolscore_otel.model import Json
from toolscore_otel.secrets.asked import asked_kinds
from toolscore_otel.secrets.confirm import Found
from toolscore_otel.secrets.detection import ANYWHERE, Detected, Engine, compiled
from toolscore_otel.secrets.document import (
    Leaf,
    Step,
    is_document,
    leaves,
    leaves_at,
    leaves_called_at,
)
from toolscore_otel.secrets.fingerprint import Fingerprints
from toolscore_otel.secrets.hit import SecretHit
from toolscore_otel.secrets.kinds import KINDS, TABLE
from toolscore_otel.secrets.lists import in_lists
from toolscore_otel.secrets.names import may_tell
from toolscore_otel.secrets.patterns import Described, OwnPattern, Patterns, described
from toolscore_otel.secrets.rows import (
    BEFORE_ROW,
    EXPRESSIONS,
    FLAG_ROW,
    HIDDEN_ROW,
    PERCENT_ROW,
    SAID_ROW,
)
from toolscore_otel.secrets.seals import BEGIN, is_genuine
from toolscore_otel.secrets.within import Within

_LEVELS = 4  # a JSON text, and JSON in its strings three levels down
_WORTH_A_LOOK = ("\\", BEGIN)
_ROWS_BY_NAME = frozenset(
    {HIDDEN_ROW, PERCENT_ROW, BEFORE_ROW, *(row for row, kind in enumerate(TABLE) if kind.value)}
)

_ROWS_OF_ALL = frozenset({HIDDEN_ROW, FLAG_ROW, SAID_ROW})
"""Where these are seen, every string is worth a look."""

_ROWS_BY_FAR_NAME = frozenset(
    {
        *(PERCENT_ROW, BEFORE_ROW),
        *(row for row, kind in enumerate(TABLE) if kind.value and not kind.words),
    }
)
"""Where these are seen, a name may tell of a string in which nothing is."""

_NONE: Mapping[int, list[Found]] = {}
_FEW_POINTS = 24
"""Of more, each with its own way through the text, a walk through all of it is quicker."""

_BEGIN = BEGIN.encode()

_per_thread = threading.local()
_one_at_a_time = threading.Lock()
"""Threads that come at once compile once."""


class Placed(Struct, frozen=True, gc=False):
    """A secret and the path of the string it stands in."""

    path: tuple[Step, ...]
    found: Found


class Scanner:
    """Finds secrets in texts and JSON values. Immutable; threads may share one.

    Args:
        kinds: only these kinds, those of `patterns` included; None for all.
        not_kinds: none of these. A kind that is left out still claims its secrets: no other kind reports them.
        patterns: further kinds, or their names and RE2 expressions. They are asked in every string, so each costs time.
        engine: `auto` takes hyperscan where the extra `secrets` is installed, else RE2. Both find the same.

    Raises:
        ConfigError: an unknown kind, or a pattern that makes no sense.
        MissingExtraError: hyperscan was asked for and is not installed.

    Attributes:
        family: 16 hex digits, the same for all scanners with the same `patterns`.
    """

    __slots__ = ("_look", "_wanted", "_within", "family")

    def __init__(
        self,
        kinds: Iterable[str] | None = None,
        not_kinds: Iterable[str] = (),
        patterns: Iterable[Described] = (),
        *,
        engine: Engine = "auto",
    ) -> None:
        given = described(patterns)
        own = Patterns(given)
        self.family = _digest(given)
        known = {*KINDS, *own.names}
        wanted = known if kinds is None else asked_kinds(kinds, known)
        self._wanted = frozenset(wanted - asked_kinds(not_kinds, known))
        with _one_at_a_time:
            self._look = compiled(engine, EXPRESSIONS, _per_thread)
        self._within = Within(self._detect, own if own.names else None, self.family)

    def scan_text(
        self, text: str, *, cut: bool = False, fingerprints: Fingerprints | None = None
    ) -> tuple[SecretHit, ...]:
        """The secrets of a text, in order; JSON is gone into.

        Args:
            text: anything.
            cut: the text ends where somebody cut it, so that the beginning of a secret at its end counts.
            fingerprints: fills `fingerprint`; what was sealed under its key (`seals`) is found again.

        Returns:
            Hits whose offsets count in `text` as it is given.
        """
        seen = self._detect(text)
        is_sealed = fingerprints is not None and BEGIN in text
        if not (seen or cut or is_sealed) and self._within.patterns is None:
            return ()
        placed = self._search(text, seen, None, _LEVELS, cut=cut)
        return self._told(placed, fingerprints)

    def may_find(self, value: Json, *, sealed: bool = False) -> bool:
        """Whether `scan_json` may find anything in a value, or in any value inside it; quick.

        False is certain: it is the scan's own first look. Kinds of the caller's own make it true for every value.

        Args:
            value: may be many values together.
            sealed: whether the scan has `fingerprints`, and finds what was sealed.
        """
        if self._within.patterns is not None:
            return True
        data = _encoded(value)
        return bool(self._look(data)) or (sealed and _BEGIN in data)

    def scan_json(
        self, value: Json, *, fingerprints: Fingerprints | None = None
    ) -> tuple[SecretHit, ...]:
        """The secrets of a decoded JSON value, in order; strings that are JSON again are gone into.

        Args:
            value: scanned with its keys.
            fingerprints: as for `scan_text`.

        Returns:
            Hits whose offsets count in the string at their path (the outermost one, where JSON stands in a string).
        """
        data = _encoded(value)
        seen = self._look(data)
        is_sealed = fingerprints is not None and _BEGIN in data
        if not (seen or is_sealed) and self._within.patterns is None:
            return ()
        text = data.decode()
        if not data.isascii():  # offsets were those of bytes
            seen = self._detect(text)
        inside = self._in_document(text, seen, None, _LEVELS)
        placed = (one for _, _, inner in inside for one in inner)
        return self._told(placed, fingerprints)

    def _detect(self, text: str) -> Detected:
        """The detection forms in a text; all are ASCII, and one byte a code point makes offsets agree."""
        return self._look(text.encode("ascii", "replace"))

    def _search(
        self, text: str, seen: Detected, name: str | None, levels: int, *, cut: bool = False
    ) -> list[Placed]:
        """The secrets of a string, in order; their paths begin in it."""
        if not levels or not is_document(text):
            found = self._within.find(text, seen, name, cut=cut)
            placed = [Placed((), one) for one in found]
        else:
            placed = list[Placed]()
            for leaf, value, inner in self._in_document(text, seen, name, levels):
                place = leaf.places(value, len(inner))
                placed += [
                    Placed(one.path, one.found.moved(*place(one.found.start, one.found.end)))
                    for one in inner
                ]
        if len(placed) > 1:
            placed.sort(key=_start)
        return placed

    def _in_document(
        self, text: str, seen: Detected, name: str | None, levels: int
    ) -> Iterator[tuple[Leaf, str, list[Placed]]]:
        """The strings with secrets, what they stand for, and the secrets."""
        labels: dict[tuple[Step, ...], str] = {}
        rows = {row for row, _ in seen}
        by_name = name is not None or not rows.isdisjoint(_ROWS_BY_NAME)
        commands = in_lists(text, self._detect) if FLAG_ROW in rows else _NONE
        near = _by_place(seen)
        for leaf in self._leaves(text, name, seen, rows, by_name=by_name):
            value = leaf.text
            seen_here = self._seen_in(leaf, value, near(leaf.start, len(value)))
            if SAID_ROW in rows:
                seen_here = [*seen_here, (SAID_ROW, ANYWHERE)]
            inner = self._search(value, seen_here, leaf.name if by_name else None, levels - 1)
            if leaf.start in commands:
                inner = _with_those(inner, commands[leaf.start])
            if not inner:
                continue
            steps, is_key = leaf.where(text)
            path = (
                tuple([labels.get(steps[: at + 1], step) for at, step in enumerate(steps)])
                if labels
                else steps
            )
            if is_key:
                label = labels[*steps, value] = f"<key:{inner[0].found.kind}>"
                path = (*path, label)
            yield leaf, value, [Placed((*path, *one.path), one.found) for one in inner]

    def _seen_in(self, leaf: Leaf, value: str, seen: Detected) -> Detected:
        """The detection forms in a string of a document in which these were seen."""
        if value is not leaf.raw or (seen and seen[0][1] == ANYWHERE):
            return self._detect(value)
        start, length = leaf.start, len(value)
        return [(row, end - start) for row, end in seen if 0 < end - start <= length]

    def _leaves(
        self, text: str, name: str | None, seen: Detected, rows: set[int], *, by_name: bool
    ) -> Iterable[Leaf]:
        """The strings that are worth a look."""
        named = may_tell if by_name else None
        if (
            self._within.patterns is not None
            or not rows.isdisjoint(_ROWS_OF_ALL)
            or (seen and seen[0][1] == ANYWHERE)
        ):
            return leaves(text, name, lambda _start, _raw: True, named)
        points = sorted({end - 1 for _, end in seen})
        if len(points) <= _FEW_POINTS:
            if not by_name:
                return leaves_at(text, points, _WORTH_A_LOOK)
            if rows.isdisjoint(_ROWS_BY_FAR_NAME):
                called = leaves_called_at(text, points, _WORTH_A_LOOK)
                if called is not None:
                    return called

        def wanted(start: int, raw: str) -> bool:
            at = bisect_left(points, start)
            is_seen = at < len(points) and points[at] < start + len(raw)
            return is_seen or any(sign in raw for sign in _WORTH_A_LOOK)

        return leaves(text, name, wanted, named)

    def _told(
        self, placed: Iterable[Placed], fingerprints: Fingerprints | None
    ) -> tuple[SecretHit, ...]:
        told: list[SecretHit] = []
        for one in placed:
            found = one.found
            if found.kind in self._wanted and is_genuine(found, fingerprints, self.family):
                path = ".".join(map(str, one.path))
                mark = _fingerprint(found, fingerprints)
                told.append(
                    SecretHit(found.kind, path, found.start, found.end, found.confidence, mark)
                )
        return tuple(told)


def _by_place(seen: Detected) -> Callable[[int, int], Detected]:
    """What was seen within so many characters from a place on; all of it, where that is little or its places are not known."""
    if len(seen) <= _FEW_POINTS:
        return lambda _start, _length: seen
    rising = sorted(seen, key=itemgetter(1))
    ends = [end for _, end in rising]
    if ends[0] == ANYWHERE:
        return lambda _start, _length: seen
    return lambda start, length: rising[
        bisect_left(ends, start) : bisect_right(ends, start + length)
    ]


def _with_those(inner: list[Placed], found: list[Found]) -> list[Placed]:
    """With those that touch none of the others."""
    more = [
        one
        for one in found
        if not any(one.start < other.found.end and other.found.start < one.end for other in inner)
    ]
    return sorted([*inner, *(Placed((), one) for one in more)], key=_start)


def _start(one: Placed) -> int:
    return one.found.start


def _fingerprint(found: Found, fingerprints: Fingerprints | None) -> str | None:
    if found.fingerprint is not None or fingerprints is None:
        return found.fingerprint
    return fingerprints.of(found.value)


def _digest(patterns: tuple[OwnPattern, ...]) -> str:
    return blake2b(repr(patterns).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _encoded(value: Json) -> bytes:
    try:
        return msgspec.json.encode(value)
    except (TypeError, ValueError):  # lone surrogates, integers past 64 bits
        return json.dumps(value, default=str).encode()
