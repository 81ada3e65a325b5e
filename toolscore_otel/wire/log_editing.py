"""An export of log records with secrets taken out of it; whatever is not changed keeps its bytes."""

from __future__ import annotations

from collections.abc import Callable

from toolscore_otel.model import LogRecord, Resource
from toolscore_otel.secrets import Cleaner
from toolscore_otel.wire import proto_values as values
from toolscore_otel.wire.editing import UNREADABLE, clean_attributes, clean_name
from toolscore_otel.wire.fields import Unreadable
from toolscore_otel.wire.proto_fields import Field, fields, replaced
from toolscore_otel.wire.proto_values import parse
from toolscore_otel.wire.stats import ReadStats
from toolscore_otel.wire.told import told, write

_GROUPS, _RESOURCE, _PARTS, _SCOPE, _RECORDS = 1, 1, 2, 1, 2
_BODY, _ATTRIBUTES, _EVENT_NAME = 5, 6, 12
"""Field numbers."""

_BODY_NAME = "body"

CleanerOf = Callable[[LogRecord], Cleaner | None]
"""What takes the secrets out of a record; None where no clause is about it."""


def cleaned_logs(data: bytes, cleaner_of: CleanerOf) -> bytes:
    """The export as it may go on; the same object where nothing is taken out.

    Args:
        data: an `ExportLogsServiceRequest` that was read before. A record with an impossible id is left out.
        cleaner_of: asked for each record.
    """

    def group(field: Field, content: bytes) -> bytes:
        if field.number != _GROUPS:
            return content
        resource = values.resource(_first(content, _RESOURCE), ReadStats())
        return replaced(
            content, lambda f, c: _part(c, resource, cleaner_of) if f.number == _PARTS else c
        )

    return replaced(data, group)


def _part(data: bytes, resource: Resource, cleaner_of: CleanerOf) -> bytes:
    scope = values.scope(_first(data, _SCOPE), ReadStats())

    def record(field: Field, content: bytes) -> bytes | None:
        if field.number != _RECORDS:
            return content
        stats = ReadStats()
        try:
            read = values.log_record(parse("LogRecord", content), resource, scope, stats)
        except Unreadable:
            return None
        cleaner = cleaner_of(read)
        if cleaner is None or not _may_change(read, stats, cleaner):
            return content
        return edited_log(content, cleaner)

    return replaced(data, record)


def _may_change(record: LogRecord, stats: ReadStats, cleaner: Cleaner) -> bool:
    """Whether there may be something to take out: one look at all that it carries. False is certain."""
    is_whole = not (stats.bytes_values or stats.unreadable_values or stats.repeated_keys)
    return not is_whole or cleaner.may_find(
        [record.attributes, {_BODY_NAME: record.body}, record.event_name]
    )


def edited_log(raw: bytes, cleaner: Cleaner) -> bytes:
    """A serialised log record without the secrets in its attributes, its body and its name; the same object where there are none."""

    def change(field: Field, content: bytes) -> bytes:
        if field.number == _EVENT_NAME:
            return clean_name(content, cleaner)
        return _clean_body(content, cleaner) if field.number == _BODY else content

    return replaced(clean_attributes(raw, _ATTRIBUTES, cleaner), change)


def _clean_body(content: bytes, cleaner: Cleaner) -> bytes:
    body = parse("AnyValue", content)
    try:
        value = told(body)
    except Unreadable:
        body.string_value = UNREADABLE
        return bytes(body.SerializeToString())
    clean = cleaner.value(_BODY_NAME, value)
    if clean == value:
        return content
    if clean is None:
        return b""
    write(body, clean)
    return bytes(body.SerializeToString())


def _first(message: bytes, number: int) -> bytes:
    found = (message[f.start : f.end] for f in fields(message) if f.number == number)
    return next(found, b"")
