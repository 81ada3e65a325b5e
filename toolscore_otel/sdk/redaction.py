"""Secrets out of the SDK's spans and log records that leave, where a contract asks for it.

Whatever agent, model and tool spans carry, and log records on spans; their resource and scope stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.trace import Link, Status

from toolscore_otel.contracts import Contract
from toolscore_otel.conventions import is_log_of_interest
from toolscore_otel.emit import redaction
from toolscore_otel.sdk.changed_record import changed_record
from toolscore_otel.sdk.changed_span import changed
from toolscore_otel.sdk.cleaning import clean_attributes, clean_value
from toolscore_otel.secrets import Cleaner
from toolscore_otel.wire.sdk import SdkReader, attributes_of, attributes_of_interest


class Redaction:
    """All `secrets` clauses with an action, on spans and log records of the SDK.

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

    def clean_log(self, data: Any) -> Any:
        """A log record without its secrets; the same object where there is none, or where no clause is about it.

        A record often comes before its span: then nobody knows yet whose it is, so those of all spans are searched.

        Args:
            data: `LogData` or `ReadableLogRecord`.
        """
        if not self._wanted:
            return data
        record = data.log_record
        attributes = dict(record.attributes or {})
        if not (record.span_id or is_log_of_interest(record.event_name, attributes)):
            return data
        resource = self._reader.resource(getattr(data, "resource", None) or record.resource)
        cleaner = self._wanted.cleaner(resource, attributes.get(redaction.AGENT))
        return data if cleaner is None else _record_without(data, attributes, cleaner)


def _record_without(data: Any, attributes: dict[str, Any], cleaner: Cleaner) -> Any:
    record = data.log_record
    parts: dict[str, Any] = {}
    if (found := clean_attributes(attributes, cleaner)) is not attributes:
        parts["attributes"] = found
    if (body := clean_value(redaction.BODY, record.body, cleaner)) is not record.body:
        parts["body"] = body
    name = record.event_name
    if name and (clean := cleaner.name(name)) is not name:
        parts["event_name"] = clean
    return changed_record(data, **parts) if parts else data


def _without(span: ReadableSpan, cleaner: Cleaner) -> ReadableSpan:
    parts: dict[str, Any] = {}
    if (name := cleaner.name(span.name)) is not span.name:
        parts["name"] = name
    given = attributes_of(span)
    if (found := clean_attributes(given, cleaner)) is not given:
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
    found = clean_attributes(given, cleaner)
    name = cleaner.name(event.name)
    if found is given and name is event.name:
        return event
    return Event(name, found, event.timestamp)


def _link(link: Any, cleaner: Cleaner) -> Any:
    given = dict(link.attributes or {})
    found = clean_attributes(given, cleaner)
    return link if found is given else Link(link.context, found)
