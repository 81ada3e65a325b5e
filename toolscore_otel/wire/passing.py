"""Requests that pass through: read span by span, changed where a span is to change, else the bytes they came as.

Most spans of a pipeline say nothing of agents or tools. Where the bytes of a scope hold no name that a reader knows,
only the places of its spans are read. What a request's spans share is converted once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any

from msgspec import Struct

from toolscore_otel.assembly.node import Place
from toolscore_otel.conventions import attributes as names, is_of_interest
from toolscore_otel.model import InstrumentationScope, LogRecord, Resource, Span
from toolscore_otel.wire import proto_values as values
from toolscore_otel.wire.fields import Unreadable
from toolscore_otel.wire.marks import FINDING_ID, SCORE_ID, is_marked
from toolscore_otel.wire.proto_fields import Field, replaced
from toolscore_otel.wire.proto_values import Message, parse
from toolscore_otel.wire.stats import ReadStats

re2: Any = import_module("re2")  # has no types

_MARKS = (FINDING_ID.encode(), SCORE_ID.encode())
_SHARED = 256
"""How many resources and scopes are kept converted, of at most `_SHARED_BYTES` each."""

_SHARED_BYTES = 16_384

_GROUPS, _PARTS, _ITEMS = 1, 2, 2
"""Field numbers: of a request's groups, a group's parts, a part's spans."""

Changes = dict[int, bytes | None]
"""Number of a span among those of its part -> its new bytes; None: it does not go on."""


def _any_of(texts: Sequence[str]) -> Any:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    return re2.compile(b"|".join(re2.escape(text).encode() for text in texts), options)


_INTEREST = _any_of(sorted({*names.MARKERS, *names.SPAN_NAMES}))


class _Part:
    """The spans of one scope: their bytes, and which are to be others."""

    __slots__ = ("_data", "_raws", "changes", "may_be_marked", "resource", "scope")

    def __init__(self, data: bytes, resource: Resource, scope: InstrumentationScope) -> None:
        self.resource = resource
        self.scope = scope
        self.changes: Changes = {}
        self.may_be_marked = any(mark in data for mark in _MARKS)
        self._data = data
        self._raws: Message = None

    def raw(self, number: int) -> bytes:
        if self._raws is None:  # a second reading, which most requests never need
            self._raws = parse("Part", self._data).items
        changed = self.changes.get(number)
        return self._raws[number] if changed is None else changed


class PassingSpan(Struct):
    """A span of a request, as far as it was asked for.

    Attributes:
        place: where it stood; None where its ids are missing or impossible: nobody can ever take such a span, and it
            does not go on.
        is_of_interest: whether it can say anything about agents, models or tools.
    """

    place: Place | None
    is_of_interest: bool
    _message: Message
    _part: _Part
    _number: int
    _span: Span | None = None
    _shows_all: bool = True

    def span(self) -> Span:
        """All that it carries; for a span of interest that has a place.

        Raises:
            ValueError: it is none.
        """
        if self._span is not None:
            return self._span
        place = self.place
        if place is None or not self.is_of_interest:
            raise ValueError("only a span of interest that has a place is read as a whole")
        raw, stats = self._message, ReadStats()
        ids = (place.trace_id, place.id, place.parent)
        self._span = values.span(raw, ids, self._part.resource, self._part.scope, stats)
        self._shows_all = not (stats.bytes_values or stats.unreadable_values or stats.repeated_keys)
        return self._span

    @property
    def shows_all(self) -> bool:
        """Whether no text of it is missing in `span()`: no bytes, nothing unreadable, no name that comes twice."""
        self.span()
        return self._shows_all

    @property
    def is_marked(self) -> bool:
        """Whether we told of a finding on it before, or it is itself such a telling."""
        if not self._part.may_be_marked or self.place is None or not self.is_of_interest:
            return False
        return is_marked(self.span())

    @property
    def size_bytes(self) -> int:
        """Of its bytes as it came, as far as they were read; 0 for a span of no interest."""
        return self._message.ByteSize() if self.is_of_interest else 0

    @property
    def raw(self) -> bytes:
        """Its bytes, as they are to go on."""
        return self._part.raw(self._number)

    def remove(self) -> None:
        """Let it not go on."""
        self._part.changes[self._number] = None

    def replace(self, raw: bytes) -> None:
        """Let other bytes go on in its stead.

        Args:
            raw: a serialised `Span`.
        """
        if raw != self.raw:
            self._part.changes[self._number] = raw


