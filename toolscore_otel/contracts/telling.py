"""What is wrong in a contract, said without the secrets that somebody wrote into it."""

from __future__ import annotations

from functools import cache

from toolscore_otel.errors import Location, Problem
from toolscore_otel.secrets import Scanner, redact_text

_CUT = "…"
"""Where `errors.clip` has cut a value: what stands before it may be the beginning of a secret."""


def problem(where: Location, message: str) -> Problem:
    """A problem that shows no secret, not even one that was cut.

    Args:
        where: of a contract that was given as a mapping, the keys down to there.
        message: what is wrong.
    """
    return Problem(Location(_hidden(where.path), where.line), _hidden(message))


def _hidden(text: str) -> str:
    *cut, last = text.split(_CUT)
    told = [redact_text(part, _scanner(), cut=True) for part in cut]
    return _CUT.join((*told, redact_text(last, _scanner())))


@cache
def _scanner() -> Scanner:
    return Scanner()
