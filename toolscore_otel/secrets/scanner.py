"""The scanner: raw text first, everything else only where something was seen.

Most texts hold no secret. So the raw text goes through one automaton, unparsed; JSON is read only where a detection form
was seen, string by string, each with the name it stands under, down to JSON in JSON in JSON.
"""

from __future__ import annotations

import json
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from operator import itemgetter

import msgspec
from msgspec import Struct

from toolscore_otel.model import Json
from toolscore_otel.secrets.asked import asked_kinds
from toolscore_otel.secrets.columns import HEAD, in_columns
from toolscore_otel.secrets.confirm import Claims, Found, in_text, under_name
from toolscore_otel.secrets.detection import ANYWHERE, Detected, Engine, compiled
from toolscore_otel.secrets.document import (
    Leaf,
    Step,
    is_document,
    leaves,
    leaves_at,
    leaves_called_at,
)
from toolscore_otel.secrets.encodings import (
    PERCENT,
    SAID,
    base64_forms,
    base64_texts,
    without_percent,
)
from toolscore_otel.secrets.fingerprint import Fingerprints
from toolscore_otel.secrets.hit import SecretHit
from toolscore_otel.secrets.kinds import KINDS, TABLE
from toolscore_otel.secrets.names import MAY_TELL, may_tell
from toolscore_otel.secrets.naming import NAME_ABOVE, VALUE_BEFORE_NAME
from toolscore_otel.secrets.patterns import Described, OwnPattern, Patterns, described
from toolscore_otel.secrets.seals import BEGIN, is_genuine, sealed_in

_LEVELS = 4  # a JSON text, and JSON in its strings three levels down
_HIDDEN = r"\\(?:/|u00[2-7])"  # escapes behind which a detection form cannot be seen
_EXPRESSIONS = (
    *(kind.detect for kind in TABLE),
    *(
        _HIDDEN,
        PERCENT,
        HEAD,
        SAID,
        f"{VALUE_BEFORE_NAME}{MAY_TELL}|{MAY_TELL}{NAME_ABOVE}",
        *base64_forms(TABLE),
    ),
)
_HIDDEN_ROW = len(TABLE)
_PERCENT_ROW, _COLUMNS_ROW, _SAID_ROW, _BEFORE_ROW = (_HIDDEN_ROW + n for n in (1, 2, 3, 4))
"""What follows is of base64, too."""

_WORTH_A_LOOK = ("\\", BEGIN)
_ROWS_BY_NAME = {
    _HIDDEN_ROW,
    _PERCENT_ROW,
    _BEFORE_ROW,
    *(row for row, kind in enumerate(TABLE) if kind.value),
}

_ROWS_OF_ALL = {_HIDDEN_ROW, _SAID_ROW}
"""Where these are seen, every string is worth a look."""

