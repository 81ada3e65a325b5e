"""What is wrong in a contract, said without the secrets that somebody wrote into it."""

from __future__ import annotations

from toolscore_otel.errors import Location, Problem
from toolscore_otel.secrets.messages import hidden


def problem(where: Location, message: str) -> Problem:
    """A problem that shows no secret, not even one that was cut.

    Args:
        where: of a contract that was given as a mapping, the keys down to there.
        message: what is wrong.
    """
    return Problem(Location(hidden(where.path), where.line), hidden(message))
