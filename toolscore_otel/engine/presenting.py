"""Findings and scores as they may leave: names come from outside, and a secret may stand in any of them.

Here every finding leaves, whichever way it goes afterwards. Secrets are taken out before anything is cut: a secret that was
cut is none that a scanner knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import structs

from toolscore_otel.contracts import Contract
from toolscore_otel.contracts.secret_patterns import scanner_of
from toolscore_otel.errors import VALUE_LIMIT, clip
from toolscore_otel.model import Finding, Score
from toolscore_otel.secrets import Scanner, redact_text

_FROM_OUTSIDE = (
    "conversation_id",
    "call_id",
    "tool",
    "agent",
    "service",
    "environment",
    "path",
    "first",
    "last",
)
_LONG = re.compile(f"`([^`]{{{VALUE_LIMIT + 1},}})`")
"""A name in an explanation that does not fit into a message."""


class Presenting:
    """Makes findings and scores presentable.

    Args:
        contracts: what they describe as secrets counts for all findings.
    """

    def __init__(self, contracts: Iterable[Contract]) -> None:
        self._contracts = tuple(contracts)
        self._scanner: Scanner | None = None  # takes a while, and most traces have no finding

    def prepare(self) -> Scanner:
        """Take the time now that the first finding would take."""
        self._scanner = self._scanner or scanner_of(self._contracts)
        return self._scanner

    def __call__(self, finding: Finding) -> Finding:
        """The same finding without secrets in its texts, and with its long names cut."""
        scanner = self.prepare()
        texts: dict[str, str] = {"explanation": finding.explanation}
        texts |= {name: text for name in _FROM_OUTSIDE if (text := getattr(finding, name))}
        if scanner.may_find(list(texts.values())):
            texts = {name: redact_text(text, scanner) for name, text in texts.items()}
        texts["explanation"] = _LONG.sub(_cut, texts["explanation"])
        return structs.replace(finding, **texts)

    def score(self, score: Score) -> Score:
        """The same score without secrets in the name of its conversation; its other words are our own."""
        if not score.conversation_id:
            return score
        named = redact_text(score.conversation_id, self.prepare())
        return structs.replace(score, conversation_id=named)


def _cut(name: re.Match[str]) -> str:
    return f"`{clip(name[1])}`"
