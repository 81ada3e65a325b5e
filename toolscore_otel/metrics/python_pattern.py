r"""Regular expressions as Python's `re` reads them, in time that cannot run away: plain rules and expectations are written so.

RE2 answers wherever it means the same, which is nearly always. What it lacks (looking around) or reads differently (`\w`,
`\d`, `\s`, `\b` and case outside of ASCII, `{,3}`, a verbose pattern) is answered by a walk through the pattern with all
places in the text that can be reached, as the bits of one integer, so that no way is ever tried twice. What each single
character and each boundary is, `re` itself is asked. Only what a way that was taken decides has no such walk:
back-references, conditions, atomic groups and possessive repeats are refused.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, cast

from toolscore_otel.errors import clip
from toolscore_otel.matchers import MatcherError
from toolscore_otel.matchers.pattern import compile_pattern

MOST_LEVELS = 50
"""Groups may be nested so deep."""

_LETTERS = {re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s"}
_PLAIN_TEXT = re.compile(r"[\t\n\f\r -~]+")
"""Texts in which both engines agree on what a word, a digit, white space and a boundary is."""
_HANGS_ON_TEXT = re.compile(r"\\[wWdDsSbB]|\(\?[a-zA-Z]*i")
_READ_DIFFERENTLY = re.compile(r"\{,|\[:")

_SYNTAX = import_module("re._parser")  # no interface, but the one reading that is right
_WORDS = import_module("re._constants")
_COMPILER = import_module("re._compiler")
_NO_WALK = {
    _WORDS.GROUPREF: "a back-reference",
    _WORDS.GROUPREF_EXISTS: "a condition",
    _WORDS.ATOMIC_GROUP: "an atomic group",
    _WORDS.POSSESSIVE_REPEAT: "a possessive repeat",
}
_REPEATS = (_WORDS.MAX_REPEAT, _WORDS.MIN_REPEAT)
_LOOKS = (_WORDS.ASSERT, _WORDS.ASSERT_NOT)


class PythonPattern:
    """A pattern that is searched, or held against a whole text."""

    __slots__ = ("_asked", "_hangs_on_end", "_hangs_on_text", "_quick", "_tree")

    def __init__(self, source: str, flags: int = 0) -> None:
        r"""Compile a pattern.

        Args:
            source: in the syntax of `re`; what only RE2 takes (`\p{L}`) means what it does there.
            flags: of `re`.

        Raises:
            MatcherError: neither takes it, or no walk answers it.
        """
        self._quick: Any = _quick(source, flags)
        self._tree = _tree(source, flags, or_else=self._quick is not None)
        if self._tree is not None and _READ_DIFFERENTLY.search(source):
            self._quick = None
        self._hangs_on_text = bool(flags & re.IGNORECASE or _HANGS_ON_TEXT.search(source))
        self._hangs_on_end = "$" in source
        self._asked: dict[object, re.Pattern[str]] = {}

    def is_in(self, text: str) -> bool:
        """Whether it matches anywhere."""
        if (seen := self._for_quick(text)) is not None:
            return self._quick.search(seen) is not None
        return _Walk(text, self._asked).all_from(self._tree) != 0

    def is_all_of(self, text: str) -> bool:
        """Whether it matches the text as a whole."""
        if (seen := self._for_quick(text)) is not None:
            return self._quick.fullmatch(seen) is not None
        return _Walk(text, self._asked).all_from(self._tree, 1) >> len(text) & 1 == 1

    def _for_quick(self, text: str) -> bytes | None:
        """What RE2 is to look at; None where it could say something else than `re`."""
        if self._tree is not None and (
            self._quick is None
            or (self._hangs_on_end and text.endswith("\n"))
            or (self._hangs_on_text and not _PLAIN_TEXT.fullmatch(text))
        ):
            return None
        try:
            return text.encode(errors="strict" if self._tree is not None else "surrogatepass")
        except UnicodeEncodeError:  # a lone surrogate is a character to `re`
            return None


def _quick(source: str, flags: int) -> Any:
    """The pattern for RE2; None where that lacks something."""
    if flags & ~(sum(_LETTERS) | re.UNICODE):
        return None
    letters = "".join(letter for flag, letter in _LETTERS.items() if flags & flag)
    try:
        return compile_pattern(f"(?{letters}:{source})" if letters else source)
    except MatcherError:
        return None


def _tree(source: str, flags: int, *, or_else: bool) -> Any:
    """The pattern as `re` reads it; None where only RE2 does (`or_else`)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of brackets that may mean something else one day
            tree = _SYNTAX.parse(source, flags)
            re.compile(source, flags)
    except (re.error, ValueError, OverflowError, RecursionError) as problem:
        if or_else:
            return None
        reason = f"`{clip(source)}` is no regular expression: {clip(problem)}"
        raise MatcherError((), reason) from problem
    for level, kind in _kinds(tree):
        if (what := _NO_WALK.get(kind)) is not None:
            reason = f"`{clip(source)}` has {what}: that cannot be answered in bounded time"
            raise MatcherError((), reason)
        if level > MOST_LEVELS:
            raise MatcherError((), f"`{clip(source)}` is nested more than {MOST_LEVELS} deep")
    return tree


