"""Which contracts want secrets taken out of which spans, on their way out.

A secret stands in many places of a trace: in a tool's arguments, in the message that asked for it, in the next prompts,
in an exception's text. So all attributes, events, status texts and link attributes are searched, also where `allow`
says that a secret is no finding: that is about the call, not about who reads the trace.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct, structs

from toolscore_otel.contracts import Contract
from toolscore_otel.model import Json, Resource
from toolscore_otel.rules.secrets import Secrets
from toolscore_otel.secrets import Cleaner, Fingerprints, Measure, Scanner

AGENT = "gen_ai.agent.name"
"""The attribute that names a span's agent."""

STATUS = "message"
"""What a status text is called."""

BODY = "body"
"""What the body of a log record is called."""

_KNOWN = 1024
"""For how many services, environments and agents the answer is kept."""


class _Clause(Struct, frozen=True):
    contract: Contract
    measure: Measure


class Redaction:
    """All `secrets` clauses with an action; those in shadow change nothing.

    Args:
        contracts: in use.
        key: of fingerprints, for `action: hash`.

    Attributes:
        hashes: contract id -> hash, for what is told of them.
    """

    def __init__(self, contracts: Sequence[Contract], key: bytes) -> None:
        self.hashes = {contract.id: contract.hash for contract in contracts}
        self._clauses = [
            _Clause(contract, Measure(_scanner(rule.record), rule.record.action))
            for contract in contracts
            for rule in contract.rules
            if isinstance(rule.record, Secrets)
            and rule.record.action != "flag"
            and not rule.record.shadow
        ]
        self._fingerprints = Fingerprints(key)
        self._cleaner_of = lru_cache(_KNOWN)(self._make)

    def __bool__(self) -> bool:
        """Whether any span may have to change."""
        return bool(self._clauses)

    def cleaner(self, resource: Resource, agent: Json) -> Cleaner | None:
        """What takes the secrets out of a span; None where no clause is about it.

        Args:
            resource: of the span.
            agent: its attribute `AGENT`. Whose agent is not known here is taken for one that every contract is about; so is
                whatever attributes a span has.
        """
        if not self._clauses:
            return None
        named = agent if isinstance(agent, str) else None
        return self._cleaner_of(resource.service, resource.environment, named)

    def _make(
        self, service: str | None, environment: str | None, agent: str | None
    ) -> Cleaner | None:
        measures: list[Measure] = []
        for clause in self._clauses:
            applies_to = structs.replace(clause.contract.applies_to, attributes={})
            if agent is None:
                applies_to = structs.replace(applies_to, agent="*")
            if applies_to.sees(
                service=service, environment=environment, agent=agent, attributes={}
            ):
                measures.append(clause.measure)
        return Cleaner(measures, self._fingerprints) if measures else None


def _scanner(rule: Secrets) -> Scanner:
    return Scanner(
        kinds=rule.kinds,
        not_kinds=rule.not_kinds,
        patterns=rule.own_patterns(),
    )
