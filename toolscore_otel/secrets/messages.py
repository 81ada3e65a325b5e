"""Messages for people without the secrets in them: what somebody typed, named a file by, or wrote into a configuration."""

from __future__ import annotations

from functools import cache

from toolscore_otel.secrets.redaction import redact_text
from toolscore_otel.secrets.scanner import Scanner

_CUT = "…"
"""Where `errors.clip` has cut a value: what stands before it may be the beginning of a secret."""


def hidden(message: object) -> str:
    """A message that shows no secret, not even one that was cut.

    Args:
        message: an error, or anything else with a text.
    """
    *cut, last = str(message).split(_CUT)
    told = [redact_text(part, _scanner(), cut=True) for part in cut]
    return _CUT.join((*told, redact_text(last, _scanner())))


@cache
def _scanner() -> Scanner:
    return Scanner(engine="re2")  # ready half a second sooner than the other, which finds the same
