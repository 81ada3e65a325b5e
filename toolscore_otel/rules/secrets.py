"""`secrets`: credentials in what tools are called with and return, and in messages (docs/pages/clauses/secrets.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from msgspec import UNSET, Struct, convert, field

from toolscore_otel.matchers import (
    Answer,
    JudgedCall,
    MatcherError,
    Selector,
    SelectorFields,
)
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.model import Exposed, Scope, Severity
from toolscore_otel.rules.intake import Excuses, Intake
from toolscore_otel.rules.items import selector_keys
from toolscore_otel.rules.per_call import PerCall
from toolscore_otel.rules.secrets_calls import (
    Allowances,
    Judge,
    PathMatch,
    Place,
    Search,
    place_and_path,
)
from toolscore_otel.rules.secrets_messages import CallsAndMessages, Reports, Wanted
from toolscore_otel.rules.shape import (
    Common,
    Compiled,
    Item,
    RuleState,
    RunContext,
)
from toolscore_otel.secrets import Scanner
from toolscore_otel.secrets.patterns import OwnPattern

_OF_CALLS: tuple[Place, ...] = ("arguments", "result", "error")
_MESSAGES = "messages"
_OF_SPANS = (_MESSAGES, "error", "attributes")


class Allowed(SelectorFields, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A place where a secret belongs.

    Attributes:
        path: as a finding names it, the place in front (`args.`, `result.`) left out or not; what stands below is
            allowed, too. `*` is any one step. Left out: anywhere in the call. On spans of models and agents only an
            entry that has nothing but a path allows anything.
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
    """One finding of kind `secret_exposed` per call, kind of secret and path; on spans of models and agents, one per secret.

    Attributes:
        places: YAML key `in`; what is scanned.
        kinds: only these; left out, all.
        not_kinds: all but these.
        action: what the ways out that change telemetry do with a secret; our own outputs are always redacted.
        allow: where a secret is no finding; `action` takes it out there, too.
        patterns: further kinds.
        pattern_files: further kinds: names of files, which a contract has put what they hold in the stead of.
        unless: excuses a call.
    """

    places: list[Place | Literal["messages", "attributes"]] = field(
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
        self._refuse_empty()
        scanner = Scanner(kinds=self.kinds, not_kinds=self.not_kinds, patterns=self.own_patterns())
        allowed = _allowed(self.allow)
        severities = {own.name: own.severity for own in self.patterns if own.severity is not None}
        excuses = Excuses(self.unless)

        places: tuple[Place, ...] = tuple(p for p in _OF_CALLS if p in self.places)
        whole = Scanner(patterns=self.own_patterns())
        searches: dict[str, Scanner] = {place: whole for place in _OF_SPANS if place in self.places}

        def start(context: RunContext) -> RuleState:
            search = Search(scanner, context.fingerprints)
            judge = Judge(self.asks, self.reason, places, search, allowed, severities)
            calls = PerCall(Intake(_EveryCall(), excuses), judge.verdicts)
            if not searches:
                return calls
            has_key = context.fingerprints is not None
            wanted = self._wanted(whole, allowed, severities, has_key=has_key)
            return CallsAndMessages(calls, wanted)

        return Compiled(
            record=self,
            start=start,
            scope=self.scope or Scope.TRACE,
            uses_agent=excuses.uses_agent or any(s.uses_agent for s, _ in allowed if s),
            deferred=excuses.reorders,
            per_call=not excuses.reorders,
            searches=searches,
            tools=frozenset() if set(self.places) == {_MESSAGES} else None,
        )

    def _wanted(
        self,
        scanner: Scanner,
        allowed: Allowances,
        severities: Mapping[str, Severity],
        *,
        has_key: bool,
    ) -> Wanted:
        return Wanted(
            family=scanner.family,
            reports=self._reports(allowed),
            reason=self.reason,
            severities=severities,
            shows_fingerprints=has_key,
            needs_messages=_MESSAGES in self.places,
        )

    def _refuse_empty(self) -> None:
        for key, given in (("in", self.places), ("kinds", self.kinds)):
            if given == []:
                message = f"`{key}` is empty, so nothing is looked for: leave it out"
                raise MatcherError((key,), message)

    def _reports(self, allowed: Allowances) -> Reports:
        """Which secrets on spans of models and agents are findings."""
        paths = [path for selector, path in allowed if selector is None]

        def reports(exposed: Exposed) -> bool:
            place, inner = place_and_path(exposed)
            return self.asks(exposed) and all(
                is_meant(place, inner) is Answer.NO for is_meant in paths
            )

        return reports

    def asks(self, exposed: Exposed) -> bool:
        """Whether it is about a secret of this kind at this place."""
        if exposed.kind in self.not_kinds or exposed.place not in self.places:
            return False
        return self.kinds is None or exposed.kind in self.kinds

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


def _allowed(entries: list[Allowed]) -> Allowances:
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
