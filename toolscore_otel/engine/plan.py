"""The rules of one contract, by the tools that they are about."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from toolscore_otel.contracts import Contract
from toolscore_otel.engine.ledger import Whose
from toolscore_otel.matchers import JudgedCall
from toolscore_otel.model import Scope
from toolscore_otel.rules import Compiled

KNOWN_NAMES = 10_000
"""Names of which it is kept which rules are about them; they come from outside."""


class About(Struct, frozen=True):
    """The rules that may have something to say of some call.

    Attributes:
        of_agents: those to which agents matter.
        others: all the others.
    """

    of_agents: tuple[int, ...]
    others: tuple[int, ...]


class Plan:
    """One contract, ready to be run on many traces.

    Attributes:
        rules: of the contract; everywhere else a rule is its number here.
        whose: what findings of each rule carry.
        of_totals: rules about sums.
        sums_of_whole: whether some of these are about whole traces (or sessions).
        sums_of_agents: whether some of these are about agent invocations.
        asks_active: whether some of these ask how long something was at work.
        of_agents: rules to which agents matter: their verdicts may turn when one is named, or they hold per invocation.
        sees_everything: whether it applies to whatever there is.
    """

    def __init__(self, contract: Contract, *, of_sessions: bool = False) -> None:
        """A plan.

        Args:
            contract: whose rules.
            of_sessions: those of scope `session`, and no others; else all but those.
        """
        self.contract = contract
        self.rules = tuple(r for r in contract.rules if (r.scope is Scope.SESSION) is of_sessions)
        self.whose = tuple(_whose(contract, rule) for rule in self.rules)
        self.of_totals = tuple(n for n, rule in enumerate(self.rules) if rule.uses_totals)
        scopes = {self.rules[n].scope for n in self.of_totals}
        self.sums_of_agents = Scope.AGENT in scopes
        self.sums_of_whole = of_sessions or not scopes <= {Scope.AGENT}
        self.asks_active = any(rule.uses_active for rule in self.rules)
        self.of_agents = frozenset(
            n for n, rule in enumerate(self.rules) if rule.uses_agent or rule.scope is Scope.AGENT
        )
        self.sees_everything = contract.sees_everything
        self._about: dict[tuple[str, ...], About] = {}
        self._all = self._parted(range(len(self.rules)))

    def about(self, call: JudgedCall) -> About:
        """The rules that may have something to say of this call."""
        if call.dispatcher is not None or not call.call.tool:
            return self._all
        found = self._about.get(call.names)
        if found is None:
            names = frozenset(call.names)
            found = self._parted(
                n
                for n, rule in enumerate(self.rules)
                if rule.tools is None or not names.isdisjoint(rule.tools)
            )
            if len(self._about) < KNOWN_NAMES:
                self._about[call.names] = found
        return found

    def _parted(self, numbers: Iterable[int]) -> About:
        about = sorted(numbers)
        return About(
            tuple(n for n in about if n in self.of_agents),
            tuple(n for n in about if n not in self.of_agents),
        )


def _whose(contract: Contract, rule: Compiled) -> Whose:
    record = rule.record
    return Whose(
        contract=contract.id,
        rule=record.id or "",
        severity=record.severity or contract.severity,
        shadow=bool(record.shadow),
        scope=rule.scope,
        contract_version=contract.version,
        labels=contract.labels,
        runbook=contract.runbook,
    )
