"""JSON by POST, and what the answer means."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

import httpx
import msgspec

from toolscore_otel.model import Json
from toolscore_otel.server.hop_codes import retry_after
from toolscore_otel.server.reply import OK, Outcome, Reply
from toolscore_otel.server.secret_text import SecretText

TIMEOUT_S = 10.0

_OK = range(200, 300)
_RETRIED = frozenset({401, 403, 408, 425, 429})
"""Somebody may put a wrong token right: until then findings wait."""
_SERVER_FAILED = range(500, 600)
_TOO_LARGE = 413


class Poster:
    """One address.

    Args:
        url: that is posted to; it never stands in a message, since it may hold a token.
        headers: sent with every request.
    """

    def __init__(self, url: str, headers: Mapping[str, SecretText]) -> None:
        self._url = url
        self._client = httpx.Client(
            timeout=TIMEOUT_S, headers={name: text.reveal() for name, text in headers.items()}
        )

    def post(self, body: Json) -> Reply:
        """Send a JSON value. Never raises."""
        sent = {"content-type": "application/json"}
        try:
            answer = self._client.post(self._url, content=msgspec.json.encode(body), headers=sent)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            message = f"it cannot be reached: {type(error).__name__}"
            return Reply(outcome=Outcome.RETRY, message=message)
        code = answer.status_code
        if code in _OK:
            return OK
        return Reply(
            outcome=_outcome(code),
            message=f"it answered {code}",
            retry_after_s=retry_after(answer.headers.get("retry-after", ""), datetime.now(UTC)),
        )

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _outcome(code: int) -> Outcome:
    if code in _RETRIED or code in _SERVER_FAILED:
        return Outcome.RETRY
    return Outcome.TOO_LARGE if code == _TOO_LARGE else Outcome.REFUSED
