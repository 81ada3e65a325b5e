"""The nouns: Span, ToolCall, Trajectory, Finding, Score, and their closed lists.

All are frozen. Times are integer nanoseconds since the epoch, money is USD, ids are lower-case hex text. A value that was
not observed is its own state and never an empty object, never ok, never zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct, structs

Json = Any
"""A JSON value: None, bool, int, float, str, list or dict with text keys."""

EMPTY: Mapping[str, Json] = {}
"""A shared empty mapping; never written to."""


class ContentState(StrEnum):
    """What is known of arguments or a result."""

    OBSERVED = "observed"
    NOT_OBSERVED = "not_observed"
    """Nothing was recorded: content capture off, hidden, or redacted upstream."""
    TRUNCATED = "truncated"
    """The recorded text ends inside a structure."""
    UNPARSABLE = "unparsable"
    """The recorded text is whole, and no JSON."""


class Stage(StrEnum):
    """How far a call came."""

    REQUESTED = "requested"
    EXECUTED = "executed"


class Status(StrEnum):
    """How a call ended. `unknown` is neither of the other two."""

    OK = "ok"
    ERROR = "error"
    UNKNOWN = "unknown"


class CallKind(StrEnum):
    """What sort of tool was called."""

    TOOL = "tool"
    HANDOFF = "handoff"
    AGENT = "agent"
    """Another agent, called as a tool."""
    OUTPUT = "output"
    """The framework's own way to give a final answer."""


class Severity(StrEnum):
    """How bad a finding is."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """0 for `info` to 3 for `critical`."""
        return _SEVERITIES.index(self)

    def lowered(self) -> Severity:
        """One step less severe, at least `info`."""
        return _SEVERITIES[max(0, self.rank - 1)]


_SEVERITIES = tuple(Severity)


class Label(StrEnum):
    """What a finding says. `pass` only ever corrects an earlier one."""

    PASS = "pass"  # noqa: S105 - not a password
    FAIL = "fail"
    CANNOT_CHECK = "cannot_check"


class Scope(StrEnum):
    """What one trajectory is."""

    TRACE = "trace"
    AGENT = "agent"
    SESSION = "session"


class ClosedBy(StrEnum):
    """Why a trajectory was closed."""

    ROOT_ENDED = "root_ended"
    IDLE = "idle"
    MAX_AGE = "max_age"
    SPAN_LIMIT = "span_limit"
    EVICTED = "evicted"
    SHUTDOWN = "shutdown"
    END_OF_INPUT = "end_of_input"


class CostSource(StrEnum):
    """Where a cost comes from."""

    REPORTED = "reported"
    """An attribute of the span says it."""
    CONTRACT = "contract"
    """`cost_usd` of the contract's registry."""
    PRICED = "priced"
    """Tokens of the model calls inside the call, times list prices."""


class FindingKind(StrEnum):
    """What kind of rule a finding comes from."""

    FORBIDDEN_CALL = "forbidden_call"
    MISSING_CALL = "missing_call"
    LIMIT_EXCEEDED = "limit_exceeded"
    RETRY_LOOP = "retry_loop"
    BUDGET_EXCEEDED = "budget_exceeded"
    SECRET_EXPOSED = "secret_exposed"  # noqa: S105 - not a password
    COVERAGE_GAP = "coverage_gap"


