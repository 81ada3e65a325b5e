"""Secrets on the spans of models and agents: in messages, and beside them (docs/pages/clauses/secrets.md).

Every model call repeats the conversation, and a failure is told again by all that stands around it. So a secret is one
finding: on the span on which it stands first.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from toolscore_otel.errors import on_one_line
from toolscore_otel.matchers import JudgedCall
from toolscore_otel.model import NEVER, Exposed, FindingKind, Gap, Label, Severity, Trajectory
from toolscore_otel.rules.model_calls import ModelCall
from toolscore_otel.rules.per_call import PerCall
from toolscore_otel.rules.shape import TRAJECTORY, Changes, RuleState, Verdict, subject_of
from toolscore_otel.rules.wording import because

Secret = tuple[str, str]
"""Kind and fingerprint."""

Reports = Callable[[Exposed], bool]
"""Whether a secret there is a finding."""

Spot = tuple[int, str]
"""Where a model call stands among the others: its start, and its key."""

_BLIND = subject_of(TRAJECTORY, "messages")


class Wanted(Struct, frozen=True):
    """What a rule looks for on spans of models and agents.

    Attributes:
        family: of its scanner.
        reports: whether a secret is a finding.
        reason: of the rule.
        severities: by kind, where it is not the rule's.
        shows_fingerprints: whether there is a key for them.
        needs_messages: whether messages are looked through, so that it matters where they were not recorded.
    """

    family: str
    reports: Reports
    reason: str | None
    severities: Mapping[str, Severity]
    shows_fingerprints: bool
    needs_messages: bool = True


class CallsAndMessages(RuleState):
    """A `secrets` rule on one trajectory that looks at both.

    Args:
        calls: judges the calls.
        wanted: what is looked for in messages.
    """

    def __init__(self, calls: PerCall, wanted: Wanted) -> None:
        self._calls = calls
        self._wanted = wanted
        self._known: dict[str, ModelCall] = {}
        self._spots: dict[Secret, list[Spot]] = {}
        self._told: dict[Secret, str] = {}
        self._at: dict[str, set[Secret]] = {}
        self._touched: dict[Secret, None] = {}

    def put(self, call: JudgedCall) -> None:
        """A call that is not known."""
        self._calls.put(call)

    def drop(self, key: str) -> None:
        """A call is gone."""
        self._calls.drop(key)

    def renew(self, call: JudgedCall) -> None:
        """Its verdict is the same, and says who called."""
        self._calls.renew(call)

    def hear(self, key: str, call: ModelCall | None) -> None:
        """A model call is new, is known better, or is gone."""
        before = self._known.pop(key, None)
        if before is not None:
            self._move(key, before, self._take_out)
        if call is not None:
            self._known[key] = call
            self._move(key, call, insort)

    def changes(self) -> Changes:
        """What is different since this was last asked."""
        found = dict(self._calls.changes())
        touched, self._touched = self._touched, {}
        for subject in [subject for secret in touched for subject in self._retold(secret)]:
            secrets = self._at.get(subject)
            found[subject] = self._exposed(min(secrets)) if secrets else None
        return found

    def close(self, trajectory: Trajectory | None) -> Changes:
        """The trajectory is over: what could not be looked through is known by now."""
        blind = self._blind() if self._wanted.needs_messages else []
        is_short = trajectory is not None and Gap.SPAN_LIMIT in trajectory.gaps
        missing = (*(("messages",) if blind else ()), *(("spans",) if is_short else ()))
        if not (missing and self._known):
            return {_BLIND: None}
        first = min(blind or self._known.values(), key=lambda call: (_start(call), call.span_id))
        whose = "this model call" if len(blind) < 2 else f"{len(blind):,} model calls"  # noqa: PLR2004
        return {
            _BLIND: Verdict(
                label=Label.CANNOT_CHECK,
                kind=FindingKind.SECRET_EXPOSED,
                explanation=f"whether a secret stands in the messages of {whose}",
                model_call=first,
                count=max(1, len(blind)),
                missing=missing,
            )
        }

    def _move(self, key: str, call: ModelCall, change: Callable[[list[Spot], Spot], None]) -> None:
        """Where a secret stands first may be elsewhere now."""
        spot = (_start(call), key)
        for secret in self._secrets(call):
            spots = self._spots.setdefault(secret, [])
            first = spots[:1]
            change(spots, spot)
            if [spot] == first or spots[:1] != first:
                self._touched[secret] = None

    def _take_out(self, spots: list[Spot], spot: Spot) -> None:
        del spots[bisect_left(spots, spot)]

    def _secrets(self, call: ModelCall) -> Mapping[Secret, Exposed]:
        """The secrets in the messages of a model call that are findings, with the first place of each."""
        found: dict[Secret, Exposed] = {}
        wanted = self._wanted
        for exposed in call.heard.exposed if call.heard is not None else ():
            if exposed.family == wanted.family and wanted.reports(exposed):
                found.setdefault((exposed.kind, exposed.fingerprint), exposed)
        return found

    def _retold(self, secret: Secret) -> Iterator[str]:
        """The subjects of a secret: the one it had, and the one it has now."""
        if (before := self._told.pop(secret, None)) is not None:
            self._at[before].discard(secret)
            yield before
        if not self._spots[secret]:
            del self._spots[secret]
            return
        key = self._spots[secret][0][1]
        exposed = self._secrets(self._known[key])[secret]
        subject = self._told[secret] = subject_of(key, exposed.kind, exposed.path)
        self._at.setdefault(subject, set()).add(secret)
        yield subject

    def _exposed(self, secret: Secret) -> Verdict:
        call = self._known[self._spots[secret][0][1]]
        exposed, wanted = self._secrets(call)[secret], self._wanted
        whose = f" of agent `{on_one_line(call.agent)}`" if call.agent else ""
        what = f"a secret of kind `{exposed.kind}` at `{on_one_line(exposed.path)}`"
        return Verdict(
            label=Label.FAIL,
            kind=FindingKind.SECRET_EXPOSED,
            explanation=because(f"a {_bearer(exposed, call)}{whose} has {what}", wanted.reason),
            model_call=call,
            path=exposed.path,
            secret_kind=exposed.kind,
            fingerprint=exposed.fingerprint if wanted.shows_fingerprints else None,
            severity=wanted.severities.get(exposed.kind),
        )

    def _blind(self) -> list[ModelCall]:
        """The model calls of which not all messages were looked through, on whichever of their spans."""
        calls: dict[_Name, ModelCall] = {}
        for key, call in self._known.items():
            name = (call.trace_id, call.span_id or key)
            if name not in calls or calls[name].heard is None:  # a log record may tell of the same
                calls[name] = call
        outer = _outermost(calls)
        told = {outer[name] for name, call in calls.items() if self._is_told(call)}
        return [
            call
            for name, call in calls.items()
            if call.is_model and outer[name] == name and name not in told
        ]

    def _is_told(self, call: ModelCall) -> bool:
        heard = call.heard
        if heard is None or self._wanted.family not in heard.looked_for:
            return False
        return heard.content and not heard.cut


def _bearer(exposed: Exposed, call: ModelCall) -> str:
    if call.is_model:
        return "model call"
    return "message" if exposed.place == "messages" else "span"


_Name = tuple[str, str]


def _outermost(calls: Mapping[_Name, ModelCall]) -> Mapping[_Name, _Name]:
    """For each model call the outermost one that tells of the same."""
    found: dict[_Name, _Name] = {}
    for name in calls:
        passed, at = {name: None}, name
        while (up := (at[0], calls[at].around or "")) in calls:
            if up in found or up in passed:  # the latter where a log record tells of its own span
                break
            passed[up] = None
            at = up
        found.update(dict.fromkeys(passed, found.get(up, at)))
    return found


def _start(call: ModelCall) -> int:
    return NEVER if call.start_ns is None else call.start_ns
