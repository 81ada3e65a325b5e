"""What the server says of itself: one line each on stderr, for people or as JSON, and less of what repeats.

Everything logs through the standard library, below `toolscore_otel`; facts go into `extra`, so that both forms show them.
No line shows a secret, whoever wrote it: libraries repeat what others said.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Literal, TextIO

from toolscore_otel.secrets.messages import hidden

Encoding = Literal["console", "json"]

FIRST = 10
"""Of one message in one interval that are shown; then every hundredth is."""

EVERY = 100
INTERVAL_S = 10.0
MESSAGES = 1_000
"""Different messages that are counted apart; past it counting begins anew."""

_KNOWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


def start_logging(encoding: Encoding, level: int = logging.INFO, to: TextIO | None = None) -> None:
    """Have everything below `toolscore_otel` written out, in place of what was set before, and warnings of all others.

    What a library says, too, is one line in our form, without the traceback: that may hold what senders sent.

    Args:
        encoding: for people, or one JSON object a line.
        level: the least that is shown.
        to: where; left out: stderr.
    """
    handler = logging.StreamHandler(sys.stderr if to is None else to)
    handler.setFormatter(_Json() if encoding == "json" else _Console())
    handler.addFilter(Sampling())
    logger = logging.getLogger("toolscore_otel")
    logger.handlers[:] = [handler]
    logger.setLevel(level)
    logger.propagate = False
    logging.getLogger().handlers[:] = [handler]


class Sampling(logging.Filter):
    """Lets the first few of each message through, then every hundredth, until the interval is over."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: dict[tuple[str, int, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is shown."""
        key = (record.name, record.levelno, str(record.msg))
        began, count = self._seen.get(key, (record.created, 0))
        if record.created - began >= INTERVAL_S:
            began, count = record.created, 0
        if len(self._seen) >= MESSAGES and key not in self._seen:
            self._seen.clear()
        count += 1
        self._seen[key] = (began, count)
        return count <= FIRST or count % EVERY == 0


class _Console(logging.Formatter):
    """As in `2026-01-01T00:00:00.000Z warning the next hop takes nothing: ... endpoint=127.0.0.1:4317`."""

    def format(self, record: logging.LogRecord) -> str:
        facts = "".join(f" {name}={value}" for name, value in _facts(record).items())
        return f"{as_utc(record.created)} {record.levelname.lower()} {_message(record)}{facts}"


class _Json(logging.Formatter):
    """One object a line."""

    def format(self, record: logging.LogRecord) -> str:
        told = {
            "time": as_utc(record.created),
            "level": record.levelname.lower(),
            "message": _message(record),
            "logger": record.name,
        }
        return json.dumps(told | _facts(record), default=str, ensure_ascii=False)


def _facts(record: logging.LogRecord) -> dict[str, object]:
    told = {name: value for name, value in vars(record).items() if name not in _KNOWN}
    return {name: hidden(one) if isinstance(one, str) else one for name, one in told.items()}


def _message(record: logging.LogRecord) -> str:
    """One line, whatever is in it."""
    return " ".join(hidden(record.getMessage()).split())


def as_utc(seconds: float) -> str:
    """A time as every line on stderr has it: `2026-01-01T00:00:00.000Z`.

    Args:
        seconds: since the epoch.
    """
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