class TracesRequest:
    """One `ExportTraceServiceRequest`.

    Attributes:
        spans: all, in the order of the request.
        unacceptable: how many have no place.
    """

    __slots__ = ("_data", "_parts", "spans", "unacceptable")

    def __init__(self, data: bytes, parts: list[list[_Part]], spans: list[PassingSpan]) -> None:
        self.spans = spans
        self.unacceptable = 0
        for span in spans:
            if span.place is None:
                self.unacceptable += 1
                span.remove()
        self._data = data
        self._parts = parts

    @classmethod
    def of_bytes(cls, data: bytes) -> TracesRequest:
        """Read a request.

        Raises:
            Unreadable: the bytes are none; what is not looked at here may still be broken.
        """
        parts: list[list[_Part]] = []
        spans: list[PassingSpan] = []
        for group in parse("Envelope", data).groups:
            resource = _resource(group.resource)
            parts.append([])
            for part_data in group.parts:
                is_plain = _INTEREST.search(part_data) is None
                message = parse("PlainPart" if is_plain else "SpanPart", part_data)
                part = _Part(part_data, resource, _scope(message.scope))
                parts[-1].append(part)
                spans += _plain(message, part) if is_plain else _passing(message, part)
        return cls(data, parts, spans)

    def serialise(self) -> bytes:
        """The request as it is to go on: the very object it came as where all spans go on as they came.

        Otherwise only the bytes of those that do not differ, and the lengths around them. A span without a place does
        not go on: its sender is told that it was rejected.
        """
        if not any(part.changes for group in self._parts for part in group):
            return self._data
        groups = iter(self._parts)
        return replaced(
            self._data,
            lambda field, content: (
                _with_parts(content, next(groups)) if field.number == _GROUPS else content
            ),
        )


class LogsRequest(Struct):
    """One `ExportLogsServiceRequest`, to be read.

    Attributes:
        records: those that have no impossible id, in the order of the request.
        sizes: of their bytes, as far as they were read.
        unacceptable: how many have one: nobody can ever take such a record.
    """

    records: list[LogRecord]
    sizes: list[int]
    unacceptable: int

    @classmethod
    def of_bytes(cls, data: bytes) -> LogsRequest:
        """Read a request.

        Raises:
            Unreadable: the bytes are none.
        """
        request = cls([], [], 0)
        stats = ReadStats()
        for group in parse("Envelope", data).groups:
            resource = _resource(group.resource)
            for part_data in group.parts:
                part = parse("LogPart", part_data)
                scope = _scope(part.scope)
                for raw in part.items:
                    try:
                        record = values.log_record(raw, resource, scope, stats)
                    except Unreadable:
                        request.unacceptable += 1
                    else:
                        request.records.append(record)
                        request.sizes.append(raw.ByteSize())
        return request


def _plain(message: Message, part: _Part) -> list[PassingSpan]:
    return [
        PassingSpan(_place(raw, part), False, None, part, number)  # noqa: FBT003 - positions are quick
        for number, raw in enumerate(message.items)
    ]


def _passing(message: Message, part: _Part) -> list[PassingSpan]:
    return [
        PassingSpan(_place(raw, part), _is_of_interest(raw), raw, part, number)
        for number, raw in enumerate(message.items)
    ]


def _is_of_interest(raw: Message) -> bool:
    return is_of_interest(raw.name, (pair.key for pair in raw.attributes))


def _place(raw: Message, part: _Part) -> Place | None:
    try:
        trace_id, span_id, parent = values.ids_of(raw)
    except Unreadable:
        return None
    end_ns = raw.end_time_unix_nano or None
    return Place(
        trace_id,
        span_id,
        parent,
        span_id,
        raw.start_time_unix_nano or None,
        end_ns,
        end_ns is not None,
        part.resource,
        part.scope,
        raw.dropped_attributes_count,
    )


def _with_parts(group: bytes, parts: list[_Part]) -> bytes:
    if not any(part.changes for part in parts):
        return group
    rest = iter(parts)

    def change(field: Field, content: bytes) -> bytes:
        return _with_spans(content, next(rest).changes) if field.number == _PARTS else content

    return replaced(group, change)


def _with_spans(part: bytes, changes: Changes) -> bytes:
    if not changes:
        return part
    number = -1

    def change(field: Field, content: bytes) -> bytes | None:
        nonlocal number
        if field.number != _ITEMS:
            return content
        number += 1
        return changes.get(number, content)

    return replaced(part, change)


def _resource(data: bytes) -> Resource:
    return (_known_resource if len(data) <= _SHARED_BYTES else _read_resource)(data)


def _scope(data: bytes) -> InstrumentationScope:
    return (_known_scope if len(data) <= _SHARED_BYTES else _read_scope)(data)


def _read_resource(data: bytes) -> Resource:
    return values.resource(data, ReadStats())


def _read_scope(data: bytes) -> InstrumentationScope:
    return values.scope(data, ReadStats())


_known_resource = lru_cache(_SHARED)(_read_resource)
_known_scope = lru_cache(_SHARED)(_read_scope)