class Gap(StrEnum):
    """What a call, a model call or a trajectory lacks, and why. The one list of codes."""

    ARGS_NOT_OBSERVED = "args_not_observed"
    ARGS_TRUNCATED = "args_truncated"
    ARGS_UNPARSABLE = "args_unparsable"
    RESULT_NOT_OBSERVED = "result_not_observed"
    RESULT_TRUNCATED = "result_truncated"
    CONTENT_HIDDEN = "content_hidden"
    """A placeholder stands where content was: hidden or redacted upstream."""
    NO_CALL_ID = "no_call_id"
    NAME_FROM_SPAN = "name_from_span"
    """No attribute names the tool; the span's name does."""
    NAME_NOT_OBSERVED = "name_not_observed"
    AGENT_NOT_OBSERVED = "agent_not_observed"
    STATUS_NOT_OBSERVED = "status_not_observed"
    TIMES_NOT_OBSERVED = "times_not_observed"
    SPAN_NOT_ENDED = "span_not_ended"
    SPAN_ID_REUSED = "span_id_reused"
    ATTRIBUTES_DROPPED = "attributes_dropped"
    PARENT_MISSING = "parent_missing"
    SAMPLED_UPSTREAM = "sampled_upstream"
    SPAN_LIMIT = "span_limit"
    FRAGMENT = "fragment"
    """Tool spans stand alone: their parent is missing, and the trace has no agent or model span."""
    REQUESTED_NOT_RUN = "requested_not_run"
    COST_NOT_KNOWN = "cost_not_known"
    REOPENED_AFTER_EVICTION = "reopened_after_eviction"


class Resource(Struct, frozen=True):
    """Who sent a span.

    Attributes:
        attributes: as recorded.
    """

    attributes: Mapping[str, Json] = EMPTY

    @property
    def service(self) -> str | None:
        """`service.name`, or None where it is absent or no text."""
        return _text(self.attributes.get("service.name"))

    @property
    def environment(self) -> str | None:
        """`deployment.environment.name`, else its older name."""
        for key in ("deployment.environment.name", "deployment.environment"):
            if (value := _text(self.attributes.get(key))) is not None:
                return value
        return None


class InstrumentationScope(Struct, frozen=True):
    """Which instrumentation wrote a span."""

    name: str = ""
    version: str = ""


class SpanEvent(Struct, frozen=True):
    """One event of a span."""

    name: str
    time_ns: int | None = None
    attributes: Mapping[str, Json] = EMPTY


class Link(Struct, frozen=True):
    """A link to another span."""

    trace_id: str
    span_id: str
    attributes: Mapping[str, Json] = EMPTY


class SpanKind(StrEnum):
    """OTLP span kinds."""

    UNSPECIFIED = "unspecified"
    INTERNAL = "internal"
    SERVER = "server"
    CLIENT = "client"
    PRODUCER = "producer"
    CONSUMER = "consumer"


class SpanStatus(StrEnum):
    """OTLP status codes."""

    UNSET = "unset"
    OK = "ok"
    ERROR = "error"


class Span(Struct, frozen=True, kw_only=True):
    """One finished span, as recorded.

    Attributes:
        trace_id: 32 hex digits.
        span_id: 16 hex digits.
        parent_span_id: None for a root.
        start_ns: None where it was not recorded (0 on the wire).
        end_ns: None where it was not recorded: the span had not ended.
        attributes: flat, values as JSON values; structured values stay structured.
        dropped_attributes: how many attributes the SDK dropped at its limit.
        trace_state: W3C trace state, as text.
    """

    trace_id: str
    span_id: str
    parent_span_id: str | None = None
    name: str = ""
    kind: SpanKind = SpanKind.UNSPECIFIED
    start_ns: int | None = None
    end_ns: int | None = None
    attributes: Mapping[str, Json] = EMPTY
    events: tuple[SpanEvent, ...] = ()
    links: tuple[Link, ...] = ()
    status: SpanStatus = SpanStatus.UNSET
    status_message: str = ""
    resource: Resource = Resource()
    scope: InstrumentationScope = InstrumentationScope()
    dropped_attributes: int = 0
    trace_state: str = ""


class LogRecord(Struct, frozen=True, kw_only=True):
    """One log record, as recorded.

    Attributes:
        trace_id: None where the record stands in no trace.
        event_name: the field, else the attribute `event.name`, else None.
        time_ns: when it happened, else when it was observed; None where neither was recorded.
        body: a JSON value.
    """

    trace_id: str | None = None
    span_id: str | None = None
    event_name: str | None = None
    time_ns: int | None = None
    severity_number: int = 0
    body: Json = None
    attributes: Mapping[str, Json] = EMPTY
    resource: Resource = Resource()
    scope: InstrumentationScope = InstrumentationScope()


