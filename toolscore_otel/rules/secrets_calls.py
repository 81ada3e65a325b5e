"""Secrets in calls: in arguments, result and error, and on their spans (docs/pages/clauses/secrets.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from toolscore_otel.errors import on_one_line
from toolscore_otel.matchers import Answer, JudgedCall, Selector, all_of, any_of, negate
from toolscore_otel.model import (
    ContentState,
    Exposed,
    FindingKind,
    Json,
    Label,
    Severity,
    Stage,
)
from toolscore_otel.rules.intake import Intake
from toolscore_otel.rules.shape import Verdict, subject_of
from toolscore_otel.rules.wording import because, did, tool_of
from toolscore_otel.secrets import Fingerprints, Scanner, SecretHit

Place = Literal["arguments", "result", "error"]

PathMatch = Callable[[str, str], Answer]
"""Place and path in it -> whether an entry of `allow` means it."""

Allowances = Sequence[tuple[Selector | None, PathMatch]]
"""Of each entry of `allow`: which calls it is about, None for all, and what of them."""

_PREFIX = {"arguments": "args", "result": "result", "error": "error"}
_HOW = {
    "arguments": "with",
    "result": "and it returned",
    "error": "and it failed with",
    "attributes": "and its span has",
}


def place_and_path(exposed: Exposed) -> tuple[str, str]:
    """How its path begins, and the rest of it."""
    place = _PREFIX.get(exposed.place, exposed.place)
    if exposed.path == place:
        return place, ""
    return place, exposed.path.removeprefix(f"{place}.")


class Judge(Struct, frozen=True):
    """The rule, ready to look at calls."""

    asks: Callable[[Exposed], bool]
    reason: str | None
    places: tuple[Place, ...]
    search: Search
    allowed: Allowances
    severities: Mapping[str, Severity]

    def verdicts(self, call: JudgedCall, answer: Answer, intake: Intake) -> Mapping[str, Verdict]:
        """What stands of one call, by kind and path; and what could not be looked at, by place."""
        found: dict[str, Verdict] = {}
        is_clean = self.search.is_clean(self.places, call)
        for place in self.places:
            for hit in () if is_clean else self.search.through(place, call):
                prefix = _PREFIX[place]
                path = f"{prefix}.{hit.path}" if hit.path else prefix
                one = Exposed("", hit.kind, path, hit.fingerprint or "", place)
                self._note(found, one, call, answer, intake)
            if (word := _blind(place, call)) is not None:
                found[subject_of(call.call.key, place)] = Verdict(
                    label=Label.CANNOT_CHECK,
                    kind=FindingKind.SECRET_EXPOSED,
                    explanation=f"whether a secret stands in this call of {tool_of(call.call)}",
                    call=call.call,
                    missing=(word,),
                )
        for one in call.call.exposed:
            if one.family == self.search.scanner.family and self.asks(one):
                self._note(found, one, call, answer, intake)
        return found

    def _note(
        self,
        found: dict[str, Verdict],
        exposed: Exposed,
        call: JudgedCall,
        answer: Answer,
        intake: Intake,
    ) -> None:
        label = all_of((answer, negate(self._excused(call, exposed))))
        if label is not Answer.NO:
            verdict = self._verdict(call, exposed, intake, sure=label is Answer.YES)
            found[subject_of(call.call.key, exposed.kind, exposed.path)] = verdict

    def _excused(self, call: JudgedCall, exposed: Exposed) -> Answer:
        place, inner = place_and_path(exposed)
        return any_of(
            all_of((path(place, inner), s.match(call) if s else Answer.YES))
            for s, path in self.allowed
        )

    def _verdict(
        self, call: JudgedCall, exposed: Exposed, intake: Intake, *, sure: bool
    ) -> Verdict:
        missing = [word for s, _ in self.allowed if s for word in s.missing(call)]
        where = f"a secret of kind `{exposed.kind}` at `{on_one_line(exposed.path)}`"
        return Verdict(
            label=Label.FAIL if sure else Label.CANNOT_CHECK,
            kind=FindingKind.SECRET_EXPOSED,
            explanation=because(f"{did(call.call)} {_HOW[exposed.place]} {where}", self.reason)
            if sure
            else f"whether {where} of {tool_of(call.call)} is allowed there",
            call=call.call,
            path=exposed.path,
            secret_kind=exposed.kind,
            fingerprint=self.search.shown(exposed.fingerprint),
            missing=() if sure else (*intake.missing(call), *missing),
            severity=self.severities.get(exposed.kind),
        )


class Search(Struct, frozen=True):
    """A scanner, and what it names its finds by."""

    scanner: Scanner
    fingerprints: Fingerprints | None

    def shown(self, fingerprint: str) -> str | None:
        """What a finding tells of a fingerprint: nothing, where there is no key of its own for them."""
        return fingerprint if self.fingerprints is not None else None

    def is_clean(self, places: Sequence[Place], call: JudgedCall) -> bool:
        """Whether one look at all places of a call, as most calls are, shows that there is nothing to be found."""
        contents = [_content(place, call) for place in places]
        if any(text is not None for _, text, _ in contents):
            return False
        return not self.scanner.may_find([value for value, _, _ in contents], sealed=True)

    def through(self, place: Place, call: JudgedCall) -> tuple[SecretHit, ...]:
        """What stands at one place of a call."""
        value, text, state = _content(place, call)
        if state is ContentState.OBSERVED:
            return self.scanner.scan_json(value, fingerprints=self.fingerprints)
        if text is None:
            return ()
        cut = state is ContentState.TRUNCATED
        return self.scanner.scan_text(text, cut=cut, fingerprints=self.fingerprints)


def _content(place: Place, call: JudgedCall) -> tuple[Json, str | None, ContentState]:
    told = call.call
    if place == "arguments":
        return told.args, told.args_text, told.args_state
    if place == "result":
        return told.result, told.result_text, told.result_state
    message = told.error_message
    return message, None, ContentState.NOT_OBSERVED if message is None else ContentState.OBSERVED


def _blind(place: Place, call: JudgedCall) -> str | None:
    """Which evidence is missing where a secret could stand unseen: only a call that came back has a result or an error."""
    _, text, state = _content(place, call)
    told = call.call
    if state is ContentState.OBSERVED or (state is ContentState.UNPARSABLE and text is not None):
        return None
    if place != "arguments" and told.stage is Stage.REQUESTED:
        return None
    if (place == "result" and told.is_error) or (place == "error" and told.is_error is False):
        return None
    return place
