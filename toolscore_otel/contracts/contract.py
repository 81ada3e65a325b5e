"""A contract, read: who it is, what it applies to, its registry and its rules, ready to run."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any

from msgspec import Struct, field

from toolscore_otel.contracts.clauses import read_rules
from toolscore_otel.contracts.decode import decode, shown
from toolscore_otel.contracts.files import SchemaFiles
from toolscore_otel.contracts.language import (
    ID_PATTERN,
    LANGUAGE,
    LATER_CLAUSES,
    AppliesTo,
    Head,
    later,
)
from toolscore_otel.contracts.lint import lint
from toolscore_otel.contracts.notes import Notes, listed, unknown
from toolscore_otel.contracts.registry import Registry
from toolscore_otel.contracts.tools import ToolSpec, read_tools
from toolscore_otel.contracts.tree import MAX_DEPTH, Document
from toolscore_otel.errors import ContractError, Location, Problem
from toolscore_otel.matchers import JudgedCall, canonical
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import Json, Scope, Severity, ToolCall
from toolscore_otel.rules import CLAUSES, Compiled

_ID = re.compile(ID_PATTERN, re.ASCII)
_HASH_DIGITS = 16
_CLAUSE_KEYS = tuple(clause.key for clause in CLAUSES)
_EVERYTHING = AppliesTo()


class Contract(Struct, frozen=True, kw_only=True, eq=False):
    """One contract, ready to run.

    Attributes:
        id: unique among the loaded ones.
        language: version of the contract language it is written in.
        severity: default of its rules; already filled in there, like `scope` and `shadow`.
        applies_to: what it sees.
        tools: registry, by canonical name, in file order.
        rules: compiled; every record has its id, severity, shadow and scope.
        hash: 16 hex digits that stand for its content, schema files included.
        path: the file as the user named it; empty where it stands in none.
        registry: looks calls up in `tools`.
    """

    id: str
    language: int = LANGUAGE
    version: str | None = None
    description: str | None = None
    runbook: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    severity: Severity = Severity.ERROR
    scope: Scope = Scope.TRACE
    shadow: bool = False
    applies_to: AppliesTo = _EVERYTHING
    tools: Mapping[str, ToolSpec] = field(default_factory=dict[str, ToolSpec])
    rules: tuple[Compiled, ...] = ()
    hash: str = ""
    path: str = ""
    registry: Registry = Registry({})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, folder: FilePath | None = None) -> Contract:
        """A contract built in Python, as strict as one in a file.

        Args:
            data: the keys of a contract; matchers may stand where a file has operators.
            folder: where the names of schema files begin.

        Raises:
            ContractError: with everything that is wrong, by path.
        """
        name = str(data.get("contract", "contract"))
        try:
            document = Document(_plain(data), name)
        except RecursionError as error:
            message = f"nests deeper than {MAX_DEPTH} levels"
            raise ContractError([Problem(Location(name), message)]) from error
        notes = Notes(document)
        contract = read(document, notes, folder)
        if contract is None or notes.problems:
            raise ContractError(notes.problems)
        return contract

    def judge(self, call: ToolCall) -> JudgedCall:
        """The call as this contract sees it: names, labels, status and cost by its registry."""
        return self.registry.judge(call)

    def sees(self, *, service: str | None, agent: str | None, environment: str | None) -> bool:
        """Whether it applies to a span of these."""
        if self.applies_to is _EVERYTHING:
            return True
        return self.applies_to.sees(service=service, agent=agent, environment=environment)

    def sees_call(self, call: ToolCall) -> bool:
        """Whether it applies to a call."""
        return self.sees(service=call.service, agent=call.agent, environment=call.environment)


def read(document: Document, notes: Notes, folder: FilePath | None) -> Contract | None:
    """The contract in a document; what is wrong is noted.

    Args:
        document: with one contract.
        notes: of this document.
        folder: where the names of schema files begin; None where there is no such place.

    Returns:
        The contract, usable only where no problem was noted; None where there is none to speak of.
    """
    data: Json = document.data
    if not is_mapping(data):
        notes.error((), f"a contract is a mapping of keys, not {shown(data)}")
        return None
    if _is_newer(data, notes):
        return None
    _check_keys(data, notes)
    head = _head(data, notes)
    files = SchemaFiles(folder)
    tools = read_tools(head.tools, ("tools",), notes, files)
    rules = read_rules(data, head, notes, files)
    lint(data, tools, notes)
    content = hashlib.sha256(canonical([data, files.read])).hexdigest()[:_HASH_DIGITS]
    return _assembled(head, tools, rules, content, document.path)


def _assembled(
    head: Head, tools: dict[str, ToolSpec], rules: tuple[Compiled, ...], content: str, path: str
) -> Contract:
    return Contract(
        id=head.contract,
        language=head.language,
        version=head.version,
        description=head.description,
        runbook=head.runbook,
        labels=head.labels,
        severity=head.severity,
        scope=head.scope,
        shadow=head.shadow,
        applies_to=_EVERYTHING if head.applies_to == _EVERYTHING else head.applies_to,
        tools=tools,
        rules=rules,
        hash=content,
        path=path,
        registry=Registry(tools),
    )


def _check_keys(data: Mapping[str, Json], notes: Notes) -> None:
    head = Head.__struct_fields__
    for key in data:
        if key in LATER_CLAUSES and key not in _CLAUSE_KEYS:
            notes.error((key,), later(key))
        elif key not in (*head, *_CLAUSE_KEYS):
            known = (*head, *_CLAUSE_KEYS, *LATER_CLAUSES)
            notes.error((key,), unknown("key", key, known, where="a contract"))
    if all(
        key in head for key in data
    ):  # a key that is none may be a misspelt clause, and was told
        notes.error((), f"the contract has no rule: give one of {listed(_CLAUSE_KEYS)}")


def _is_newer(data: Mapping[str, Json], notes: Notes) -> bool:
    language = data.get("language")
    if not isinstance(language, int) or isinstance(language, bool) or language <= LANGUAGE:
        return False
    message = f"the contract is written in language {language}, and this version reads {LANGUAGE}"
    notes.error(("language",), message)
    return True


def _head(data: Mapping[str, Json], notes: Notes) -> Head:
    """What the contract says of itself; where that is wrong, something to go on with."""
    if "language" not in data and "contract" in data:
        notes.warn((), f"`language` is left out: write `language: {LANGUAGE}`")
    given = {key: data[key] for key in Head.__struct_fields__ if key in data}
    if isinstance(name := given.get("contract"), str) and not _ID.fullmatch(name):
        message = "`contract` is an id of small letters, digits, `.`, `_` and `-`, not "
        notes.error(("contract",), message + shown(name))
    head = decode(Head, given, (), notes, called="a contract")
    if head is None:
        tools = given.get("tools")
        return Head(contract="", tools=dict(tools) if is_mapping(tools) else {})
    if head.language < 1:
        notes.error(("language",), f"`language` is {LANGUAGE}")
    if head.scope is Scope.SESSION:
        notes.error(("scope",), later("scope: session"))
    for key in ("service", "agent", "environment"):
        if getattr(head.applies_to, key) == []:
            notes.error(("applies_to", key), f"`{key}` lists nothing, so that nothing is seen")
    return head


def _plain(value: Any, depth: int = 0) -> Json:
    """Python data as YAML would have given it; what is no JSON value stays what it is."""
    if depth > MAX_DEPTH:
        raise RecursionError
    if is_mapping(value):
        return {str(key): _plain(entry, depth + 1) for key, entry in value.items()}
    if is_list(value):
        return [_plain(entry, depth + 1) for entry in value]
    return value
