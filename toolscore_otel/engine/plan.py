"""The rules of one contract, by the tools that they are about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from toolscore_otel.contracts import Contract
from toolscore_otel.engine.ledger import Whose
from toolscore_otel.matchers import JudgedCall
from toolscore_otel.model import Scope
from toolscore_otel.rules import Compiled
from toolscore_otel.rules.expectation import Expectation
from toolscore_otel.rules.require import Require

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
        of_totals: rules about sums: those of agent invocations under True, all others under False.
        of_spans: rules about what stands on the spans of models and agents.
        hears: whether some of these are about the messages of model calls.
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
        of_totals = [(n, rule.scope) for n, rule in enumerate(self.rules) if rule.uses_totals]
        self.of_totals = {
            of_agents: tuple(n for n, scope in of_totals if (scope is Scope.AGENT) is of_agents)
            for of_agents in (False, True)
        }
        self.of_spans = tuple(n for n, rule in enumerate(self.rules) if rule.searches)
        self.hears = any(rule.hears for rule in self.rules)
        self.sums_of_agents = bool(self.of_totals[True])
        self.sums_of_whole = of_sessions or bool(self.of_totals[False])
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

    def expectations(self, scope: Scope) -> Iterator[tuple[str, Expectation]]:
        """What rules of one scope expect, by their ids; those in shadow left out."""
        for rule, whose in zip(self.rules, self.whose, strict=True):
            if rule.expectation is not None and rule.scope is scope and not whose.shadow:
                yield whose.rule, rule.expectation

    def required(self, scope: Scope) -> Iterator[int]:
        """The `require` rules of one scope; those in shadow left out."""
        for n, rule in enumerate(self.rules):
            if (
                isinstance(rule.record, Require)
                and rule.scope is scope
                and not self.whose[n].shadow
            ):
                yield n

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
