"""An export in protobuf -> the same export as one line of OTLP/JSON, whatever it holds.

protobuf's own JSON does most of it; ids become hex.

Source:
    OTLP specification, "JSON Protobuf Encoding".
"""

from __future__ import annotations

import json
from base64 import b64decode

from toolscore_otel.model import Json
from toolscore_otel.wire.fields import Unreadable
from toolscore_otel.wire.official import REQUESTS, DecodeError, convert_ids, json_format


def proto_to_json(data: bytes, signal: str) -> bytes:
    """One line, without its end.

    Args:
        data: an `Export...ServiceRequest`.
        signal: `traces`, `logs` or `metrics`.

    Raises:
        Unreadable: the bytes are none.
    """
    try:
        request = REQUESTS[signal].FromString(data)
    except DecodeError:
        raise Unreadable("no protobuf message of that kind") from None
    export = json_format.MessageToDict(request, use_integers_for_enums=True)
    convert_ids(export, _hex)
    return json.dumps(export, separators=(",", ":")).encode()


def _hex(_name: str, value: Json) -> str:
    return b64decode(str(value)).hex()
