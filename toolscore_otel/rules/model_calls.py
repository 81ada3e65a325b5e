"""A model call, as rules about what was said in it see it."""

from __future__ import annotations

from msgspec import Struct

from toolscore_otel.conventions.reading import Heard


class ModelCall(Struct, frozen=True, gc=False, kw_only=True):
    """One span on which messages of a model call stand, or should; or a log record with messages on no span.

    Attributes:
        span_id: empty for messages in a log record on no span.
        is_model: whether it is the span of a model call; log records of one may stand on another span.
        around: id of the model call directly around it, which tells of the same one.
        heard: what was found in its messages; None: they were not looked through.
    """

    trace_id: str
    span_id: str
    start_ns: int | None = None
    service: str | None = None
    environment: str | None = None
    agent: str | None = None
    conversation_id: str | None = None
    is_model: bool = True
    around: str | None = None
    heard: Heard | None = None
