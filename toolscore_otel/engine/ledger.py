"""From verdicts to findings: ids that are stable over replays, revisions, corrections.

A finding is (contract, rule, trajectory, subject). Its id is a hash of these, so that the same spans give the same ids
in whatever order and however often they come. What was said and no longer stands is corrected to `pass` under the same
id. What could not be seen is one finding per rule and trajectory, given at closing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from msgspec import Struct, structs

from toolscore_otel.engine.known_as import AS_BEFORE, KnownAs
from toolscore_otel.model import (
    Finding,
    FindingKind,
    Label,
    Scope,
    Severity,
    ToolCall,
    Trajectory,
)
from toolscore_otel.rules import Changes, Verdict, key_in
from toolscore_otel.rules.wording import unseen

BLIND = "\x1fcannot_check"
"""Subject of the one finding that says what a rule could not see."""

_SUPERSEDED = "corrected: by what is known now this does not stand"


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
    """What is known of a trajectory beside its calls, for findings that say nothing of it themselves.

    Attributes:
        trace_id: of a session: that of its first trace.
    """

    trace_id: str = ""
    conversation_id: str | None = None
    agent: str | None = None
    service: str | None = None
    environment: str | None = None

    @classmethod
    def of(cls, trajectory: Trajectory) -> Where:
        """That of a trajectory as it stands."""
        return cls(
            trace_id=trajectory.trace_id,
            conversation_id=trajectory.conversation_id,
            agent=trajectory.agent,
            service=trajectory.service,
            environment=trajectory.environment,
        )


@dataclass(slots=True)
class Ledger:
    """What one rule said about one trajectory.

    Attributes:
        trajectory: the scope key: trace id and, of an agent invocation, its span id; of a session as `sessions` makes it.
        present: what a finding passes before it is said.
        said: subject -> the last finding that was given.
        standing: subject -> the verdict behind it, where it stands at `fail`.
        unseen: subject -> what could not be checked.
    """

    whose: Whose
    trajectory: tuple[str, str]
    present: Callable[[Finding], Finding]
    said: dict[str, Finding] = field(default_factory=dict[str, Finding])
    standing: dict[str, Verdict] = field(default_factory=dict[str, Verdict])
    unseen: dict[str, Verdict] = field(default_factory=dict[str, Verdict])

    @property
    def label(self) -> Label:
        """How the rule came out so far."""
        return Label.FAIL if self.standing else Label.CANNOT_CHECK if self.unseen else Label.PASS

    def take(
        self, changes: Changes, where: Where, now_known: KnownAs = AS_BEFORE
    ) -> Iterator[Finding]:
        """What changed; yields the findings that are new or have changed.

        Args:
            changes: of a rule.
            where: what is known of the trajectory.
            now_known: as what calls are known now, where that is why a finding is corrected.
        """
        for subject, verdict in changes.items():
            self.unseen.pop(subject, None)
            self.standing.pop(subject, None)
            if verdict is not None and verdict.label is Label.FAIL:
                self.standing[subject] = verdict
                yield from self._say(subject, verdict, where)
                continue
            if verdict is not None:
                self.unseen[subject] = verdict
            if subject in self.said:
                why = now_known.of(key_in(subject))
                yield from self._withdraw(subject, why or _SUPERSEDED)

    def close(self, where: Where) -> Iterator[Finding]:
        """The trajectory is over: what stands gets what is known of it; what was not seen is one finding, or none."""
        for subject, verdict in self.standing.items():
            yield from self._say(subject, verdict, where)
        if self.unseen:
            yield from self._say(BLIND, _gathered(self.unseen), where)
        else:
            yield from self._withdraw(BLIND, _SUPERSEDED)

    def retract(self) -> Iterator[Finding]:
        """The contract turned out not to apply: nothing stands."""
        self.standing.clear()
        self.unseen.clear()
        for subject in list(self.said):
            yield from self._withdraw(subject, "now known to be none of this contract's")

    def _say(self, subject: str, verdict: Verdict, where: Where) -> Iterator[Finding]:
        finding = self.present(self._finding(subject, verdict, where))
        known = self.said.get(subject)
        if known is not None:
            if structs.replace(finding, revision=known.revision) == known:
                return
            finding = structs.replace(finding, revision=known.revision + 1)
        self.said[subject] = finding
        yield finding

    def _withdraw(self, subject: str, why: str) -> Iterator[Finding]:
        known = self.said.get(subject)
        if known is None or known.label is Label.PASS:
            return
        corrected = self.present(
            structs.replace(known, label=Label.PASS, explanation=why, revision=known.revision + 1)
        )
        self.said[subject] = corrected
        yield corrected

    def _finding(self, subject: str, verdict: Verdict, where: Where) -> Finding:
        whose, call = self.whose, verdict.call
        sits_on = call or verdict.model_call
        severity = verdict.severity or whose.severity
        severity = severity.lowered() if verdict.lowered else severity
        return Finding(
            id=self._id(subject),
            rule=whose.rule,
            kind=verdict.kind,
            severity=severity,
            contract=whose.contract,
            label=verdict.label,
            explanation=verdict.explanation,
            scope=whose.scope,
            trace_id=(sits_on.trace_id if sits_on else "") or where.trace_id,
            conversation_id=(sits_on.conversation_id if sits_on else None) or where.conversation_id,
            span_id=(sits_on.span_id or None) if sits_on else None,
            call_id=call.call_id if call else None,
            tool=call.tool if call else None,
            agent=sits_on.agent if sits_on else where.agent,
            service=(sits_on.service if sits_on else None) or where.service,
            environment=(sits_on.environment if sits_on else None) or where.environment,
            path=verdict.path,
            count=verdict.count,
            first=_named(verdict.first),
            last=_named(verdict.last),
            stage=call.stage if call else None,
            shadow=whose.shadow or verdict.shadow,
            secret_kind=verdict.secret_kind,
            fingerprint=verdict.fingerprint,
            contract_version=whose.contract_version,
            labels=whose.labels,
            runbook=whose.runbook,
        )

    def _id(self, subject: str) -> str:
        """32 hex digits."""
        parts = (self.whose.contract, self.whose.rule, *self.trajectory, subject)
        text = "\x00".join(parts).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(text, digest_size=16).hexdigest()


def _gathered(unseen_verdicts: Mapping[str, Verdict]) -> Verdict:
    """What could not be checked, in one: it sits on the first of the calls, and tells everything that was missing."""
    verdicts = [unseen_verdicts[subject] for subject in sorted(unseen_verdicts)]
    first = min(verdicts, key=_begin)
    count = sum(_calls(verdicts).values())
    missing = {word for verdict in verdicts for word in verdict.missing}
    return Verdict(
        label=Label.CANNOT_CHECK,
        kind=FindingKind(first.kind),
        explanation=unseen(first.explanation, missing, more=count - first.count),
        call=first.call,
        model_call=first.model_call,
        count=count,
    )


def _calls(verdicts: list[Verdict]) -> Mapping[str, int]:
    """How many calls each is about, a call counted once."""
    counts: dict[str, int] = {}
    for number, verdict in enumerate(verdicts):
        key = f"\x1f{number}" if verdict.call is None else verdict.call.key
        counts[key] = max(counts.get(key, 0), verdict.count)
    return counts


def _begin(verdict: Verdict) -> tuple[bool, int, str]:
    """Sorts verdicts by the call they sit on, those about the trajectory last."""
    call = verdict.call or verdict.model_call
    start = None if call is None else call.start_ns
    return start is None, start or 0, "" if verdict.call is None else verdict.call.key


def _named(call: ToolCall | None) -> str | None:
    return None if call is None else call.call_id or call.span_id
