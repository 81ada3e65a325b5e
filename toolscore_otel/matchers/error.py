"""What is wrong in a matcher or a selector, and where in its data."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from toolscore_otel.errors import ToolscoreError, clip

_ELSEWHERE = {"$gte": "$ge", "$lte": "$le", "$in": "$one_of", "$ne": "$not"}
"""Operators by the names they have in query languages that look the same, of which no spelling is near to ours."""


class MatcherError(ToolscoreError):
    """A matcher or a selector cannot be built.

    Attributes:
        path: keys and indices from the data that was given down to what is wrong; empty for the data itself.
        message: what is wrong and what to write instead.
    """

    def __init__(self, path: Iterable[str | int], message: str) -> None:
        self.path = tuple(path)
        self.message = message
        where = ".".join(str(step) for step in self.path)
        super().__init__(f"`{clip(where)}`: {message}" if where else message)

    def below(self, *steps: str | int) -> MatcherError:
        """The same problem, seen from `steps` further up."""
        return MatcherError((*steps, *self.path), self.message)


def unknown_word(what: str, word: object, known: Iterable[str]) -> str:
    """A message for a word that is not on a closed list, with the nearest one that is.

    Args:
        what: what sort of word it is, such as `operator`.
        word: what stood there.
        known: the closed list.
    """
    words = sorted(known)
    meant = _ELSEWHERE.get(str(word), str(word))
    near = get_close_matches(meant, words, n=1, cutoff=0.5)
    hint = f"did you mean `{near[0]}`?" if near else f"known are {', '.join(words)}"
    return f"unknown {what} `{clip(word)}`; {hint}"
