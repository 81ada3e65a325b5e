"""What a reader gives back: what one span, or one log record, says about tool calls.

A reading holds only what is written there. It never guesses: what is absent is `NOT_OBSERVED` or None, and what was
taken from a weaker place is said in `gaps`. `assembly` joins readings of one call, in whatever order they come.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from toolscore_otel.model import (
    NOT_OBSERVED,
    CallKind,
    Exposed,
    Gap,
    Payload,
    Stage,
    Status,
    ToolSchema,
)


class Layer(StrEnum):
    """Which side of a call a reading comes from: calls are joined across layers, never inside one."""

    FRAMEWORK = "framework"
    MCP_CLIENT = "mcp_client"
    MCP_SERVER = "mcp_server"
    MESSAGE = "message"
    """Only asked for, or answered, in a chat message."""


class Spoken(StrEnum):
    """Where the model's words stand in a history that is written as one log record a message."""

    BEFORE = "before"
    """In the input of a model call: what stands before them on the same span was heard before."""
    NOW = "now"
    """They are what this model call says."""


class CallReading(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """What one span, message or log record says about one call.

    Attributes:
        convention: whose names it used (`genai`, `openinference`, ...).
        what: `span`, `request`, `response` or `log`.
        name: the tool's name as recorded; None where the span says that a tool ran and not which.
        status: UNKNOWN where nothing tells; a span that ended without a mark of failure is OK.
        agent: the agent that runs the tool, where this very span says so.
        agent_id: of that agent, where another span or record names it by this (`SpanReading.named`).
        position: place in the message that asked, for ties.
        fills: whether it only adds to a call that another reading tells of, and is none by itself.
        rpc: of a request that client and server both tell of: the same on both sides, and on no other request.
        exposed: secrets beside what is told here, where that was asked.
    """

    convention: str
    layer: Layer = Layer.FRAMEWORK
    what: str = "span"
    name: str | None = None
    kind: CallKind = CallKind.TOOL
    stage: Stage = Stage.EXECUTED
    args: Payload = NOT_OBSERVED
    result: Payload = NOT_OBSERVED
    call_id: str | None = None
    status: Status = Status.UNKNOWN
    error_type: str | None = None
    error_message: str | None = None
    agent: str | None = None
    agent_id: str | None = None
    cost_usd: float | None = None
    position: int = 0
    fills: bool = False
    gaps: tuple[Gap, ...] = ()
    exposed: tuple[Exposed, ...] = ()
    rpc: str | None = None


class ModelReading(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """This span is a model call.

    Attributes:
        input_tokens: those read from a cache and written to one included.
        output_tokens: reasoning ones included.
        cost_usd: as reported on the span.
        response_id: the provider's; two spans that share one tell of one model call.
        asks: whether the span shows that the model asked for tools, whichever.
        is_unclear: whether nothing shows that input tokens include those of the cache (then these are as written), or a count
            is written that can be none.
    """

    convention: str
    model: str | None = None
    provider: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_usd: float | None = None
    response_id: str | None = None
    asks: bool = False
    is_unclear: bool = False


class RollUp(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """What an agent invocation says that all model calls of its run used and cost.

    Attributes:
        used: as of one model call; its model is the one that the span names.
        is_cost_so_far: whether the cost is that of earlier runs, too.
    """

    used: ModelReading
    is_cost_so_far: bool = False


class AgentReading(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """This span is an agent invocation, or a step of one.

    Attributes:
        name: None where the span is one and does not name the agent.
        is_step: whether it only names the agent whose step it is, and is no invocation of its own.
        runs_outer: whether an invocation directly around it is that of the same agent.
        roll_up: what it adds up over its run.
    """

    convention: str
    name: str | None = None
    is_step: bool = False
    runs_outer: bool = False
    roll_up: RollUp | None = None


class Offer(Struct, frozen=True, gc=False, eq=False):
    """Tools that a model was offered. Two from the same text are equal; one is held by all spans that repeat it.

    Attributes:
        digest: of the text.
        tools: the schemas of their arguments by name, as recorded; None where an earlier span of the trace told them.
        size: of the text, in characters.
    """

    digest: str
    tools: dict[str, ToolSchema] | None = None
    size: int = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Offer) and other.digest == self.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"Offer({self.digest})"


class Heard(Struct, frozen=True, gc=False):
    """What was looked for in the messages of a model call, and what was found.

    Attributes:
        looked_for: families of the scanners.
        content: whether anything that was said was recorded.
        cut: whether some of it was cut.
        exposed: the secrets, by path.
        beyond: how many further ones were not kept.
    """

    looked_for: tuple[str, ...]
    content: bool = False
    cut: bool = False
    exposed: tuple[Exposed, ...] = ()
    beyond: int = 0


class SpanReading(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """All that one span (or log record) says. At least one part is there.

    Attributes:
        calls: usually one; several where a span carries messages.
        conversation_id: of the conversation it belongs to.
        session: the conversation that its resource names; it holds where nothing nearer names one.
        scenario: test scenario, where the span names one.
        spoken: for a log record that is a message of the model.
        named: the id of an agent of this trace, and its name.
        offer: the tools that a model was offered.
        is_twin: what it tells of is told better in another trace.
        duration_ns: how long what a log record tells of had taken, where it says so.
        heard: what was found in its messages, where that was asked.
        logged: what a log record elsewhere tells of the model call that this span is; says nothing by itself.
        is_sampled: whether it says that others like it were left out on the way.
    """

    calls: tuple[CallReading, ...] = ()
    agent: AgentReading | None = None
    model: ModelReading | None = None
    conversation_id: str | None = None
    session: str | None = None
    scenario: str | None = None
    spoken: Spoken | None = None
    named: tuple[str, str] | None = None
    offer: Offer | None = None
    is_twin: bool = False
    duration_ns: int | None = None
    heard: Heard | None = None
    logged: ModelReading | None = None
    is_sampled: bool = False
