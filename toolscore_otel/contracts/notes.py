"""What was found wrong while one document is read: problems and warnings, each at its place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from toolscore_otel.contracts.telling import problem
from toolscore_otel.contracts.tree import Document, Path
from toolscore_otel.errors import Problem, clip
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import Json


class Notes:
    """Gathers what is wrong in one document, so that all of it can be said at once.

    Attributes:
        problems: make the contract unusable.
        warnings: are only said.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []

    def error(self, path: Sequence[str | int], message: str) -> None:
        """Something is wrong at a path."""
        self.problems.append(problem(self.document.where(path), message))

    def warn(self, path: Sequence[str | int], message: str) -> None:
        """Something looks wrong at a path."""
        self.warnings.append(problem(self.document.where(path), message))

    def take(self, other: Notes) -> None:
        """What was found in another document that this one is made of."""
        self.problems += other.problems
        self.warnings += other.warnings

    def place_of(self, base: Path, steps: Path) -> Path:
        """The path in the document of what a rule calls `steps`.

        A rule may have been handed more than stands at `base`: a key from beside it (`loop`), or a key that only its
        long form has (`allow_only: [...]` for `{tools: [...]}`).
        """
        if not steps:
            return base
        for above in (base, base[:-1]):
            if _holds(self._at(above), steps[0]):
                return (*above, *steps)
        rest = steps[1:]
        return (*base, *rest) if rest and _holds(self._at(base), rest[0]) else base

    def _at(self, path: Path) -> Json:
        value = self.document.data
        for step in path:
            if not _holds(value, step):
                return None
            value = value[step]
        return value


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The nearest known word, or None where none is near."""
    found = get_close_matches(word, sorted(known), n=1, cutoff=0.6)
    return found[0] if found else None


def unknown(what: str, word: str, known: Iterable[str], *, where: str = "") -> str:
    """A message for a word that is not on a closed list, with the nearest one that is.

    Args:
        what: what sort of word it is, such as `key`.
        word: what stands there.
        known: the closed list.
        where: in what it stands.
    """
    words = sorted(known)
    near = nearest(word, words)
    place = f" in {where}" if where else ""
    hint = f"did you mean `{near}`?" if near else f"known are {listed(words)}"
    return f"unknown {what} `{clip(word)}`{place}; {hint}"


def listed(words: Iterable[str]) -> str:
    """As in `a`, `b`."""
    return ", ".join(f"`{word}`" for word in words)


def _holds(value: Json, step: str | int) -> bool:
    if is_mapping(value):
        return step in value
    return is_list(value) and isinstance(step, int) and step < len(value)
