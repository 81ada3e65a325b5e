"""The secrets of one string: as it is written, and behind what may hide them in it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator

from msgspec import Struct

from toolscore_otel.secrets.columns import in_columns
from toolscore_otel.secrets.confirm import Claims, Found, in_text, under_name
from toolscore_otel.secrets.detection import Detected
from toolscore_otel.secrets.encodings import (
    Plain,
    base64_texts,
    without_colours,
    without_percent,
    without_plus,
)
from toolscore_otel.secrets.lists import commands_in, without_marks
from toolscore_otel.secrets.patterns import Patterns
from toolscore_otel.secrets.rows import (
    BEFORE_ROW,
    COLOURED_ROW,
    COLUMNS_ROW,
    FIRST,
    FLAG_ROW,
    FORM_ROW,
    HIDDEN_ROW,
    PERCENT_ROW,
)
from toolscore_otel.secrets.seals import BEGIN, sealed_in

_LAYERS = 4
"""Of what hides, one behind the other."""

_HIDING: tuple[tuple[int, Callable[[str], Plain]], ...] = (
    (PERCENT_ROW, without_percent),
    (FORM_ROW, without_plus),
    (COLOURED_ROW, without_colours),
)
_NOT_BASE64 = frozenset(
    {HIDDEN_ROW, BEFORE_ROW, PERCENT_ROW, FORM_ROW, COLOURED_ROW, FLAG_ROW, COLUMNS_ROW}
)


class Within(Struct, frozen=True):
    """Looks for secrets in strings that are no JSON.

    Attributes:
        detect: finds the detection forms.
        patterns: kinds of the caller's own.
        family: of the scanner (`seals`).
    """

    detect: Callable[[str], Detected]
    patterns: Patterns | None
    family: str

    def find(
        self,
        text: str,
        seen: Detected,
        name: str | None = None,
        *,
        cut: bool = False,
        base64: bool = True,
        layers: int = _LAYERS,
    ) -> list[Found]:
        """The secrets of a string.

        Args:
            text: all of it.
            seen: the detection forms in it.
            name: what it stands under.
            cut: it ends where somebody cut it.
            base64: what stands in base64 is gone into.
            layers: of what hides, so many are taken off.
        """
        ends, signs = _parted(seen)
        found = self._written(text, ends, signs, name, cut=cut, base64=base64)
        if FLAG_ROW in signs:
            plain, place = without_marks(text)
            found = _with(found, commands_in(plain, self.detect(plain)), place)
        for row, without in _HIDING if signs and layers else ():
            if row in signs:
                plain, place = without(text)
                seen = self.detect(plain)
                hidden = self.find(plain, seen, name, base64=base64, layers=layers - 1)
                found = _with(found, hidden, place)
        return found

    def _written(
        self,
        text: str,
        ends: dict[int, list[int]],
        signs: set[int],
        name: str | None,
        *,
        cut: bool,
        base64: bool,
    ) -> list[Found]:
        """What stands in a string as it is written, or in base64."""
        claims = Claims(text)
        found = [*sealed_in(text, self.family)] if BEGIN in text else []
        if self.patterns is not None:
            found += self.patterns.find(text, claims)
        if ends or cut:
            found += in_text(text, ends, claims, cut=cut)
        if name is not None:
            found += under_name(name, text, claims)
        if COLUMNS_ROW in signs:
            found += in_columns(text, claims)
        if base64 and signs - _NOT_BASE64:
            found += self._in_base64(text, claims)
        return found

    def _in_base64(self, text: str, claims: Claims) -> Iterator[Found]:
        """What stands in base64, one level deep: all of it is the secret."""
        for start, end, inner in base64_texts(text):
            found = self.find(inner, self.detect(inner), base64=False)
            if found and claims.take((start, end), (start, end)):
                yield min(found, key=_start).moved(start, end)


def _parted(seen: Detected) -> tuple[dict[int, list[int]], set[int]]:
    """The kinds with where their detection forms end, and the signs that something hides."""
    ends: dict[int, list[int]] = {}
    signs: set[int] = set()
    for row, end in seen:
        if row >= FIRST:
            signs.add(row)
        elif row in ends:
            ends[row].append(end)
        else:
            ends[row] = [end]
    return ends, signs


def _with(
    found: list[Found], hidden: list[Found], place: Callable[[int, int], tuple[int, int]]
) -> list[Found]:
    """With what was hidden; where that only hid more of a secret, the secret is longer."""
    known = sorted(found, key=_start)
    starts = [one.start for one in known]
    more: list[Found] = []
    for one in hidden:
        start, end = place(one.start, one.end)
        last = bisect_left(starts, end)
        near = range(max(0, bisect_left(starts, start) - 1), last)
        others = [number for number in near if start < known[number].end]
        if not others:
            more.append(one.moved(start, end))
        elif len(others) == 1 and known[others[0]].fingerprint is None:
            other = known[others[0]]
            known[others[0]] = other.moved(min(start, other.start), max(end, other.end))
    return [*known, *more]


def _start(one: Found) -> int:
    return one.start
