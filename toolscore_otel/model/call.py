"""A tool call, and what is known of its arguments and result.

`gc=False`, here and wherever it stands: many of these are kept, each holds only data and stands in no circle, and so the
garbage collector need not look at it again and again.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, structs

from toolscore_otel.model.data import EMPTY, Json
from toolscore_otel.model.tool_schema import ToolSchema
from toolscore_otel.model.turn import Tokens
from toolscore_otel.model.words import CallKind, ContentState, CostSource, Gap, Stage, Status

_NOT_OBSERVED = ContentState.NOT_OBSERVED


class Payload(Struct, frozen=True, gc=False, omit_defaults=True):
    """Arguments or a result, with what is known of them.

    Attributes:
        value: the JSON value where observed, else None.
        text: the raw text where the value is cut or unparsable, else None.
        is_mended: whether something in the value could not be read, and a placeholder stands for that alone.
    """

    state: ContentState = ContentState.NOT_OBSERVED
    value: Json = None
    text: str | None = None
    is_mended: bool = False


NOT_OBSERVED = Payload()
"""Nothing was recorded."""


class Source(Struct, frozen=True, gc=False):
    """Which span, message or log record told something of a call.

    Attributes:
        what: `span`, `request`, `response` or `log`.
        convention: whose names it used.
        span_id: of that span, or of the span the log record belongs to.
    """

    what: str
    convention: str
    span_id: str | None = None


class Exposed(Struct, frozen=True, gc=False):
    """A secret in what a span or a log record holds; no character of it.

    Attributes:
        family: of the scanner that found it (`Scanner.family`).
        kind: of secret.
        path: where it stands: in messages the name of the attribute or event first.
        fingerprint: keyed hash of it.
        place: `messages`, `error` or `attributes`, as a `secrets` clause names them.
    """

    family: str
    kind: str
    path: str
    fingerprint: str
    place: str = "messages"


class ToolCall(Struct, frozen=True, gc=False, kw_only=True):
    """One call of one tool.

    A hand-made one needs `tool` and, where known, `args`; the states follow from what is given.

    Attributes:
        tool: canonical name (of the contract's registry, where one is used).
        recorded_name: the name in the telemetry; empty for the same as `tool`.
        args: what the tool was called with; None unless observed.
        args_text: raw text where arguments are cut or unparsable.
        result: JSON value; meaningful only where `result_state` is observed.
        call_id: the model's id of the call.
        span_id: of the outermost span of the call.
        agent: nearest enclosing agent invocation, by name.
        invocation_id: span id of that invocation.
        cost_usd: None where unknown, never 0 for unknown.
        model: of the model call that asked for it; None, like all that tells of this one, where nothing shows which it was
            (messages do, and order may: docs, "Tokens and prices").
        provider: of that model call.
        turn_id: span id of it. One model call may ask for several tools, and each of these carries the same: whoever adds up
            `turn_cost_usd` or `turn_tokens` takes each turn id once.
        turn_cost_usd: what it cost, apart from `cost_usd`; None where unknown, never 0 for unknown.
        turn_cost_source: where that comes from.
        turn_tokens: what it used; None where it reported nothing.
        sources: which span or message gave what.
        gaps: what is missing, and why (`Gap` codes).
        schemas: of its arguments, as its trace records them; several where it is open which one its model was shown.
        attributes: those of its spans and their resource that some contract asks for (`applies_to`).
        exposed: secrets on its spans and log records that stand in none of the above, where some contract asks for them.
        key: stable within its trace: what `Finding`s name it by.
    """

    tool: str
    recorded_name: str = ""
    kind: CallKind = CallKind.TOOL
    stage: Stage = Stage.EXECUTED
    args: Json = None
    args_text: str | None = None
    args_state: ContentState = ContentState.NOT_OBSERVED
    result: Json = None
    result_text: str | None = None
    result_state: ContentState = ContentState.NOT_OBSERVED
    status: Status = Status.UNKNOWN
    error_type: str | None = None
    error_message: str | None = None
    call_id: str | None = None
    trace_id: str = ""
    span_id: str | None = None
    parent_span_id: str | None = None
    agent: str | None = None
    invocation_id: str | None = None
    conversation_id: str | None = None
    service: str | None = None
    environment: str | None = None
    model: str | None = None
    provider: str | None = None
    start_ns: int | None = None
    end_ns: int | None = None
    cost_usd: float | None = None
    cost_source: CostSource | None = None
    turn_id: str | None = None
    turn_cost_usd: float | None = None
    turn_cost_source: CostSource | None = None
    turn_tokens: Tokens | None = None
    convention: str = ""
    position: int = 0
    sources: tuple[Source, ...] = ()
    gaps: tuple[Gap, ...] = ()
    schemas: tuple[ToolSchema, ...] = ()
    attributes: Mapping[str, Json] = EMPTY
    exposed: tuple[Exposed, ...] = ()
    key: str = ""

    def __post_init__(self) -> None:
        if self.args is not None and self.args_state is _NOT_OBSERVED:
            structs.force_setattr(self, "args_state", ContentState.OBSERVED)
        if self.result is not None and self.result_state is _NOT_OBSERVED:
            structs.force_setattr(self, "result_state", ContentState.OBSERVED)

    @property
    def is_error(self) -> bool | None:
        """Whether it failed; None where that is unknown."""
        return None if self.status is Status.UNKNOWN else self.status is Status.ERROR

    @property
    def duration_s(self) -> float | None:
        """Seconds from start to end; None where either was not observed."""
        if self.start_ns is None or self.end_ns is None:
            return None
        return max(0, self.end_ns - self.start_ns) / 1e9
