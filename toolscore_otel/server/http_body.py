"""The body of one HTTP request -> protobuf: inflated while the limit is watched, converted from JSON where it is that."""

from __future__ import annotations

from msgspec import Struct

from toolscore_otel.server.admission import Held
from toolscore_otel.server.inflating import ENCODINGS, DamagedError, pieces
from toolscore_otel.server.reply import Outcome, Reply, Signal
from toolscore_otel.wire.fields import Unreadable
from toolscore_otel.wire.json_to_proto import json_to_proto

_SAME = {"x-gzip": "gzip", "identity": ""}


class Body(Struct, frozen=True):
    """How a body came.

    Attributes:
        signal: what it holds.
        is_json: or protobuf.
        encoding: of its bytes, as `encoding_of` gives it.
        limit_bytes: after inflating.
    """

    signal: Signal
    is_json: bool
    encoding: str
    limit_bytes: int

    def too_large(self) -> Reply:
        """The answer to a body that is larger than that."""
        message = f"the body is larger than {self.limit_bytes} bytes (`max_request_body_size_mib`): send less at once"
        return Reply(outcome=Outcome.TOO_LARGE, message=message)


def encoding_of(header: str) -> str | None:
    """The encoding that a `content-encoding` names: empty for none; None where it is not taken here."""
    name = header.strip().lower()
    name = _SAME.get(name, name)
    return name if not name or name in ENCODINGS else None


def unpacked(data: bytes, body: Body, held: Held) -> bytes | Reply:
    """The protobuf in a body, or the answer to one that cannot be taken.

    Args:
        data: as it came; counted in `held` already.
        body: how it came.
        held: grows with what is inflated.
    """
    whole = inflated(data, body, held) if body.encoding else data
    if isinstance(whole, Reply) or not body.is_json:
        return whole
    try:
        return json_to_proto(whole, body.signal)
    except Unreadable as error:
        return Reply(outcome=Outcome.BAD, message=str(error))


def inflated(data: bytes, body: Body, held: Held) -> bytes | Reply:
    """The bytes that a compressed body stands for, or the answer to one that cannot be taken."""
    parts: list[bytes] = []
    size = 0
    try:
        for piece in pieces(data, body.encoding):
            size += len(piece)
            if size > body.limit_bytes:
                return body.too_large()
            if (refusal := held.grow(len(piece))) is not None:
                return refusal
            parts.append(piece)
    except DamagedError as error:
        return Reply(outcome=Outcome.BAD, message=str(error))
    return b"".join(parts)
