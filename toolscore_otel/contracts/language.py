"""The words of the contract language: what a file and a tool of the registry may say, and what only a later version reads."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from toolscore_otel.matchers import ABSENT, Answer, Exists, Matcher, SelectorFields
from toolscore_otel.matchers.value import Value
from toolscore_otel.model import Json, Scope, Severity

LANGUAGE = 1
"""The version of the contract language that is read here."""

ID_PATTERN = "[a-z0-9][a-z0-9._-]*"
"""What the id of a contract looks like."""

Globs = str | list[str]


class AppliesTo(Struct, frozen=True, kw_only=True):
    """Which spans and calls a contract sees. A value that is absent matches only `*`.

    Attributes:
        service: globs of `service.name`.
        agent: globs of the agent's name.
        environment: globs of the deployment environment.
        attributes: matchers, by the name of the attribute they look at.
    """

    service: Globs = "*"
    agent: Globs = "*"
    environment: Globs = "*"
    attributes: Mapping[str, Matcher] = {}

    def sees(
        self,
        *,
        service: str | None,
        agent: str | None,
        environment: str | None,
        attributes: Mapping[str, Json],
    ) -> bool:
        """Whether a span or call of these is seen."""
        return (
            _matches(self.service, service)
            and _matches(self.agent, agent)
            and _matches(self.environment, environment)
            and all(
                _holds(matcher, attributes.get(key, ABSENT))
                for key, matcher in self.attributes.items()
            )
        )


def _matches(globs: Globs, value: str | None) -> bool:
    if globs == "*":
        return True
    patterns = [globs] if isinstance(globs, str) else globs
    if value is None:
        return "*" in patterns
    return any(fnmatchcase(value, pattern) for pattern in patterns)


def _holds(matcher: Matcher, value: Value) -> bool:
    """Whether an attribute matches; one that is absent does only where that is asked for."""
    is_asked = value is not ABSENT or isinstance(matcher, Exists)
    return is_asked and matcher.match(value) is Answer.YES


class AppliesToEntry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`applies_to` as written.

    Attributes:
        service: globs of `service.name`.
        agent: globs of the agent's name.
        environment: globs of the deployment environment.
        attributes: matchers, by the name of the attribute they look at.
    """

    service: Globs = "*"
    agent: Globs = "*"
    environment: Globs = "*"
    attributes: dict[str, Any] = {}


class Head(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a contract says of itself; its clauses stand beside these keys.

    Attributes:
        contract: id, unique among the loaded contracts.
        language: version of the contract language.
        version: of the contract; carried to findings.
        description: for people.
        runbook: what to do about a finding: text or address, carried to findings.
        labels: carried to every finding and onto its metric, for routing.
        severity: default of the rules.
        scope: default of the rules: what one trajectory is.
        shadow: findings are emitted and counted apart, and fail nothing.
        applies_to: the contract sees only spans and calls that match.
        tools: the registry: name to tool.
    """

    contract: str
    language: int = LANGUAGE
    version: str | None = None
    description: str | None = None
    runbook: str | None = None
    labels: dict[str, str] = {}
    severity: Severity = Severity.ERROR
    scope: Scope = Scope.TRACE
    shadow: bool = False
    applies_to: AppliesToEntry = AppliesToEntry()
    tools: dict[str, Any] = {}


class OverrideEntry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is changed of an inherited rule.

    Attributes:
        severity: how bad.
        shadow: emitted, counted apart, fails nothing.
        reason: for people; goes into the explanation.
        disabled: the rule is left out.
        unless: excuses calls, beside the rule's own `unless`.
    """

    severity: Severity | None = None
    shadow: bool | None = None
    reason: str | None = None
    disabled: bool | None = None
    unless: Any = UNSET


class WaiveEntry(SelectorFields, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Calls for which one rule fails nothing until some day; what it would have said is given in shadow.

    Attributes:
        rule: id of the rule.
        owner: who answers for it.
        until: last day on which it holds (UTC), as in `2026-03-31`.
        reason: for people.
    """

    rule: str
    owner: str
    until: str
    reason: str | None = None


class Building(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a contract builds on others.

    Attributes:
        extends: `pack:NAME`, a file beside this one, or a list of these: this contract starts as they are.
        override: rule id to what is changed of it.
        waive: calls for which a rule fails nothing until some day.
    """

    extends: str | list[str] = []
    override: dict[str, OverrideEntry] = {}
    waive: list[WaiveEntry] = []


class CostEntry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a tool costs, in USD.

    Attributes:
        per_call: each call.
        per_second: each second that a call takes.
    """

    per_call: float = 0.0
    per_second: float = 0.0


class ToolEntry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tool of the registry, as written.

    Attributes:
        aliases: globs of recorded names that mean this tool.
        name_from: `args.PATH`; this tool is a dispatcher, called NAME:FIRST-WORD of the value there.
        parameters: JSON Schema of its arguments, or the name of a file beside the contract.
        mutating: it changes something.
        polling: equal calls are expected.
        labels: free words, used by selectors.
        cost_usd: a number per call, or `{per_call, per_second}`.
        fails_when: matcher of the result: how this tool says that it failed.
        timeout_ms: how long a call may take, where a budget of calls gives no limit.
    """

    aliases: Globs | UnsetType = UNSET
    name_from: str | UnsetType = UNSET
    parameters: dict[str, Any] | str | UnsetType = UNSET
    mutating: bool | UnsetType = UNSET
    polling: bool | UnsetType = UNSET
    labels: list[str] | UnsetType = UNSET
    cost_usd: float | CostEntry | UnsetType = UNSET
    fails_when: Any = UNSET
    timeout_ms: float | UnsetType = UNSET


LATER_CLAUSES = frozenset({"judge"})
"""Top-level keys of the language that this version does not read."""

_EXCUSED = "`unless` goes with rules that judge or count single calls, and {} does not"


def later(what: str) -> str:
    """The message for a word of the language that this version does not read."""
    return f"`{what}` is not supported by this version"


def misplaced(called: str, key: str) -> str | None:
    """What to say of a key that is not known here, where the language knows it elsewhere; else None."""
    if key == "unless" and called.startswith("`"):
        return _EXCUSED.format(called)
    return None
