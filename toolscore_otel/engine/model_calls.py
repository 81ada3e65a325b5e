"""The model calls that one contract sees in a trajectory, told to its rules about messages."""

from __future__ import annotations

from collections.abc import Callable

from toolscore_otel.engine.plan import Plan
from toolscore_otel.engine.shares import Share, Shares
from toolscore_otel.engine.slot import Slot
from toolscore_otel.model import Scope
from toolscore_otel.rules.model_calls import ModelCall

_Told = tuple[str, ModelCall]
"""The agent invocation that a model call stands in, "" outside of all, and what is known of it."""


class ModelCalls:
    """Kept up to date span by span.

    Args:
        plan: of the contract.
        slot_of: the slot of a rule, by its number, for an agent invocation; "": for the whole.
    """

    def __init__(self, plan: Plan, slot_of: Callable[[int, str], Slot]) -> None:
        self._plan = plan
        self._slot_of = slot_of
        self._known: dict[str, _Told] = {}

    @property
    def sees_any(self) -> bool:
        """Whether the contract sees some model call."""
        return bool(self._known)

    def take(self, shares: Shares) -> dict[Slot, None]:
        """What is known of spans now; returns where something may be different."""
        touched: dict[Slot, None] = {}
        for place_id, share in shares.items():
            told, known = self._told(share), self._known.get(place_id)
            if told == known:
                continue
            if known is not None:
                del self._known[place_id]
                self._tell(place_id, known[0], None, touched)
            if told is not None:
                self._known[place_id] = told
                self._tell(place_id, *told, touched)
        return touched

    def _told(self, share: Share | None) -> _Told | None:
        if share is None or share.model_call is None or not self._sees(share):
            return None
        return share.invocation or "", share.model_call

    def _sees(self, share: Share) -> bool:
        return self._plan.sees_everything or self._plan.contract.sees(
            service=share.service,
            environment=share.environment,
            agent=share.agent,
            attributes=share.attributes,
        )

    def _tell(
        self, place_id: str, invocation: str, call: ModelCall | None, touched: dict[Slot, None]
    ) -> None:
        rules = self._plan.rules
        for n in self._plan.of_spans:
            slot = self._slot_of(n, invocation if rules[n].scope is Scope.AGENT else "")
            slot.hear(place_id, call)
            touched[slot] = None
