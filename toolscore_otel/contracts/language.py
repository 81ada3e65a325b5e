"""The words of the contract language: what a file and a tool of the registry may say, and what only a later version reads."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from toolscore_otel.model import Scope, Severity

LANGUAGE = 1
"""The version of the contract language that is read here."""

ID_PATTERN = "[a-z0-9][a-z0-9._-]*"
"""What the id of a contract looks like."""

Globs = str | list[str]


class AppliesTo(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which spans and calls a contract sees. A value that is absent matches only `*`.

    Attributes:
        service: globs of `service.name`.
        agent: globs of the agent's name.
        environment: globs of the deployment environment.
    """

    service: Globs = "*"
    agent: Globs = "*"
    environment: Globs = "*"

    def sees(self, *, service: str | None, agent: str | None, environment: str | None) -> bool:
        """Whether a span or call of these is seen."""
        return (
            _matches(self.service, service)
            and _matches(self.agent, agent)
            and _matches(self.environment, environment)
        )


def _matches(globs: Globs, value: str | None) -> bool:
    if globs == "*":
        return True
    patterns = [globs] if isinstance(globs, str) else globs
    if value is None:
        return "*" in patterns
    return any(fnmatchcase(value, pattern) for pattern in patterns)


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
    applies_to: AppliesTo = AppliesTo()
    tools: dict[str, Any] = {}


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


LATER_CLAUSES = frozenset({"order", "arguments", "expect", "judge", "extends", "override", "waive"})
"""Top-level keys of the language that this version does not read."""

_LATER_KEYS = {
    "`applies_to`": {"attributes"},
    "`require`": {"by", "if"},
    "`limit`": {"sum", "distinct"},
    "`budget`": {"active_ms"},
    "`secrets`": {"pattern_files"},
    "an entry of `patterns`": {"severity"},
    "a call": {"scenario"},
}
_LATER_WORDS = {"`in`": {"messages"}, "`of`": {"agent", "session"}, "`scope`": {"session"}}
_EXCUSED = "`unless` goes with rules that judge or count single calls, and {} does not"


def later(what: str) -> str:
    """The message for a word of the language that this version does not read."""
    return f"`{what}` is not supported by this version"


def later_key(called: str, key: str) -> str | None:
    """What to say of a key that is not known here, where the language knows it; else None."""
    if key == "unless":
        return _EXCUSED.format(called)
    return later(key) if key in _LATER_KEYS.get(called, ()) else None


def later_word(called: str, word: object) -> str | None:
    """What to say of a value that is not known here, where the language knows it; else None."""
    if not isinstance(word, str) or word not in _LATER_WORDS.get(called, ()):
        return None
    return f"{called}: {later(word)}"
