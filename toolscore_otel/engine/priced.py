"""What a contract's registry adds to the sums of a trace: prices of tools, and calls of which no price is known."""

from __future__ import annotations

from dataclasses import dataclass, field

from msgspec import structs

from toolscore_otel.model import CallKind, CostSource, Stage, ToolCall
from toolscore_otel.rules import Totals

_PICO = 1_000_000_000_000
"""Picodollars in a dollar: whole units, so that adding and taking away leaves no rest."""


_Share = tuple[int, int, int, int]
"""Of one call: calls made, prices of the registry, prices not known, picodollars that come on top."""


@dataclass(slots=True)
class Priced:
    """Kept up to date call by call."""

    _made: int = 0
    _known: int = 0
    _blind: int = 0
    _total: int = 0
    _shares: dict[str, _Share] = field(default_factory=dict[str, _Share])

    def put(self, call: ToolCall, judged: ToolCall) -> None:
        """A call that the contract sees, new or known better now.

        Args:
            call: as rebuilt.
            judged: with what the registry says.
        """
        made = call.kind is CallKind.TOOL and call.stage is Stage.EXECUTED
        priced = judged.cost_source is CostSource.CONTRACT
        extra = 0
        if priced:
            inside = (
                call.cost_usd or 0.0
            )  # of model calls, which the sums of the trace have already
            extra = round((judged.cost_usd or 0.0) * _PICO) - round(inside * _PICO)
        blind = made and judged.cost_usd is None
        share = (int(made), int(priced), int(blind), extra)
        if judged.key in self._shares:
            self.drop(judged.key)
        self._shares[judged.key] = share
        self._add(share, 1)

    def drop(self, key: str) -> None:
        """A call that was put is gone."""
        self._add(self._shares.pop(key), -1)

    def added_to(self, totals: Totals) -> Totals:
        """The sums of the trace with what the contract knows of its calls."""
        cost = totals.cost_usd
        if self._known:
            cost = (round((cost or 0.0) * _PICO) + self._total) / _PICO
        lacking = totals.lacking | {"cost"} if self._blind else totals.lacking
        return structs.replace(totals, cost_usd=cost, calls=self._made, lacking=lacking)

    def _add(self, share: _Share, sign: int) -> None:
        made, known, blind, extra = share
        self._made += sign * made
        self._known += sign * known
        self._blind += sign * blind
        self._total += sign * extra
