"""`secrets`: credentials in what tools are called with and return, and in messages (contract language, section 13)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from msgspec import UNSET, Struct, convert, field

from toolscore_otel.errors import on_one_line
from toolscore_otel.matchers import (
    Answer,
    JudgedCall,
    MatcherError,
    Selector,
    SelectorFields,
    all_of,
    any_of,
    negate,
)
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.model import ContentState, FindingKind, Json, Label, Scope, Severity, Stage
from toolscore_otel.rules.intake import Excuses, Intake
from toolscore_otel.rules.items import selector_keys
from toolscore_otel.rules.per_call import PerCall
from toolscore_otel.rules.secrets_messages import CallsAndMessages, Reports, Wanted
from toolscore_otel.rules.shape import (
    Common,
    Compiled,
    Item,
    RuleState,
    RunContext,
    Verdict,
    subject_of,
)
from toolscore_otel.rules.wording import because, did, tool_of
from toolscore_otel.secrets import Fingerprints, Scanner, SecretHit
from toolscore_otel.secrets.patterns import OwnPattern

Place = Literal["arguments", "result", "error"]


_OF_CALLS: tuple[Place, ...] = ("arguments", "result", "error")
_MESSAGES = "messages"


class Allowed(SelectorFields, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A place where a secret belongs.

    Attributes:
        path: as a finding names it, the place in front (`args.`, `result.`) left out or not; what stands below is
            allowed, too. `*` is any one step. Left out: anywhere in the call. In messages only an entry that has
            nothing but a path allows anything.
    """

    path: str | None = None


