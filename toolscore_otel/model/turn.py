"""Model calls and runs of agents: what they used, and what they cost."""

from __future__ import annotations

from msgspec import Struct

from toolscore_otel.model.words import CostSource


class Tokens(Struct, frozen=True, gc=False):
    """Tokens of model calls; a part is None where no model call reported it.

    Attributes:
        input: cached ones and those written to a cache included.
        output: reasoning ones included.
    """

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None

    @property
    def total(self) -> int | None:
        """Of input and output; None where one of them was not reported."""
        return None if self.input is None or self.output is None else self.input + self.output


class AgentTotal(Struct, frozen=True, gc=False, kw_only=True):
    """What the run of an agent used and cost by its own account, where no model call of it tells that.

    Attributes:
        id: span id of the invocation.
        tokens: a part that it did not report is None.
        cost_usd: None where unknown, never 0 for unknown.
        at_least: whether sub-agents ran inside, and it is not known whether they are in it.
    """

    id: str
    agent: str | None = None
    tokens: Tokens = Tokens()
    cost_usd: float | None = None
    at_least: bool = False


class Turn(Struct, frozen=True, gc=False, kw_only=True):
    """One model call, counted once, whatever spans tell of it again.

    Attributes:
        id: of the span that tells of it; calls that it asked for name it (`ToolCall.turn_id`).
        agent: nearest enclosing agent invocation, by name.
        invocation_id: span id of that invocation.
        tokens: a part that it did not report is None.
        cost_usd: None where unknown, never 0 for unknown.
    """

    id: str
    agent: str | None = None
    invocation_id: str | None = None
    model: str | None = None
    provider: str | None = None
    start_ns: int | None = None
    end_ns: int | None = None
    tokens: Tokens = Tokens()
    cost_usd: float | None = None
    cost_source: CostSource | None = None
