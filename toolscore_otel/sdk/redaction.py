"""Secrets out of the SDK's spans that leave: whatever agent, model and tool spans carry, where a contract asks for it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.trace import Link, Status

from toolscore_otel.contracts import Contract
from toolscore_otel.emit import redaction
from toolscore_otel.model import Json
from toolscore_otel.sdk.changed_span import changed
from toolscore_otel.secrets import Cleaner
from toolscore_otel.wire.sdk import SdkReader, attributes_of, attributes_of_interest

_PLAIN = (str, int, float, bool, type(None))


class Redaction:
    """All `secrets` clauses with an action, on spans of the SDK.

    Args:
        contracts: in use.
        key: of fingerprints, for `action: hash`.

    Attributes:
        hashes: contract id -> hash, for what is told of them.
    """

    def __init__(self, contracts: Sequence[Contract], key: str) -> None:
        self._wanted = redaction.Redaction(contracts, key.encode())
        self.hashes = self._wanted.hashes
        self._reader = SdkReader()

    def clean(self, span: ReadableSpan) -> ReadableSpan:
        """A span without its secrets; the same object where there is none, or where no clause is about it."""
        if not self._wanted:
            return span
        attributes = attributes_of_interest(span)
        if attributes is None:
            return span
        resource = self._reader.resource(span.resource)
        cleaner = self._wanted.cleaner(resource, attributes.get(redaction.AGENT))
        return span if cleaner is None else _without(span, cleaner)


def _without(span: ReadableSpan, cleaner: Cleaner) -> ReadableSpan:
    parts: dict[str, Any] = {}
    given = attributes_of(span)
    if (found := _attributes(given, cleaner)) is not given:
        parts["attributes"] = found
    events = [_event(event, cleaner) for event in span.events]
    if any(new is not old for new, old in zip(events, span.events, strict=True)):
        parts["events"] = events
    links = [_link(link, cleaner) for link in span.links]
    if any(new is not old for new, old in zip(links, span.links, strict=True)):
        parts["links"] = links
    text = span.status.description
    if text and (clean := cleaner.value(redaction.STATUS, text)) is not text:
        parts["status"] = Status(span.status.status_code, clean)
    return changed(span, **parts) if parts else span


def _event(event: Any, cleaner: Cleaner) -> Any:
    given = dict(event.attributes or {})
    found = _attributes(given, cleaner)
    return event if found is given else Event(event.name, found, event.timestamp)


def _link(link: Any, cleaner: Cleaner) -> Any:
    given = dict(link.attributes or {})
    found = _attributes(given, cleaner)
    return link if found is given else Link(link.context, found)


def _attributes(given: dict[str, Any], cleaner: Cleaner) -> dict[str, Any]:
    """The same object where there is no secret."""
    if not given or not cleaner.finds(_readable(given)):
        return given
    found: dict[str, Any] = {}
    for key, value in given.items():
        clean = _value(key, value, cleaner)
        if clean is not None or value is None:
            name = cleaner.name(key)
            found[name if name not in found else f"{name} {len(found)}"] = clean
    return found


def _value(key: str, value: Any, cleaner: Cleaner) -> Any:
    """The same object where there is no secret in it."""
    told = _readable({key: value})[key]
    clean = cleaner.value(key, told)
    return value if clean is told else clean


def _readable(told: dict[str, Any]) -> dict[str, Json]:
    """What the SDK holds, as JSON: bytes as their text, anything unknown by its own."""
    if all(_is_plain(value) for value in told.values()):
        return told
    readable: dict[str, Json] = json.loads(json.dumps(told, default=_text))
    return readable


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(isinstance(entry, _PLAIN) for entry in cast("Sequence[Any]", value))
    return isinstance(value, _PLAIN)


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
