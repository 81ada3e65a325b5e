"""The strings of a JSON text, each with its place in the text, its path and the name it stands under.

Reading by place, not by value: what is found in a string can then be replaced in the text, which stays as it was
everywhere else.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence

from msgspec import DecodeError, Raw, Struct, json as quick_json

Step = str | int

_TOKEN = re.compile(r'([\[\]{},])|"([^"\\]*(?:\\.[^"\\]*)*)"', re.DOTALL)
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL
)
_DECODER = json.JSONDecoder(strict=False)
_FEW_PIECES = 4
_BRACKET = re.compile(r"[\[\]{}]")
_NESTED = re.compile(r"[\[{][^\[\]{}]*[\]}]")
_LABEL_KEYS = frozenset({
    "name", "Name", "key", "Key", "ParameterKey", "variable", "header", "selector", "element", "label", "field", "locator", "path"
})  # fmt: skip
_GROUPS = frozenset({"cookies", "params", "query"})
"""Names of objects and lists in which a name means something else than elsewhere."""

_LABEL_BEHIND = re.compile(r'\s*,\s*"(?:[nN]ame|[kK]ey)"\s*:\s*"([^"\\]*)"')
_IS_KEY = re.compile(r'"\s*:')
_VALUE_KEYS = frozenset({"value", "Value", "val", "text", "ParameterValue"})
INNER_KEYS = frozenset(
    {
        *("value", "Value", "stringValue", "string_value", "plaintext"),
        *("current", "new", "old", "S", "Default"),
        *("prod", "production", "dev", "development", "staging", "test", "live", "sandbox"),
    }
)
"""Keys under which stands what the name of their object tells: `{"password": {"value": "..."}}`."""

_MANY = re.compile(r"(?i:passwords|passwds|(?:api|access|secret|auth)[_-]?(?:keys|tokens))\Z")
_ABOUT_ONE = re.compile(
    r"(?i)(?:id|name|user|type|description|title|format|pattern|default|examples?|ref|const|hash|digest|fingerprint|url|path"
    r"|version|at|hint|note)\Z"
)
"""How keys end in an object of many, or in a schema, that are no name of one of them."""


class Leaf(Struct, frozen=True, gc=False):
    """One string of a JSON text.

    Attributes:
        path: keys and indices down to it; for a key, down to its object.
        name: what the string is called: its key (in a list, the list's; in a list in a list, the first string of it; where that
            only tells which of many, or `value`, the key of its object), `name` beside `value`, `selector` beside `text`, or the flag before it in a list of arguments; among cookies and parameters of a
            request, with `cookies.` or `params.` before it. None for a key.
        start: where its characters begin in the text, behind the quote.
        raw: its characters as written, escapes and all.
        plain: where nobody has looked yet what `path` and `is_key` are: the text with other characters in place of escapes.
    """

    path: tuple[Step, ...]
    name: str | None
    is_key: bool
    start: int
    raw: str
    plain: str = ""

    @property
    def text(self) -> str:
        """What it stands for."""
        return decoded(self.raw)

    def where(self, text: str) -> tuple[tuple[Step, ...], bool]:
        """`path` and `is_key`.

        Args:
            text: which it is of.
        """
        plain, before, after = self.plain, self.start - 1, self.start + len(self.raw) + 1
        if not plain:
            return self.path, self.is_key
        if _sign_before(plain, before) == ":" and _depth(plain, before, after) == 1:
            end = plain.rfind('"', 0, before)
            return (decoded(text[plain.rfind('"', 0, end) + 1 : end]),), False
        return _path(text, plain[:before])

    def place(self, start: int, end: int, value: str) -> tuple[int, int]:
        """Where in the text a piece of the decoded string stands.

        Args:
            start: its first code point in the decoded string.
            end: one past its last.
            value: the decoded string.
        """
        raw = self.raw
        if "\\" not in raw:
            return self.start + start, self.start + end
        piece = value[start:end]
        at = raw.find(piece, start)
        if at >= 0 and "\\" not in piece and _length(raw[:at]) == start:
            return self.start + at, self.start + at + len(piece)
        return self._place(start), self._place(end)

    def places(self, value: str, pieces: int) -> Callable[[int, int], tuple[int, int]]:
        """`place` for many pieces: what the string is read for is read once.

        Args:
            value: the decoded string.
            pieces: how many.
        """
        if value is self.raw:
            first = self.start
            return lambda start, end: (first + start, first + end)
        if pieces <= _FEW_PIECES:
            return lambda start, end: self.place(start, end, value)
        told: list[int] = []  # where escapes stand in the decoded string
        shifts = [0]
        for escape in _ESCAPE.finditer(self.raw):
            told.append(escape.start() - shifts[-1])
            shifts.append(shifts[-1] + len(escape[0]) - 1)

        def placed(offset: int) -> int:
            return self.start + offset + shifts[bisect_left(told, offset)]

        return lambda start, end: (placed(start), placed(end))

    def _place(self, offset: int) -> int:
        shift = 0
        for escape in _ESCAPE.finditer(self.raw):
            if escape.start() - shift >= offset:
                break
            shift += len(escape[0]) - 1
        return self.start + offset + shift


class _Frame:
    """An object or a list that is open."""

    __slots__ = ("flag", "in_list", "is_row", "key", "label", "name")

    def __init__(self, *, in_list: bool, is_row: bool, name: str | None) -> None:
        self.in_list = in_list
        self.is_row = is_row
        self.name = name
        self.key: Step | None = 0 if in_list else None
        self.label: str | None = None
        self.flag: str | None = None


def decoded(raw: str) -> str:
    """A string literal without its quotes, as what it stands for."""
    return _DECODER.decode(f'"{raw}"') if "\\" in raw else raw


def _length(raw: str) -> int:
    """Code points that a beginning of a string literal stands for; -1 where it ends within an escape."""
    try:
        return len(decoded(raw))
    except ValueError:
        return -1


def is_document(text: str) -> bool:
    """Whether a text is JSON that can hold strings; as Python writes it, with `NaN` and halves of characters."""
    if text.lstrip()[:1] not in ("{", "[", '"'):
        return False
    try:
        quick_json.decode(text, type=Raw)
    except (DecodeError, UnicodeEncodeError):
        return text.rstrip()[-1] in ("}", "]", '"') and _python_reads(text)
    except RecursionError:
        return False
    return True


def _python_reads(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def leaves_at(text: str, points: Sequence[int], signs: Sequence[str]) -> Iterator[Leaf]:
    """The strings of a JSON text that hold any of these characters, in their order; what they are called is not told.

    Much quicker than `leaves` where few are asked for: no string but those is looked at.

    Args:
        text: valid JSON.
        points: offsets in it, rising; those outside of strings are passed over.
        signs: texts; strings that hold one of them are wanted, too.
    """
    plain = text.replace("\\\\", "xx").replace('\\"', "xx") if "\\" in text else text
    signs = [sign for sign in signs if sign in text]
    done = point = 0  # of the text, outside of strings; of the points
    while (point := _point(text, points, signs, point)) >= 0:
        if plain.count('"', done, point) % 2:
            start = plain.rfind('"', done, point) + 1
            end = plain.find('"', point)
            yield Leaf((), None, is_key=False, start=start, raw=text[start:end], plain=plain)
            done = point = end + 1
        else:
            done = point
            point += 1


def leaves_called_at(text: str, points: Sequence[int], signs: Sequence[str]) -> list[Leaf] | None:
    """As `leaves_at`, with what they are called; None where that takes a walk through the text: in lists, beside labels."""
    if any([f'"{group}"' in text for group in _GROUPS]):  # noqa: C419 - quicker
        return None
    found: list[Leaf] = []
    for leaf in leaves_at(text, points, signs):
        plain = leaf.plain
        sign = _sign_before(plain, leaf.start - 1)
        if sign == ":":
            end = plain.rfind('"', 0, leaf.start - 1)
            start = plain.rfind('"', 0, end) + 1
            key = decoded(text[start:end])
            if key in _VALUE_KEYS or key in INNER_KEYS:
                return None
            leaf = Leaf((), key, is_key=False, start=leaf.start, raw=leaf.raw, plain=plain)  # noqa: PLW2901
        elif sign != "{" and not _IS_KEY.match(text, leaf.start + len(leaf.raw)):
            return None
        found.append(leaf)
    return found


def _sign_before(text: str, end: int) -> str:
    """The last character before a place that is no white space."""
    while end and text[end - 1].isspace():
        end -= 1
    return text[end - 1 : end]


def _point(text: str, points: Sequence[int], signs: Sequence[str], start: int) -> int:
    """The first point or sign from `start` on; -1 where there is none."""
    at = bisect_left(points, start)
    point = points[at] if at < len(points) else -1
    for sign in signs:
        place = text.find(sign, start)
        if place >= 0 and (place < point or point < 0):
            point = place
    return point


def _depth(plain: str, before: int, after: int) -> int:
    """How many brackets are open between these places, outside of strings; read is the shorter side."""
    is_near_end = len(plain) - after < before
    side = plain[after:] if is_near_end else plain[:before]
    structure = "".join(side.split('"')[::2])
    depth = sum(map(structure.count, "{[")) - sum(map(structure.count, "}]"))
    return -depth if is_near_end else depth


def _path(text: str, before: str) -> tuple[tuple[Step, ...], bool]:
    """Keys and indices down to where a string begins, and whether it is a key itself.

    Args:
        text: as written.
        before: all of it before the string, without escapes.
    """
    strings = before.split('"')
    structure = '"'.join(strings[::2])  # a quote stands for a string
    steps: list[Step] = []
    is_key = False
    at = len(structure)
    for opening in _unclosed(structure):
        inside = structure[opening + 1 : at]
        if structure[opening] == "[":
            steps.append(_level(inside).count(","))
        elif inside.rstrip().endswith(":"):
            number = structure.count('"', 0, at)
            start = sum(map(len, strings[: 2 * number - 1])) + 2 * number - 1
            steps.append(decoded(text[start : start + len(strings[2 * number - 1])]))
        else:
            is_key = True
        at = opening
    return tuple(reversed(steps)), is_key


def _unclosed(structure: str) -> Iterator[int]:
    """Where brackets stand that are not closed, the innermost first."""
    closed = 0
    for bracket in reversed([*_BRACKET.finditer(structure)]):
        if bracket[0] in "]}":
            closed += 1
        elif closed:
            closed -= 1
        else:
            yield bracket.start()


def _level(inside: str) -> str:
    """A piece of structure without what is nested in it."""
    while (outer := _NESTED.sub("", inside)) != inside:
        inside = outer
    return inside


Wanted = Callable[[int, str], bool]
"""Whether a string is worth a look: where it begins in the text, and as it is written."""


def leaves(
    text: str, name: str | None, wanted: Wanted, named: Callable[[str], bool] | None
) -> Iterator[Leaf]:
    """The strings of a JSON text that are wanted, keys too, in their order.

    Args:
        text: valid JSON.
        name: what the text itself is called.
        wanted: which are wanted for what they are.
        named: which strings are wanted for their name alone; None for none.
    """
    frames: list[_Frame] = []
    frame: _Frame | None = None
    for token in _TOKEN.finditer(text):
        mark, raw = token.groups()
        if mark is None:
            start = token.start() + 1
            called = _called(frame, name, text, token.end())
            if wanted(start, raw) or (named and called and named(called)):
                yield _leaf(frames, called, start, raw)
            if frame is not None:
                _remember(frame, raw)
        elif mark == "," and frame is not None:
            frame.key = frame.key + 1 if isinstance(frame.key, int) else None
        elif mark in "{[":
            in_list = mark == "["
            is_row = frame is not None and frame.in_list
            frame = _Frame(in_list=in_list, is_row=is_row, name=_called(frame, name))
            frames.append(frame)
        else:
            frames.pop()
            frame = frames[-1] if frames else None


def _leaf(frames: list[_Frame], name: str | None, start: int, raw: str) -> Leaf:
    path = tuple(frame.key for frame in frames if frame.key is not None)
    is_key = bool(frames) and frames[-1].key is None
    return Leaf(path, name, is_key=is_key, start=start, raw=raw)


def _label_behind(text: str, end: int) -> str | None:
    found = _LABEL_BEHIND.match(text, end)
    return found[1] if found else None


def _remember(frame: _Frame, raw: str) -> None:
    if frame.in_list:
        frame.flag = raw.lstrip("-") if raw.startswith("-") and "=" not in raw else None
        frame.label = raw if frame.is_row and frame.key == 0 else None
    elif frame.key is None:
        frame.key = decoded(raw)
    elif frame.key in _LABEL_KEYS:
        frame.label = raw


def _called(frame: _Frame | None, name: str | None, text: str = "", end: int = 0) -> str | None:
    """What a string is called, or an object or a list.

    Args:
        frame: the innermost object or list that it is in.
        name: what the text is called.
        text: it itself; left out, a label that only follows does not count.
        end: where the string ends in it, behind the quote.
    """
    if frame is None:
        return name
    if frame.in_list:
        return frame.flag or frame.label or frame.name
    if frame.key in _VALUE_KEYS and (label := frame.label or _label_behind(text, end)):
        called = label
    elif frame.key is None:
        return None
    else:
        called = frame.name if frame.name and _is_inner(frame, frame.name) else str(frame.key)
    return f"{frame.name}.{called}" if frame.name in _GROUPS else called


def _is_inner(frame: _Frame, name: str) -> bool:
    key = str(frame.key)
    if key in INNER_KEYS:
        return True
    return not frame.is_row and _MANY.search(name) is not None and not _ABOUT_ONE.search(key)
