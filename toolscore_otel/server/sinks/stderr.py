"""Findings for people: a line each on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence

from toolscore_otel.emit.log_events import name_of
from toolscore_otel.errors import clip
from toolscore_otel.model import Finding, Label
from toolscore_otel.server.deliveries import Delivery
from toolscore_otel.server.logs import as_utc
from toolscore_otel.server.reply import OK, Outcome, Reply

LONGEST = 500
"""Characters of an explanation that are shown."""


def _stderr(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


class Lines:
    """A line each.

    Args:
        write: takes text with its line ends.
    """

    name = "stderr"

    def __init__(self, write: Callable[[str], None] = _stderr) -> None:
        self._write = write

    def send(self, deliveries: Sequence[Delivery]) -> Reply:
        """Write them; scores are left out."""
        try:
            self._write("".join(_lines(deliveries)))
        except (OSError, ValueError):  # closed, or a reader that is gone
            return Reply(outcome=Outcome.REFUSED, message="stderr takes nothing")
        return OK

    def close(self) -> None:
        """Stderr is not ours to close."""


def _lines(deliveries: Sequence[Delivery]) -> Iterator[str]:
    for delivery in deliveries:
        if delivery.finding is not None:
            yield f"{line_of(delivery.finding, delivery.time_ns)}\n"


def line_of(finding: Finding, time_ns: int) -> str:
    """Time, severity, what was found, and where."""
    when = as_utc(time_ns / 1e9)
    verdict = finding.label.value if finding.label is not Label.FAIL else finding.severity.value
    shadow = " (shadow)" if finding.shadow else ""
    where = {
        "tool": finding.tool,
        "agent": finding.agent,
        "service": finding.service,
        "trace": finding.trace_id or None,
        "span": finding.span_id,
        "finding": finding.id,
    }
    told = " ".join(f"{name}={clip(value)}" for name, value in where.items() if value)
    said = clip(finding.explanation, LONGEST)
    return f"{when} {verdict}{shadow} {clip(name_of(finding))}: {said} [{told}]"
