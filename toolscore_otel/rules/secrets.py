"""`secrets`: credentials in what tools are called with and what they return (contract language, section 13)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from msgspec import UNSET, Struct, field

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
from toolscore_otel.model import ContentState, FindingKind, Json, Label
from toolscore_otel.rules.intake import Excuses, Intake
from toolscore_otel.rules.items import selector_keys
from toolscore_otel.rules.per_call import PerCall
from toolscore_otel.rules.shape import Common, Compiled, Item, Verdict
from toolscore_otel.rules.wording import because, called, unseen
from toolscore_otel.secrets import Fingerprints, Scanner, SecretHit

Place = Literal["arguments", "result", "error"]


class Allowed(SelectorFields, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A place where a secret belongs: calls, and a path in what is scanned (globs; left out: anywhere)."""

    path: str | None = None


class Pattern(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of the contract's own: its name and an RE2 expression."""

    name: str
    regex: str


class Secrets(Common, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One finding of kind `secret_exposed` per call, kind of secret and path.

    Attributes:
        places: YAML key `in`; what is scanned.
        kinds: only these; left out, all.
        not_kinds: all but these.
        action: what the ways out that change telemetry do with a secret; our own outputs are always redacted.
        allow: where a secret is no finding.
        patterns: further kinds.
        unless: excuses a call.
    """

    places: list[Place] = field(name="in", default_factory=lambda: ["arguments", "result"])
    kinds: list[str] | None = None
    not_kinds: list[str] = field(default_factory=list)
    action: Literal["redact", "hash", "drop", "flag"] = "redact"
    allow: list[Allowed] = field(default_factory=list)
    patterns: list[Pattern] = field(default_factory=list)
    unless: Any = UNSET

    def compile(self) -> Compiled:
        """Ready to run.

        Raises:
            MatcherError: a selector that is none, with its path.
            ConfigError: a kind that does not exist, or a pattern that does not compile.
        """
        scanner = Scanner(
            kinds=self.kinds,
            not_kinds=self.not_kinds,
            patterns=[(pattern.name, pattern.regex) for pattern in self.patterns],
        )
        allowed = _allowed(self.allow)
        excuses = Excuses(self.unless)
        return Compiled(
            record=self,
            kind=FindingKind.SECRET_EXPOSED,
            start=lambda context: PerCall(
                Intake(_every_call, excuses),
                lambda call, answer: _judge(
                    self, Search(scanner, context.fingerprints), allowed, call, answer
                ),
            ),
            uses_agent=excuses.uses_agent or any(s.uses_agent for s, _ in allowed if s),
            deferred=excuses.reorders,
            per_call=not excuses.reorders,
        )


def items(data: object) -> Iterator[Item]:
    """The one rule of a `secrets` clause."""
    if not isinstance(data, Mapping):
        raise MatcherError((), "`secrets` takes a mapping, such as `{in: [arguments, result]}`")
    yield Item("secrets", (), data)


def _every_call(call: JudgedCall) -> Answer:  # noqa: ARG001 - a secret may stand in any call
    return Answer.YES


PathMatch = Callable[[str], Answer]


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
    wanted = None if path is None else path.removeprefix("args.").split(".")

    def match(path: str) -> Answer:
        if wanted is None:
            return Answer.YES
        parts = path.split(".")
        same = len(parts) >= len(wanted) and all(
            want in ("*", part) for want, part in zip(wanted, parts, strict=False)
        )
        return Answer.YES if same else Answer.NO

    return match


def _judge(
    rule: Secrets,
    search: Search,
    allowed: list[tuple[Selector | None, PathMatch]],
    call: JudgedCall,
    answer: Answer,
) -> Mapping[str, Verdict]:
    found: dict[str, Verdict] = {}
    for place in rule.places:
        for hit in search.through(place, call):
            excused = any_of(
                all_of(((s.match(call) if s else Answer.YES), path(hit.path)))
                for s, path in allowed
            )
            label = all_of((answer, negate(excused)))
            if label is not Answer.NO:
                path = f"{_PREFIX[place]}.{hit.path}" if hit.path else _PREFIX[place]
                found[f"/{hit.kind}/{path}"] = _verdict(rule, call, hit, path, label)
    for place in rule.places:
        if (word := _blind(place, call)) is not None:
            found[f"/{place}"] = Verdict(
                label=Label.CANNOT_CHECK,
                kind=FindingKind.SECRET_EXPOSED,
                explanation=unseen("whether tool calls carry secrets", (word,)),
                call=call.call,
                missing=(word,),
            )
    return found


_PREFIX = {"arguments": "args", "result": "result", "error": "error"}


class Search(Struct, frozen=True):
    """A scanner, and what it names its finds by."""

    scanner: Scanner
    fingerprints: Fingerprints | None

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
    """Which evidence is missing where a secret could stand unseen; a result exists only where a call came back."""
    _, text, state = _content(place, call)
    if place == "error" or state is ContentState.OBSERVED:
        return None
    if state is ContentState.UNPARSABLE and text is not None:
        return None
    if place == "result" and (call.call.is_error or call.call.stage == "requested"):
        return None
    return place


def _verdict(rule: Secrets, call: JudgedCall, hit: SecretHit, path: str, answer: Answer) -> Verdict:
    sure = answer is Answer.YES
    where = "returned" if path.startswith("result") else "carried"
    text = f"{called(call.call)} and {where} a secret of kind `{hit.kind}` at `{path}`"
    return Verdict(
        label=Label.FAIL if sure else Label.CANNOT_CHECK,
        kind=FindingKind.SECRET_EXPOSED,
        explanation=because(text, rule.reason)
        if sure
        else unseen(f"whether a secret at `{path}` is allowed there", ()),
        call=call.call,
        path=path,
        secret_kind=hit.kind,
        fingerprint=hit.fingerprint,
    )
