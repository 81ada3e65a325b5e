"""Looks for secrets beside arguments, results and messages: in why something failed, and in all else a span carries.

A secret that a call has in its arguments, its result or its error message is told from there, and not once more from an
attribute that holds the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from toolscore_otel.assembly.hearing import MOST_EXPOSED, by_path
from toolscore_otel.conventions import beside
from toolscore_otel.conventions.reading import CallReading, SpanReading
from toolscore_otel.model import Exposed, Json, LogRecord, Span
from toolscore_otel.secrets import Fingerprints, Scanner

Scanners = Mapping[str, Scanner]
"""By family."""

_Secret = tuple[str, str | None]
"""Kind and fingerprint."""


class Beside:
    """Finds them, by place.

    Args:
        errors: what looks through status texts, and messages and stack traces of exceptions.
        rest: what looks through all other attributes, events, links and bodies.
        fingerprints: tell secrets apart.
    """

    def __init__(self, errors: Scanners, rest: Scanners, fingerprints: Fingerprints) -> None:
        self._errors = errors
        self._rest = rest
        self._fingerprints = fingerprints

    def __bool__(self) -> bool:
        return bool(self._errors or self._rest)

    def exposed(
        self, item: Span | LogRecord, reading: SpanReading | None, call: CallReading | None
    ) -> tuple[Exposed, ...]:
        """What stands there, each secret once a place.

        Args:
            item: of an agent, a model or a tool, or a log record on a span.
            reading: of it.
            call: the one that it is of.
        """
        found = list(self._why(item, call)) if self._errors else []
        if self._rest:
            found += self._else(item, reading, call)
        first: dict[tuple[str, str, str, str], Exposed] = {}
        for one in by_path(found) if found else ():
            first.setdefault((one.place, one.family, one.kind, one.fingerprint), one)
        return tuple(first.values())[:MOST_EXPOSED]

    def _why(self, item: Span | LogRecord, call: CallReading | None) -> Iterator[Exposed]:
        message = call.error_message if call is not None else None
        for path, text in beside.errors(item):
            if text != message:
                yield from self._in(self._errors, {path: text}, "error", [message])

    def _else(
        self, item: Span | LogRecord, reading: SpanReading | None, call: CallReading | None
    ) -> Iterator[Exposed]:
        is_model = reading is not None and reading.model is not None
        told: list[Json] = [text for _, text in beside.errors(item)]
        if call is not None:
            told += (call.error_message, call.args.value, call.args.text)
            told += (call.result.value, call.result.text)
        return self._in(self._rest, beside.rest(item, is_model=is_model), "attributes", told)

    def _in(
        self, scanners: Scanners, value: Json, place: str, told: list[Json]
    ) -> Iterator[Exposed]:
        """The secrets in a value that were not told before."""
        for family, scanner in scanners.items():
            hits = scanner.scan_json(value, fingerprints=self._fingerprints)
            known = self._secrets(scanner, told) if hits else frozenset[_Secret]()
            for hit in hits:
                if (hit.kind, hit.fingerprint) not in known:
                    path = f"error.{hit.path}" if place == "error" else hit.path
                    yield Exposed(family, hit.kind, path, hit.fingerprint or "", place)

    def _secrets(self, scanner: Scanner, told: list[Json]) -> frozenset[_Secret]:
        hits = scanner.scan_json(told, fingerprints=self._fingerprints)
        return frozenset((hit.kind, hit.fingerprint) for hit in hits)
