"""From verdicts to findings: ids that are stable over replays, revisions, corrections.

A finding is (contract, rule, trajectory, subject). Its id is a hash of these, so that the same spans give the same ids
in whatever order and however often they come. What was said and no longer stands is corrected to `pass` under the same
id. What could not be seen is one finding per rule and trajectory, given at closing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from msgspec import Struct, structs

from toolscore_otel.model import (
    Finding,
    FindingKind,
    Label,
    Scope,
    Severity,
    ToolCall,
    Trajectory,
)
from toolscore_otel.rules import Changes, Verdict

BLIND = "cannot_check"
"""Subject of the one finding that says what a rule could not see."""


class Whose(Struct, frozen=True, kw_only=True):
    """Whose finding it is: everything of it that the contract decides.

    Attributes:
        severity: of the rule, before it is lowered.
    """

    contract: str
    rule: str
    severity: Severity
    shadow: bool
    scope: Scope
    contract_version: str | None = None
    labels: Mapping[str, str] = {}
    runbook: str | None = None


class Where(Struct, frozen=True, kw_only=True):
    """In which trajectory.

    Attributes:
        key: tells trajectories of one trace apart: an invocation's span id, or empty for the trace.
    """

    trace_id: str
    key: str = ""
    conversation_id: str | None = None
    agent: str | None = None
    service: str | None = None
    environment: str | None = None

    @classmethod
    def of(cls, trajectory: Trajectory, key: str = "") -> Where:
        """The place of findings about a trajectory as a whole."""
        return cls(
            trace_id=trajectory.trace_id,
            key=key,
            conversation_id=trajectory.conversation_id,
            agent=trajectory.agent,
            service=trajectory.service,
            environment=trajectory.environment,
        )


def finding_id(whose: Whose, where: Where, subject: str) -> str:
    """A stable id: 32 hex digits of a hash of contract, rule, scope key and subject."""
    parts = (whose.contract, whose.rule, where.trace_id, where.key, subject)
    text = "\x00".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).hexdigest()


@dataclass(slots=True)
class Ledger:
    """What one rule said about one trajectory.

    Attributes:
        said: subject -> the last finding that was given.
        standing: subject -> the verdict behind it, where it stands at `fail`.
        unseen: subject -> what could not be checked.
    """

    whose: Whose
    said: dict[str, Finding] = field(default_factory=dict)
    standing: dict[str, Verdict] = field(default_factory=dict)
    unseen: dict[str, Verdict] = field(default_factory=dict)

    @property
    def fails(self) -> bool:
        """Whether some finding stands at `fail`."""
        return bool(self.standing)

    def take(self, changes: Changes, where: Where) -> Iterator[Finding]:
        """What changed; yields the findings that are new or have changed."""
        for subject, verdict in changes.items():
            self.unseen.pop(subject, None)
            self.standing.pop(subject, None)
            if verdict is None:
                yield from self._withdraw(subject)
            elif verdict.label is Label.CANNOT_CHECK:
                self.unseen[subject] = verdict
                yield from self._withdraw(subject)
            else:
                self.standing[subject] = verdict
                yield from self._say(subject, self._finding(subject, verdict, where))

    def close(self, where: Where) -> Iterator[Finding]:
        """The trajectory is over: what stands is given its last place, what could not be seen is one finding or none."""
        for subject, verdict in self.standing.items():
            yield from self._say(subject, self._finding(subject, verdict, where))
        if not self.unseen:
            yield from self._withdraw(BLIND)
            return
        verdicts = [self.unseen[subject] for subject in sorted(self.unseen)]
        first = verdicts[0]
        gathered = Verdict(
            label=Label.CANNOT_CHECK,
            kind=first.kind,
            explanation=first.explanation,
            call=first.call,
            count=sum(verdict.count for verdict in verdicts),
        )
        yield from self._say(BLIND, self._finding(BLIND, gathered, where))

    def _say(self, subject: str, finding: Finding) -> Iterator[Finding]:
        known = self.said.get(subject)
        if known is not None:
            if structs.replace(finding, revision=known.revision) == known:
                return
            finding = structs.replace(finding, revision=known.revision + 1)
        self.said[subject] = finding
        yield finding

    def _withdraw(self, subject: str) -> Iterator[Finding]:
        known = self.said.get(subject)
        if known is None or known.label is Label.PASS:
            return
        corrected = structs.replace(
            known,
            label=Label.PASS,
            explanation="corrected: what came later shows that this does not stand",
            revision=known.revision + 1,
        )
        self.said[subject] = corrected
        yield corrected

    def _finding(self, subject: str, verdict: Verdict, where: Where) -> Finding:
        whose, call = self.whose, verdict.call
        severity = whose.severity.lowered() if verdict.lowered else whose.severity
        return Finding(
            id=finding_id(whose, where, subject),
            rule=whose.rule,
            kind=FindingKind(verdict.kind),
            severity=severity,
            contract=whose.contract,
            label=verdict.label,
            explanation=verdict.explanation,
            scope=whose.scope,
            trace_id=where.trace_id,
            conversation_id=(call.conversation_id if call else None) or where.conversation_id,
            span_id=call.span_id if call else None,
            call_id=call.call_id if call else None,
            tool=call.tool if call else None,
            agent=call.agent if call else where.agent,
            service=(call.service if call else None) or where.service,
            environment=(call.environment if call else None) or where.environment,
            path=verdict.path,
            count=verdict.count,
            first=_named(verdict.first),
            last=_named(verdict.last),
            stage=call.stage if call else None,
            shadow=whose.shadow,
            secret_kind=verdict.secret_kind,
            fingerprint=verdict.fingerprint,
            contract_version=whose.contract_version,
            labels=whose.labels,
            runbook=whose.runbook,
        )


def _named(call: ToolCall | None) -> str | None:
    return None if call is None else call.call_id or call.span_id