class Payload(Struct, frozen=True):
    """Arguments or a result, with what is known of them.

    Attributes:
        value: the JSON value where observed, else None.
        text: the raw text where the value is cut or unparsable, else None.
    """

    state: ContentState = ContentState.NOT_OBSERVED
    value: Json = None
    text: str | None = None


NOT_OBSERVED = Payload()
"""Nothing was recorded."""


class Source(Struct, frozen=True):
    """Which span, message or log record told something of a call.

    Attributes:
        what: `span`, `request`, `response` or `log`.
        convention: whose names it used.
        span_id: of that span, or of the span the log record belongs to.
    """

    what: str
    convention: str
    span_id: str | None = None


class ToolCall(Struct, frozen=True, kw_only=True):
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
        turn_cost_usd: cost of the model call that asked for it.
        sources: which span or message gave what.
        gaps: what is missing, and why (`Gap` codes).
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
    turn_cost_usd: float | None = None
    convention: str = ""
    position: int = 0
    sources: tuple[Source, ...] = ()
    gaps: tuple[Gap, ...] = ()
    key: str = ""

    def __post_init__(self) -> None:
        if self.args is not None and self.args_state is ContentState.NOT_OBSERVED:
            structs.force_setattr(self, "args_state", ContentState.OBSERVED)
        if self.result is not None and self.result_state is ContentState.NOT_OBSERVED:
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


class Tokens(Struct, frozen=True):
    """Tokens of model calls; a part is None where no model call reported it."""

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    reasoning: int | None = None


class Trajectory(Struct, frozen=True, kw_only=True):
    """One trace (or agent invocation, or session) with its calls in order of start.

    Attributes:
        calls: all calls, requested ones included.
        latency_s: last end minus first start of its agent, model and tool spans.
        active_s: length of the union of its tool and model call intervals.
        cost_usd: sum of what is known; None where nothing is known.
        incomplete: known to lack calls (contract language, section 1).
        closed_by: None while it is open.
    """

    scope: Scope = Scope.TRACE
    trace_id: str = ""
    conversation_id: str | None = None
    agent: str | None = None
    service: str | None = None
    environment: str | None = None
    scenario: str | None = None
    start_ns: int | None = None
    end_ns: int | None = None
    latency_s: float | None = None
    active_s: float | None = None
    calls: tuple[ToolCall, ...] = ()
    tokens: Tokens = Tokens()
    cost_usd: float | None = None
    cost_source: CostSource | None = None
    closed_by: ClosedBy | None = None
    incomplete: bool = False
    gaps: tuple[Gap, ...] = ()


class Finding(Struct, frozen=True, kw_only=True):
    """What one rule says about one subject of one trajectory.

    Attributes:
        id: stable over replays, restarts and re-deliveries.
        first: call id (else span id) of the first call it is about, for rules about repetition.
        count: how many calls it is about.
        path: where in the arguments or the result, for rules about values.
        fingerprint: keyed hash of a secret; never characters of it.
        revision: starts at 1 and grows with every change.
    """

    id: str
    rule: str
    kind: FindingKind
    severity: Severity
    contract: str
    label: Label
    explanation: str
    scope: Scope = Scope.TRACE
    trace_id: str = ""
    conversation_id: str | None = None
    span_id: str | None = None
    call_id: str | None = None
    tool: str | None = None
    agent: str | None = None
    service: str | None = None
    environment: str | None = None
    path: str | None = None
    count: int = 1
    first: str | None = None
    last: str | None = None
    stage: Stage | None = None
    shadow: bool = False
    secret_kind: str | None = None
    fingerprint: str | None = None
    contract_version: str | None = None
    labels: Mapping[str, str] = EMPTY
    runbook: str | None = None
    revision: int = 1


class Score(Struct, frozen=True, kw_only=True):
    """One number of one trajectory; `value` is None where it does not apply."""

    name: str
    value: float | None
    label: Label | None = None
    contract: str | None = None
    trace_id: str = ""
    conversation_id: str | None = None
    explanation: str = ""


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