_ROWS_BY_FAR_NAME = {
    _PERCENT_ROW,
    _BEFORE_ROW,
    *(row for row, kind in enumerate(TABLE) if kind.value and not kind.words),
}
"""Where these are seen, a name may tell of a string in which nothing is."""

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

    __slots__ = ("_detect", "_patterns", "_wanted", "family")

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
        self._patterns = own if own.names else None
        known = {*KINDS, *own.names}
        wanted = known if kinds is None else asked_kinds(kinds, known)
        self._wanted = frozenset(wanted - asked_kinds(not_kinds, known))
        with _one_at_a_time:
            self._detect = compiled(engine, _EXPRESSIONS, _per_thread)

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
        seen = self._detect(_ascii(text))
        is_sealed = fingerprints is not None and BEGIN in text
        if not (seen or cut or is_sealed) and self._patterns is None:
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
        if self._patterns is not None:
            return True
        data = _encoded(value)
        return bool(self._detect(data)) or (sealed and _BEGIN in data)

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
        seen = self._detect(data)
        is_sealed = fingerprints is not None and _BEGIN in data
        if not (seen or is_sealed) and self._patterns is None:
            return ()
        text = data.decode()
        if not data.isascii():  # offsets were those of bytes
            seen = self._detect(_ascii(text))
        inside = self._in_document(text, seen, None, _LEVELS)
        placed = (one for _, _, inner in inside for one in inner)
        return self._told(placed, fingerprints)

    def _search(
        self, text: str, seen: Detected, name: str | None, levels: int, *, cut: bool = False
    ) -> list[Placed]:
        """The secrets of a string, in order; their paths begin in it."""
        if not levels or not is_document(text):
            found = self._in_string(text, seen, name, levels, cut=cut)
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
        by_name = name is not None or any(row in _ROWS_BY_NAME for row, _ in seen)
        is_said = any([row == _SAID_ROW for row, _ in seen])  # noqa: C419 - quicker
        near = _by_place(seen)
        for leaf in self._leaves(text, name, seen, by_name=by_name):
            value = leaf.text
            called = leaf.name if by_name else None
            seen_here = self._seen_in(leaf, value, near(leaf.start, len(value)))
            if is_said:
                seen_here = [*seen_here, (_SAID_ROW, ANYWHERE)]
            inner = self._search(value, seen_here, called, levels - 1)
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
        if value != leaf.raw or any([end == ANYWHERE for _, end in seen]):  # noqa: C419 - quicker
            return self._detect(_ascii(value))
        return [(row, at) for row, end in seen if 0 < (at := end - leaf.start) <= len(value)]

    def _leaves(
        self, text: str, name: str | None, seen: Detected, *, by_name: bool
    ) -> Iterator[Leaf]:
        """The strings that are worth a look."""
        named = may_tell if by_name else None
        if self._patterns is not None or any(
            end == ANYWHERE or row in _ROWS_OF_ALL for row, end in seen
        ):
            return leaves(text, name, lambda _start, _raw: True, named)
        points = sorted({end - 1 for _, end in seen})
        if len(points) <= _FEW_POINTS:
            if not by_name:
                return leaves_at(text, points, _WORTH_A_LOOK)
            if not any([row in _ROWS_BY_FAR_NAME for row, _ in seen]):  # noqa: C419 - quicker
                called = leaves_called_at(text, points, _WORTH_A_LOOK)
                if called is not None:
                    return iter(called)

        def wanted(start: int, raw: str) -> bool:
            at = bisect_left(points, start)
            is_seen = at < len(points) and points[at] < start + len(raw)
            return is_seen or any(sign in raw for sign in _WORTH_A_LOOK)

        return leaves(text, name, wanted, named)

    def _in_string(
        self, text: str, seen: Detected, name: str | None, levels: int, *, cut: bool
    ) -> list[Found]:
        ends: dict[int, list[int]] = {}
        is_encoded = is_quoted = has_columns = False
        for row, end in seen:
            if row < _HIDDEN_ROW:
                ends.setdefault(row, []).append(end)
            elif row == _PERCENT_ROW:
                is_quoted = True
            elif row == _COLUMNS_ROW:
                has_columns = True
            elif row not in {_HIDDEN_ROW, _BEFORE_ROW}:
                is_encoded = True
        claims = Claims(text)
        found = [*sealed_in(text, self.family)] if BEGIN in text else []
        if self._patterns is not None:
            found += self._patterns.find(text, claims)
        found += in_text(text, ends, claims, cut=cut)
        if name is not None:
            found += under_name(name, text, claims)
        if has_columns:
            found += in_columns(text, claims)
        if is_encoded and levels:
            found += self._in_base64(text, claims)
        return self._with_quoted(text, name, levels, found) if is_quoted else found

    def _in_base64(self, text: str, claims: Claims) -> Iterator[Found]:
        """What stands in base64, one level deep: all of it is the secret."""
        for start, end, inner in base64_texts(text):
            placed = self._search(inner, self._detect(_ascii(inner)), None, 0)
            if placed and claims.take((start, end), (start, end)):
                yield placed[0].found.moved(start, end)

    def _with_quoted(
        self, text: str, name: str | None, levels: int, found: list[Found]
    ) -> list[Found]:
        """With what percent-encoding hides; where it only hides more of a secret, that is longer."""
        plain, place = without_percent(text)
        known = sorted(found, key=lambda one: one.start)
        starts = [one.start for one in known]
        hidden: list[Found] = []
        for one in self._in_string(plain, self._detect(_ascii(plain)), name, levels, cut=False):
            start, end = place(one.start), place(one.end)
            last = bisect_left(starts, end)
            near = range(max(0, bisect_left(starts, start) - 1), last)
            others = [number for number in near if start < known[number].end]
            if not others:
                hidden.append(one.moved(start, end))
            elif len(others) == 1 and known[others[0]].fingerprint is None:
                other = known[others[0]]
                longer = other.moved(min(start, other.start), max(end, other.end))
                known[others[0]] = longer
        return [*known, *hidden]

    def _told(
        self, placed: Iterable[Placed], fingerprints: Fingerprints | None
    ) -> tuple[SecretHit, ...]:
        return tuple(
            SecretHit(
                kind=one.found.kind,
                path=".".join(map(str, one.path)),
                start=one.found.start,
                end=one.found.end,
                confidence=one.found.confidence,
                fingerprint=_fingerprint(one.found, fingerprints),
            )
            for one in placed
            if one.found.kind in self._wanted and is_genuine(one.found, fingerprints, self.family)
        )


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


def _start(one: Placed) -> int:
    return one.found.start


def _fingerprint(found: Found, fingerprints: Fingerprints | None) -> str | None:
    if found.fingerprint is not None or fingerprints is None:
        return found.fingerprint
    return fingerprints.of(found.value)


def _digest(patterns: tuple[OwnPattern, ...]) -> str:
    return blake2b(repr(patterns).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _ascii(text: str) -> bytes:
    """One byte a code point, so that offsets agree; every detection form is ASCII."""
    return text.encode("ascii", "replace")


def _encoded(value: Json) -> bytes:
    try:
        return msgspec.json.encode(value)
    except (TypeError, ValueError):  # lone surrogates, integers past 64 bits
        return json.dumps(value, default=str).encode()
