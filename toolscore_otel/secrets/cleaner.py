"""Secrets out of telemetry on its way out: one value after another, as the clauses in force want it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from toolscore_otel.model import Json
from toolscore_otel.secrets.fingerprint import Fingerprints
from toolscore_otel.secrets.redaction import redact_json, redact_text
from toolscore_otel.secrets.scanner import Scanner

Action = Literal["redact", "hash", "drop"]


class Measure(Struct, frozen=True):
    """What is done about which secrets.

    Attributes:
        action: `redact` leaves a mark, `hash` a mark with a fingerprint, `drop` nothing of the whole value.
    """

    scanner: Scanner
    action: Action


class Cleaner:
    """Takes secrets out of named values, by one or more measures, one after another. Threads may share one.

    Args:
        measures: in their order.
        fingerprints: for `hash`.
    """

    __slots__ = ("_fingerprints", "_measures")

    def __init__(self, measures: Sequence[Measure], fingerprints: Fingerprints) -> None:
        self._measures = tuple(measures)
        self._fingerprints = fingerprints

    def may_find(self, value: Json) -> bool:
        """Whether there may be something in it: one look at all of it. False means that there is nothing.

        Args:
            value: scanned with its keys; may be many values together.
        """
        return any(measure.scanner.may_find(value) for measure in self._measures)

    def finds(self, value: Json) -> bool:
        """Whether there is something in it."""
        return any(measure.scanner.scan_json(value) for measure in self._measures)

    def value(self, name: str, value: Json) -> Json:
        """A value without secrets: the same object where there is none, None where nothing of it may stay.

        Args:
            name: what it stands under, which may tell what it is.
            value: lists keep their length, objects their number and order of keys.
        """
        for measure in self._measures:
            told = {name: value}
            fingerprints = self._fingerprints if measure.action == "hash" else None
            clean: dict[str, Json] = redact_json(told, measure.scanner, fingerprints=fingerprints)
            if clean is told:
                continue
            if measure.action == "drop":
                return None
            value = next(iter(clean.values()))
        return value

    def name(self, name: str) -> str:
        """A name without secrets; it is marked whatever the action."""
        for measure in self._measures:
            name = redact_text(name, measure.scanner)
        return name
