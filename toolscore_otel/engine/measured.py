"""The sums of the trajectories of one contract: what it sees of spans and calls, and what its registry adds.

A price of the registry stands for what the model calls inside the call cost; what waits for a person is not at work.
"""

from __future__ import annotations

from toolscore_otel.assembly.spent import PICO
from toolscore_otel.engine.plan import Plan
from toolscore_otel.engine.shares import NO_MONEY, Money, Share, Shares
from toolscore_otel.engine.tally import CallShare, Tally
from toolscore_otel.matchers import JudgedCall
from toolscore_otel.model import CallKind, CostSource, Stage, ToolCall
from toolscore_otel.rules import Totals

APPROVAL = "human_approval"
"""Label of a tool that waits for a person."""

_EXECUTED, _TOOL, _CONTRACT = Stage.EXECUTED, CallKind.TOOL, CostSource.CONTRACT

Part = tuple[bool, str]
"""Whether it is of an agent, and the span id of that invocation, "" outside of all; the whole is (False, "")."""

WHOLE: Part = (False, "")
OUTSIDE: Part = (True, "")


class Measured:
    """Kept up to date span by span and call by call.

    Attributes:
        touched: the parts of which the sums may be others now; the caller empties it.
        agents: how many agent invocations are known, whoever sees them.
    """

    def __init__(self, plan: Plan) -> None:
        self.touched: dict[Part, None] = {}
        self.agents = 0
        self._plan = plan
        self._tallies: dict[Part, Tally] = {}
        self._shares: dict[str, Share] = {}
        self._unseen_agents: set[str] = set()
        self._calls: dict[str, tuple[ToolCall, JudgedCall]] = {}
        self._priced_at: dict[str, str] = {}

    @property
    def sees_any(self) -> bool:
        """Whether the contract sees some span."""
        return bool(self._shares)

    def take(self, shares: Shares) -> None:
        """What spans add now."""
        for place_id, share in shares.items():
            known = self._shares.get(place_id)
            if share == known and share is not None:
                continue
            self._drop(place_id)
            if share is not None:
                self._put(place_id, share)
            if (key := self._priced_at.get(place_id)) is not None:
                self.put_call(*self._calls[key])

    def put_call(self, call: ToolCall, judged: JudgedCall) -> None:
        """A call that the contract sees, new or known better now.

        Args:
            call: as rebuilt.
            judged: with what the registry says.
        """
        key = judged.call.key
        self.drop_call(key)
        self._calls[key] = (call, judged)
        if judged.call.cost_source is _CONTRACT and call.span_id:
            self._priced_at[call.span_id] = key
        for part in self._parts(call.invocation_id):
            self._tally(part).put_call(key, self._call_share(part, call, judged))

    def drop_call(self, key: str) -> None:
        """A call is gone, if it was known."""
        if (known := self._calls.pop(key, None)) is None:
            return
        call, _ = known
        if self._priced_at.get(call.span_id or "") == key:
            del self._priced_at[call.span_id or ""]
        for part in self._parts(call.invocation_id):
            self._tally(part).drop_call(key)

    def name_of(self, invocation: str) -> str | None:
        """The name of an agent by its invocation; None where there is none, or the contract does not see it."""
        share = self._shares.get(invocation)
        return None if share is None else share.agent

    def totals(self, part: Part) -> Totals:
        """The sums of a part as they stand; nothing for what is outside of all agents, where there are some.

        A part of which nothing is left is one of which nothing came.
        """
        tally = self._tallies.get(part)
        if tally is None or tally.is_empty or (part == OUTSIDE and self.agents):
            return Totals()
        return tally.totals()

    def _put(self, place_id: str, share: Share) -> None:
        if share.is_apart:
            return
        if share.is_agent:
            self._count_agents(1)
        if not self._plan.sees_everything and not self._sees(share):
            if share.is_agent:
                self._unseen_agents.add(place_id)
            return
        self._shares[place_id] = share
        for part in self._parts(share.invocation):
            self._tally(part).put(place_id, share)

    def _drop(self, place_id: str) -> None:
        if place_id in self._unseen_agents:
            self._unseen_agents.discard(place_id)
            self._count_agents(-1)
        if (share := self._shares.pop(place_id, None)) is None:
            return
        if share.is_agent:
            self._count_agents(-1)
        for part in self._parts(share.invocation):
            self._tally(part).drop(place_id)

    def _sees(self, share: Share) -> bool:
        return self._plan.contract.sees(
            service=share.service,
            environment=share.environment,
            agent=share.agent,
            attributes=share.attributes,
        )

    def _count_agents(self, change: int) -> None:
        self.agents += change
        if self._plan.sums_of_agents:
            self.touched[OUTSIDE] = None

    def _parts(self, invocation: str | None) -> list[Part]:
        plan = self._plan
        parts: list[Part] = [WHOLE] if plan.sums_of_whole else []
        return [*parts, (True, invocation or "")] if plan.sums_of_agents else parts

    def _tally(self, part: Part) -> Tally:
        self.touched[part] = None
        tally = self._tallies.get(part)
        if tally is None:
            tally = Tally(own=part[0], active=self._plan.asks_active)
            self._tallies[part] = tally
        return tally

    def _call_share(self, part: Part, call: ToolCall, judged: JudgedCall) -> CallShare:
        told = judged.call
        has_run = told.stage is _EXECUTED
        is_made = has_run and told.kind is _TOOL
        share = CallShare(is_made, self._cost(part, call, told, is_made=is_made))
        if not has_run or APPROVAL in judged.labels:
            return share
        lacks = "dispatch" if APPROVAL in judged.maybe_labels else "times"
        times = (None, None) if lacks == "dispatch" else (told.start_ns, told.end_ns)
        return CallShare(is_made, share.cost, *times, lacks=lacks)

    def _cost(self, part: Part, call: ToolCall, told: ToolCall, *, is_made: bool) -> Money:
        if told.cost_source is not _CONTRACT:
            return (0, 0, 1) if is_made and told.cost_usd is None else NO_MONEY
        return (round((told.cost_usd or 0.0) * PICO) - self._inside(part, call), 1, 0)

    def _inside(self, part: Part, call: ToolCall) -> int:
        """What model calls inside it cost, which the sums have already."""
        if part[0] and (share := self._shares.get(call.span_id or "")) is not None:
            return share.inside
        return round((call.cost_usd or 0.0) * PICO)
