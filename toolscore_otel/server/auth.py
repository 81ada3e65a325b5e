"""Who may send: bearer tokens, any of several, so that one can be replaced while senders still use the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toolscore_otel.server.reply import Outcome, Reply
from toolscore_otel.server.secret_text import SecretText

_MISSING = Reply(
    outcome=Outcome.UNAUTHENTICATED,
    message="a bearer token is needed: send the header `authorization: Bearer TOKEN`",
)
_WRONG = Reply(outcome=Outcome.UNAUTHENTICATED, message="this bearer token is not known here")


class Auth:
    """Checks what senders show.

    Args:
        tokens: any of them is let in; empty: everybody is.
    """

    def __init__(self, tokens: Sequence[SecretText]) -> None:
        self._tokens = tuple(tokens)

    def refusal(self, headers: Mapping[str, str]) -> Reply | None:
        """The answer to a sender that may not send; None for one that may.

        Args:
            headers: of the request, keys in lower case.
        """
        if not self._tokens:
            return None
        scheme, _, token = headers.get("authorization", "").strip().partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            return _MISSING
        answers = [known.matches(token.strip()) for known in self._tokens]
        return None if any(answers) else _WRONG
