"""What the server's parts say to each other about one export: which signal it is, and what became of it.

Receivers turn protocols into `Handle` calls and `Reply` into codes; the next hop turns codes into `Reply`. Nothing in
between knows gRPC or HTTP.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

from msgspec import Struct


class Signal(StrEnum):
    """What an export holds."""

    TRACES = "traces"
    LOGS = "logs"
    METRICS = "metrics"


class Outcome(StrEnum):
    """What became of an export. A sender tries again only after `retry`."""

    OK = "ok"
    RETRY = "retry"
    """Overload, draining, a next hop that is down or slow: the same bytes may be taken later."""
    TOO_LARGE = "too_large"
    BAD = "bad"
    """The bytes cannot be read as what they should be."""
    UNAUTHENTICATED = "unauthenticated"
    DENIED = "denied"
    REFUSED = "refused"
    """The next hop refused it for good."""


class Reply(Struct, frozen=True, kw_only=True):
    """The answer to one export.

    Attributes:
        outcome: decides the code.
        message: for people; never holds a secret.
        rejected: how many spans, records or points were not taken, of an export that is OK otherwise.
        retry_after_s: with `retry`: how long the sender should wait, in seconds; None: as it likes.
        body: with `ok`: the next hop's own response in protobuf, passed on; None: an empty one.
        items: how many spans, records or points it held, for counting; None: not known.
    """

    outcome: Outcome
    message: str = ""
    rejected: int = 0
    retry_after_s: float | None = None
    body: bytes | None = None
    items: int | None = None


OK = Reply(outcome=Outcome.OK)

Handle = Callable[[Signal, bytes, Mapping[str, str]], Reply]
"""Takes one export: its signal, its protobuf bytes, and the request's metadata with keys in lower case.

It is called from many threads at once, blocks until the answer may be given, and never raises.
"""
