"""The scanner: raw text first, everything else only where something was seen.

Most texts hold no secret. So the raw text goes through one automaton, unparsed; JSON is read only where a detection form
was seen, string by string, each with the name it stands under, down to JSON in JSON in JSON.
"""

from __future__ import annotations

import json
import re
import threading
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from hashlib import blake2b

import msgspec
from msgspec import Struct, structs

from toolscore_otel.errors import ConfigError, clip
from toolscore_otel.model import Json
from toolscore_otel.secrets.confirm import Claims, Found, in_text, under_name
from toolscore_otel.secrets.detection import ANYWHERE, Detected, Engine, compiled
from toolscore_otel.secrets.document import Leaf, Step, is_document, leaves, leaves_at
from toolscore_otel.secrets.encodings import (
    PERCENT,
    base64_forms,
    base64_texts,
    without_percent,
)
from toolscore_otel.secrets.fingerprint import Fingerprints
from toolscore_otel.secrets.hit import SecretHit
from toolscore_otel.secrets.kinds import KINDS, TABLE
from toolscore_otel.secrets.names import may_tell
from toolscore_otel.secrets.patterns import Described, OwnPattern, Patterns, described
from toolscore_otel.secrets.seals import BEGIN, is_genuine, sealed_in

_LEVELS = 4  # a JSON text, and JSON in its strings three levels down
_HIDDEN = r"\\(?:/|u00[2-7])"  # escapes behind which a detection form cannot be seen
_EXPRESSIONS = (*(kind.detect for kind in TABLE), _HIDDEN, PERCENT, base64_forms(TABLE))
_HIDDEN_ROW, _PERCENT_ROW, _BASE64_ROW = range(len(TABLE), len(_EXPRESSIONS))
_WORTH_A_LOOK = re.compile(rf"\\|{re.escape(BEGIN)}")
_ROWS_BY_NAME = {
    _HIDDEN_ROW,
    _PERCENT_ROW,
    *(row for row, kind in enumerate(TABLE) if kind.names is not None),
}

_BEGIN = BEGIN.encode()

_per_thread = threading.local()


class Placed(Struct, frozen=True):
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
        wanted = known if kinds is None else _known(kinds, known)
        self._wanted = frozenset(wanted - _known(not_kinds, known))
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
        return self._told(sorted(placed, key=lambda one: one.found.start), fingerprints)

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
        placed = (one for _, inner in self._in_document(text, seen, None, _LEVELS) for one in inner)
        return self._told(placed, fingerprints)

    def _search(
        self, text: str, seen: Detected, name: str | None, levels: int, *, cut: bool = False
    ) -> Iterator[Placed]:
        if not levels or not is_document(text):
            found = self._in_string(text, seen, name, levels, cut=cut)
            yield from (Placed((), one) for one in found)
            return
        for leaf, inner in self._in_document(text, seen, name, levels):
            for one in inner:
                start, end = leaf.place(one.found.start), leaf.place(one.found.end)
                yield Placed(one.path, one.found.moved(start, end))

    def _in_document(
        self, text: str, seen: Detected, name: str | None, levels: int
    ) -> Iterator[tuple[Leaf, list[Placed]]]:
        labels: dict[tuple[Step, ...], str] = {}
        by_name = name is not None or any(row in _ROWS_BY_NAME for row, _ in seen)
        for leaf in self._leaves(text, name, seen, by_name=by_name):
            inner = self._in_leaf(leaf, levels, by_name=by_name)
            if not inner:
                continue
            path = tuple(labels.get(leaf.path[: at + 1], step) for at, step in enumerate(leaf.path))
            if leaf.is_key:
                label = labels[*leaf.path, leaf.text] = f"<key:{inner[0].found.kind}>"
                path = (*path, label)
            yield leaf, [Placed((*path, *one.path), one.found) for one in inner]

    def _in_leaf(self, leaf: Leaf, levels: int, *, by_name: bool) -> list[Placed]:
        text = leaf.text
        name = leaf.name if by_name else None
        found = self._search(text, self._detect(_ascii(text)), name, levels - 1)
        return sorted(found, key=lambda one: one.found.start)

    def _leaves(
        self, text: str, name: str | None, seen: Detected, *, by_name: bool
    ) -> Iterator[Leaf]:
        """The strings that are worth a look."""
        named = may_tell if by_name else None
        if self._patterns is not None or any(
            end == ANYWHERE or row == _HIDDEN_ROW for row, end in seen
        ):
            return leaves(text, name, lambda _start, _raw: True, named)
        points = {end - 1 for _, end in seen}
        points.update(mark.start() for mark in _WORTH_A_LOOK.finditer(text))
        ordered = sorted(points)
        if not by_name:
            return leaves_at(text, ordered)

        def wanted(start: int, raw: str) -> bool:
            at = bisect_left(ordered, start)
            return at < len(ordered) and ordered[at] < start + len(raw)

        return leaves(text, name, wanted, named)

    def _in_string(
        self, text: str, seen: Detected, name: str | None, levels: int, *, cut: bool
    ) -> list[Found]:
        ends: dict[int, list[int]] = {}
        for row, end in seen:
            ends.setdefault(row, []).append(end)
        encoded = ends.pop(_BASE64_ROW, ())
        is_quoted = ends.pop(_PERCENT_ROW, None) is not None
        ends.pop(_HIDDEN_ROW, None)
        claims = Claims(text)
        found = [*sealed_in(text, self.family)] if BEGIN in text else []
        if self._patterns is not None:
            found += self._patterns.find(text, claims)
        found += in_text(text, ends, claims, cut=cut)
        if name is not None:
            found += under_name(name, text, claims)
        if encoded and levels:
            found += self._in_base64(text, encoded, claims)
        return self._with_quoted(text, name, levels, found) if is_quoted else found

    def _in_base64(self, text: str, ends: Sequence[int], claims: Claims) -> Iterator[Found]:
        """What stands in base64, one level deep: all of it is the secret."""
        for start, end, inner in base64_texts(text, ends):
            one = next(self._search(inner, self._detect(_ascii(inner)), None, 0), None)
            if one is not None and claims.take((start, end), (start, end)):
                yield structs.replace(one.found, start=start, end=end)

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


def _known(kinds: Iterable[str], known: set[str]) -> set[str]:
    asked = set(kinds)
    for kind in sorted(asked - known):
        near = get_close_matches(kind, sorted(known), n=1, cutoff=0.5)
        hint = f"did you mean `{near[0]}`?" if near else "see `KINDS` for all"
        raise ConfigError(f"unknown kind of secret `{clip(kind)}`; {hint}")
    return asked
