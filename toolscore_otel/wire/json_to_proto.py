"""An export in OTLP/JSON -> the same export in protobuf, so that everything behind it knows one form.

protobuf's own JSON does most of it. What OTLP does otherwise is done before: ids are hex. Names in snake_case, enums by
name, 64-bit numbers as numbers and null for absent are taken as well, as senders write them; unknown names are passed
over.

Source:
    OTLP specification, "JSON Protobuf Encoding".
"""

from __future__ import annotations

import re
from base64 import b64encode
from codecs import BOM_UTF8

from toolscore_otel.model import Json
from toolscore_otel.wire import json_fields
from toolscore_otel.wire.fields import Unreadable
from toolscore_otel.wire.json_text import NotJsonError, decode
from toolscore_otel.wire.official import IDS, REQUESTS, convert_ids, json_format

_WAY = re.compile(r"(?:Failed to parse \w+ field: )*")
_STEP = re.compile(r"parse (\w+) field")


def json_to_proto(data: bytes, signal: str) -> bytes:
    """The export as `Export...ServiceRequest` bytes.

    Args:
        data: one JSON object; a byte order mark before it is passed over.
        signal: `traces`, `logs` or `metrics`.

    Raises:
        Unreadable: it is none; says what is wrong and where, and repeats no value.
    """
    export = _object(data)
    convert_ids(export, _base64)
    request = REQUESTS[signal]()
    try:
        json_format.ParseDict(export, request, ignore_unknown_fields=True)
    except json_format.ParseError as error:
        raise Unreadable(f"{_where(error)} holds what does not belong there") from None
    written: bytes = request.SerializeToString()
    return written


def _object(data: bytes) -> dict[str, Json]:
    try:
        values = decode(data.removeprefix(BOM_UTF8))
    except NotJsonError as error:
        raise Unreadable(f"no JSON: line {error.line}, column {error.column}") from None
    if len(values) != 1 or not json_fields.is_object(values[0]):
        raise Unreadable("an export is one JSON object, and this is something else")
    return values[0]


def _base64(name: str, value: Json) -> str | None:
    try:
        found = json_fields.identifier(value, IDS[name])
    except Unreadable:
        raise Unreadable(f"`{name}` is no id: {2 * IDS[name]} hex digits belong there") from None
    return None if found is None else b64encode(bytes.fromhex(found)).decode()


def _where(error: Exception) -> str:
    way = _WAY.match(str(error))
    steps = _STEP.findall(way[0]) if way else []
    return f"`{'.'.join(steps)}`" if steps else "the export"
