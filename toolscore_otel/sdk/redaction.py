"""Secrets out of the spans that leave: whatever agent, model and tool spans carry, where a contract asks for it.

A secret stands in many places of a trace: in a tool's arguments, in the message that asked for it, in the next prompts,
in an exception's text. So all attributes, events, status texts and link attributes are searched, also where `allow`
says that a secret is no finding: that is about the call, not about who reads the trace.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from msgspec import Struct, structs
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.trace import Link, Status

from toolscore_otel.contracts import Contract
from toolscore_otel.model import Json
from toolscore_otel.rules.secrets import Secrets
from toolscore_otel.sdk.changed_span import changed
from toolscore_otel.secrets import Fingerprints, Scanner, redact_json, redact_text
from toolscore_otel.wire.sdk import SdkReader, attributes_of, attributes_of_interest

_AGENT = "gen_ai.agent.name"
_STATUS = "message"
_PLAIN = (str, int, float, bool, type(None))


class _Clause(Struct, frozen=True):
    """One `secrets` clause that changes what leaves."""

    contract: Contract
    scanner: Scanner
    action: str


class Redaction:
    """All `secrets` clauses with an action; those in shadow change nothing.

    Args:
        contracts: in use.
        key: of fingerprints, for `action: hash`.

    Attributes:
        hashes: contract id -> hash, for what is told of them.
    """

    def __init__(self, contracts: Sequence[Contract], key: str) -> None:
        self.hashes = {contract.id: contract.hash for contract in contracts}
        self._clauses = [
            _Clause(contract, _scanner(rule.record), rule.record.action)
            for contract in contracts
            for rule in contract.rules
            if isinstance(rule.record, Secrets)
            and rule.record.action != "flag"
            and not rule.record.shadow
        ]
        self._fingerprints = Fingerprints(key.encode())
        self._reader = SdkReader()

    def clean(self, span: ReadableSpan) -> ReadableSpan:
        """A span without its secrets; the same object where there is none, or where no clause is about it."""
        if not self._clauses:
            return span
        attributes = attributes_of_interest(span)
        if attributes is None:
            return span
        for clause in self._clauses:
            if self._sees(clause.contract, span, attributes):
                span = self._without(span, clause)
        return span

    def _sees(self, contract: Contract, span: ReadableSpan, attributes: Mapping[str, Any]) -> bool:
        """Whether a contract may apply: whose agent is not known here is taken for one that it applies to."""
        resource = self._reader.resource(span.resource)
        agent, applies_to = attributes.get(_AGENT), contract.applies_to
        if not isinstance(agent, str):
            agent, applies_to = None, structs.replace(applies_to, agent="*")
        return applies_to.sees(
            service=resource.service, environment=resource.environment, agent=agent
        )

    def _without(self, span: ReadableSpan, clause: _Clause) -> ReadableSpan:
        parts: dict[str, Any] = {}
        given = attributes_of(span)
        if (found := self._attributes(given, clause)) is not given:
            parts["attributes"] = found
        events = [self._event(event, clause) for event in span.events]
        if any(new is not old for new, old in zip(events, span.events, strict=True)):
            parts["events"] = events
        links = [self._link(link, clause) for link in span.links]
        if any(new is not old for new, old in zip(links, span.links, strict=True)):
            parts["links"] = links
        text = span.status.description
        if text and (clean := self._value(_STATUS, text, clause)) is not text:
            parts["status"] = Status(span.status.status_code, clean)
        return changed(span, **parts) if parts else span

    def _event(self, event: Any, clause: _Clause) -> Any:
        given = dict(event.attributes or {})
        found = self._attributes(given, clause)
        return event if found is given else Event(event.name, found, event.timestamp)

    def _link(self, link: Any, clause: _Clause) -> Any:
        given = dict(link.attributes or {})
        found = self._attributes(given, clause)
        return link if found is given else Link(link.context, found)

    def _attributes(self, given: dict[str, Any], clause: _Clause) -> dict[str, Any]:
        """The same object where there is no secret."""
        if not given or not clause.scanner.scan_json(_readable(given)):
            return given
        found: dict[str, Any] = {}
        for key, value in given.items():
            clean = self._value(key, value, clause)
            if clean is not None or value is None:
                name = redact_text(key, clause.scanner)
                found[name if name not in found else f"{name} {len(found)}"] = clean
        return found

    def _value(self, key: str, value: Any, clause: _Clause) -> Any:
        """A value without secrets: the same object where there is none, None where it is to be dropped."""
        told = _readable({key: value})
        if not clause.scanner.scan_json(told):
            return value
        if clause.action == "drop":
            return None
        if clause.action == "hash":
            told = self._hashed(told, clause.scanner)
        return next(iter(redact_json(told, clause.scanner).values()))

    def _hashed(self, told: dict[str, Json], scanner: Scanner) -> dict[str, Json]:
        """Each secret as a mark with its fingerprint; what comes to light beside a mark is redacted after."""
        text = json.dumps(told, ensure_ascii=False)
        parts: list[str] = []
        done = 0
        for hit in scanner.scan_text(text, fingerprints=self._fingerprints):
            parts += (text[done : hit.start], f"[REDACTED:{hit.kind}.{hit.fingerprint}]")
            done = hit.end
        clean: dict[str, Json] = json.loads("".join((*parts, text[done:])))
        return clean


def _scanner(rule: Secrets) -> Scanner:
    return Scanner(
        kinds=rule.kinds,
        not_kinds=rule.not_kinds,
        patterns=[(pattern.name, pattern.regex) for pattern in rule.patterns],
    )


def _readable(told: dict[str, Any]) -> dict[str, Json]:
    """What the SDK holds, as JSON: bytes as their text, anything unknown by its own."""
    if all(_is_plain(value) for value in told.values()):
        return told
    readable: dict[str, Json] = json.loads(json.dumps(told, default=_text))
    return readable


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(isinstance(entry, _PLAIN) for entry in cast("Sequence[Any]", value))
    return isinstance(value, _PLAIN)


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