def _kinds(tree: Any) -> Iterator[tuple[int, Any]]:
    """Each part of a pattern, and how deep it stands."""
    pending: list[tuple[int, Any]] = [(0, tree)]
    while pending:
        level, one = pending.pop()
        if isinstance(one, _SYNTAX.SubPattern):
            for kind, inner in one:
                yield level, kind
                pending.append((level + 1, inner))
        elif isinstance(one, (tuple, list)):
            pending.extend((level, part) for part in cast("list[Any]", one))


class _Walk:
    """The places in one text that a pattern leads to: bit N stands before character N.

    The single parts of the pattern are kept in `asked`, compiled, for the next text.
    """

    def __init__(self, text: str, asked: dict[object, re.Pattern[str]]) -> None:
        self._text = text
        self._every = (1 << len(text) + 1) - 1
        self._asked = asked
        self._masks: dict[object, int] = {}

    def all_from(self, tree: Any, places: int | None = None) -> int:
        """Where matches end that begin at these places, or anywhere."""
        return self._through(tree, tree.state.flags, self._every if places is None else places, 1)

    def _through(self, nodes: Any, flags: int, places: int, way: int) -> int:
        """Where one comes out, read forward (`way` 1) or backward (-1)."""
        for kind, inner in list(nodes)[::way]:
            if not places:
                break
            places = self._step(kind, inner, flags, places, way)
        return places

    def _step(self, kind: Any, inner: Any, flags: int, places: int, way: int) -> int:
        if kind is _WORDS.SUBPATTERN:
            _, more, less, nodes = inner
            return self._through(nodes, (flags | more) & ~less, places, way)
        if kind is _WORDS.BRANCH:
            ends = [self._through(nodes, flags, places, way) for nodes in inner[1]]
            return _united(ends)
        if kind in _REPEATS:
            least, most, nodes = inner
            return self._repeated(
                lambda some: self._through(nodes, flags, some, way), least, most, places
            )
        if kind in _LOOKS:
            where, nodes = inner
            holds = self._through(nodes, flags, self._every, -where)
            return places & (holds if kind is _WORDS.ASSERT else ~holds)
        mask = self._mask(kind, inner, flags)
        if kind is _WORDS.AT:
            return places & mask
        return (places & mask) << 1 if way > 0 else places >> 1 & mask

    def _repeated(self, once: Callable[[int], int], least: Any, most: Any, places: int) -> int:
        """Each round leads further, or to nothing new: there are no more rounds than places."""
        for _ in range(least):
            further = once(places)
            if further == places:
                break
            places = further
        found, rounds = places, least
        while places and rounds < most:
            places = once(places) & ~found
            found |= places
            rounds += 1
        return found

    def _mask(self, kind: Any, inner: Any, flags: int) -> int:
        """The places where one character, or a boundary, is what `re` says."""
        key = kind, repr(inner), flags
        if key not in self._masks:
            if key not in self._asked:
                self._asked[key] = _alone(kind, inner, flags)
            match, text = self._asked[key].match, self._text
            bits = ["1" if match(text, place) else "0" for place in range(len(text), -1, -1)]
            self._masks[key] = int("".join(bits), 2)
        return self._masks[key]


def _alone(kind: Any, inner: Any, flags: int) -> re.Pattern[str]:
    """One part of a pattern as a pattern of its own."""
    state = _SYNTAX.State()
    state.flags = flags
    return cast(
        "re.Pattern[str]", _COMPILER.compile(_SYNTAX.SubPattern(state, [(kind, inner)]), flags)
    )


def _united(ends: list[int]) -> int:
    found = 0
    for one in ends:
        found |= one
    return found