class Pattern(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of the contract's own.

    Attributes:
        name: of the kind.
        regex: RE2 expression.
        severity: of its findings; left out, the rule's.
    """

    name: str
    regex: str
    severity: Severity | None = None


class Secrets(Common, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One finding of kind `secret_exposed` per call, kind of secret and path; of messages, one per secret.

    Attributes:
        places: YAML key `in`; what is scanned.
        kinds: only these; left out, all.
        not_kinds: all but these.
        action: what the ways out that change telemetry do with a secret; our own outputs are always redacted.
        allow: where a secret is no finding.
        patterns: further kinds.
        pattern_files: further kinds: names of files, which a contract has put what they hold in the stead of.
        unless: excuses a call.
    """

    places: list[Place | Literal["messages"]] = field(
        name="in", default_factory=lambda: ["arguments", "result"]
    )
    kinds: list[str] | None = None
    not_kinds: list[str] = field(default_factory=list[str])
    action: Literal["redact", "hash", "drop", "flag"] = "redact"
    allow: list[Allowed] = field(default_factory=list[Allowed])
    patterns: list[Pattern] = field(default_factory=list[Pattern])
    pattern_files: list[str | dict[str, Any]] = field(default_factory=list[str | dict[str, Any]])
    unless: Any = UNSET

    def compile(self) -> Compiled:
        """Ready to run.

        Raises:
            MatcherError: a selector that is none, an empty list, or a file of patterns that nobody read, with its path.
            ConfigError: a kind that does not exist, or a pattern that does not compile.
        """
        for key, given in (("in", self.places), ("kinds", self.kinds)):
            if given == []:
                message = f"`{key}` is empty, so nothing is looked for: leave it out"
                raise MatcherError((key,), message)
        scanner = Scanner(kinds=self.kinds, not_kinds=self.not_kinds, patterns=self.own_patterns())
        allowed = _allowed(self.allow)
        severities = {own.name: own.severity for own in self.patterns if own.severity is not None}
        excuses = Excuses(self.unless)

        places: tuple[Place, ...] = tuple(p for p in _OF_CALLS if p in self.places)
        hears = Scanner(patterns=self.own_patterns()) if _MESSAGES in self.places else None

        def start(context: RunContext) -> RuleState:
            search = Search(scanner, context.fingerprints)
            judge = _Judge(self, places, search, allowed, severities)
            calls = PerCall(Intake(_EveryCall(), excuses), judge.verdicts)
            if hears is None:
                return calls
            family, reports = hears.family, self._reports(allowed)
            shows = context.fingerprints is not None
            wanted = Wanted(family, reports, self.reason, severities, shows_fingerprints=shows)
            return CallsAndMessages(calls, wanted)

        return Compiled(
            record=self,
            start=start,
            scope=self.scope or Scope.TRACE,
            uses_agent=excuses.uses_agent or any(s.uses_agent for s, _ in allowed if s),
            deferred=excuses.reorders,
            per_call=not excuses.reorders,
            hears=hears,
            tools=None if places else frozenset(),
        )

    def _reports(self, allowed: list[tuple[Selector | None, PathMatch]]) -> Reports:
        """Which secrets in messages are findings."""
        paths = [path for selector, path in allowed if selector is None]

        def reports(kind: str, path: str) -> bool:
            if kind in self.not_kinds or (self.kinds is not None and kind not in self.kinds):
                return False
            return all(is_meant(_MESSAGES, path) is Answer.NO for is_meant in paths)

        return reports

    def own_patterns(self) -> tuple[OwnPattern, ...]:
        """The kinds that the rule describes itself, those of its files too.

        Raises:
            MatcherError: a file that nobody read.
        """
        own = [OwnPattern(pattern.name, pattern.regex) for pattern in self.patterns]
        for number, file in enumerate(self.pattern_files):
            if isinstance(file, str):
                path = ("pattern_files", number)
                raise MatcherError(path, "a file of patterns is read where a contract is loaded")
            for patterns in file.values():
                own += convert(patterns, list[OwnPattern])
        return tuple(own)


def items(data: object) -> Iterator[Item]:
    """The one rule of a `secrets` clause."""
    if not is_mapping(data):
        raise MatcherError((), "`secrets` takes a mapping, such as `{in: [arguments, result]}`")
    yield Item("secrets", (), data)


class _EveryCall:
    """A secret may stand in any call, of whatever kind."""

    def match(self, call: JudgedCall) -> Answer:  # noqa: ARG002 - as `About` has it
        return Answer.YES

    def missing(self, call: JudgedCall) -> tuple[str, ...]:  # noqa: ARG002 - as `About` has it
        return ()


PathMatch = Callable[[str, str], Answer]
"""Place and path in it -> whether an entry of `allow` means it."""


def _allowed(entries: list[Allowed]) -> list[tuple[Selector | None, PathMatch]]:
    found: list[tuple[Selector | None, PathMatch]] = []
    for number, entry in enumerate(entries):
        keys = selector_keys(entry)
        try:
            selector = Selector.of(keys, default_stage="any") if keys else None
        except MatcherError as error:
            raise error.below("allow", number) from error
        if selector is None and entry.path is None:
            raise MatcherError(
                ("allow", number), "an empty entry would allow every secret everywhere"
            )
        found.append((selector, _path_match(entry.path)))
    return found


def _path_match(path: str | None) -> PathMatch:
    wanted = None if path is None else path.split(".")

    def match(place: str, inner: str) -> Answer:
        if wanted is None:
            return Answer.YES
        steps = inner.split(".")
        if _begins(steps, wanted) or _begins([place, *steps], wanted):
            return Answer.YES
        return Answer.NO

    return match


def _begins(steps: list[str], wanted: list[str]) -> bool:
    return len(steps) >= len(wanted) and all(
        want in ("*", step) for want, step in zip(wanted, steps, strict=False)
    )


_PREFIX = {"arguments": "args", "result": "result", "error": "error"}
_HOW = {"arguments": "with", "result": "and it returned", "error": "and it failed with"}


class _Judge(Struct, frozen=True):
    """The rule, ready to look at calls."""

    rule: Secrets
    places: tuple[Place, ...]
    search: Search
    allowed: list[tuple[Selector | None, PathMatch]]
    severities: Mapping[str, Severity]

    def verdicts(self, call: JudgedCall, answer: Answer, intake: Intake) -> Mapping[str, Verdict]:
        """What stands of one call, by kind and path; and what could not be looked at, by place."""
        found: dict[str, Verdict] = {}
        is_clean = self.search.is_clean(self.places, call)
        for place in self.places:
            for hit in () if is_clean else self.search.through(place, call):
                label = all_of((answer, negate(self._excused(call, place, hit))))
                if label is not Answer.NO:
                    verdict = self._exposed(call, place, hit, intake, sure=label is Answer.YES)
                    found[subject_of(call.call.key, hit.kind, verdict.path or "")] = verdict
            if (word := _blind(place, call)) is not None:
                found[subject_of(call.call.key, place)] = Verdict(
                    label=Label.CANNOT_CHECK,
                    kind=FindingKind.SECRET_EXPOSED,
                    explanation=f"whether a secret stands in this call of {tool_of(call.call)}",
                    call=call.call,
                    missing=(word,),
                )
        return found

    def _excused(self, call: JudgedCall, place: Place, hit: SecretHit) -> Answer:
        return any_of(
            all_of((path(_PREFIX[place], hit.path), s.match(call) if s else Answer.YES))
            for s, path in self.allowed
        )

    def _exposed(
        self, call: JudgedCall, place: Place, hit: SecretHit, intake: Intake, *, sure: bool
    ) -> Verdict:
        path = f"{_PREFIX[place]}.{hit.path}" if hit.path else _PREFIX[place]
        missing = [word for s, _ in self.allowed if s for word in s.missing(call)]
        where = f"a secret of kind `{hit.kind}` at `{on_one_line(path)}`"
        return Verdict(
            label=Label.FAIL if sure else Label.CANNOT_CHECK,
            kind=FindingKind.SECRET_EXPOSED,
            explanation=because(f"{did(call.call)} {_HOW[place]} {where}", self.rule.reason)
            if sure
            else f"whether {where} of {tool_of(call.call)} is allowed there",
            call=call.call,
            path=path,
            secret_kind=hit.kind,
            fingerprint=hit.fingerprint,
            missing=() if sure else (*intake.missing(call), *missing),
            severity=self.severities.get(hit.kind),
        )


class Search(Struct, frozen=True):
    """A scanner, and what it names its finds by."""

    scanner: Scanner
    fingerprints: Fingerprints | None

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
