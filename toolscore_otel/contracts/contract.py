"""A contract, read: who it is, what it applies to, its registry and its rules, ready to run."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path as FilePath
from typing import Any

from msgspec import Struct, field

from toolscore_otel.contracts.changes import Changes
from toolscore_otel.contracts.clauses import read_rules
from toolscore_otel.contracts.extend import Whole, whole
from toolscore_otel.contracts.head import applies_to, is_readable, read_head
from toolscore_otel.contracts.language import (
    LANGUAGE,
    LATER_CLAUSES,
    AppliesTo,
    Building,
    Head,
    later,
)
from toolscore_otel.contracts.lint import lint
from toolscore_otel.contracts.notes import Notes, listed, unknown
from toolscore_otel.contracts.registry import Registry
from toolscore_otel.contracts.telling import problem
from toolscore_otel.contracts.tools import ToolSpec, read_tools
from toolscore_otel.contracts.tree import MAX_DEPTH, Document
from toolscore_otel.errors import ContractError, Location
from toolscore_otel.matchers import JudgedCall, canonical
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import EMPTY, Json, Scope, Severity, ToolCall
from toolscore_otel.rules import CLAUSES, Compiled
from toolscore_otel.rules.waiver import Waiver

_HASH_DIGITS = 16
_CLAUSE_KEYS = tuple(clause.key for clause in CLAUSES)
_NO_RULES = (*Head.__struct_fields__, *Building.__struct_fields__)
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
        waivers: calls for which some of them fail nothing until some day.
        hash: 16 hex digits that stand for its content, with all that it extends and schema files.
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
    waivers: tuple[Waiver, ...] = ()
    hash: str = ""
    path: str = ""
    registry: Registry = Registry({})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, folder: FilePath | None = None) -> Contract:
        """A contract built in Python, as strict as one in a file.

        Args:
            data: the keys of a contract; matchers may stand where a file has operators.
            folder: where the names of files begin.

        Raises:
            ContractError: with everything that is wrong, by path.
        """
        name = str(data.get("contract", "contract"))
        try:
            document = Document(_plain(data), name)
        except RecursionError as error:
            message = f"nests deeper than {MAX_DEPTH} levels"
            raise ContractError([problem(Location(name), message)]) from error
        notes = Notes(document)
        contract = read(document, notes, folder)
        if contract is None or notes.problems:
            raise ContractError(notes.problems)
        return contract

    def judge(self, call: ToolCall) -> JudgedCall:
        """The call as this contract sees it: names, labels, status and cost by its registry."""
        return self.registry.judge(call)

    @property
    def asks(self) -> frozenset[str]:
        """Names of the attributes that decide what it sees, or whether a rule is about a trajectory."""
        return frozenset(self.applies_to.attributes).union(*(rule.asks for rule in self.rules))

    @property
    def sees_everything(self) -> bool:
        """Whether it applies to whatever there is."""
        anything = self.sees(service=None, agent=None, environment=None)
        return anything and not self.applies_to.attributes

    def sees(
        self,
        *,
        service: str | None,
        agent: str | None,
        environment: str | None,
        attributes: Mapping[str, Json] = EMPTY,
    ) -> bool:
        """Whether it applies to a span of these."""
        return self.applies_to.sees(
            service=service, agent=agent, environment=environment, attributes=attributes
        )

    def sees_call(self, call: ToolCall) -> bool:
        """Whether it applies to a call."""
        return self.sees(
            service=call.service,
            agent=call.agent,
            environment=call.environment,
            attributes=call.attributes,
        )


def read(document: Document, notes: Notes, folder: FilePath | None) -> Contract | None:
    """The contract in a document, with all that it builds on; what is wrong is noted.

    Args:
        document: with one contract.
        notes: of this document.
        folder: where the names of files begin; None where there is no such place.

    Returns:
        The contract, usable only where no problem was noted; None where there is none to speak of.
    """
    if not is_readable(document.data, notes):
        return None
    found = whole(document, folder, notes)
    notes.document = found.document
    return _read(found, notes)


def _read(found: Whole, notes: Notes) -> Contract:
    data: Mapping[str, Json] = found.document.data
    _check_keys(data, notes)
    head = read_head(data, notes)
    tools = read_tools(head.tools, ("tools",), notes)
    rules = read_rules(data, head, found.changes, notes)
    if not found.lacks:
        _check_rules(data, rules, found.changes, notes)
        lint(data, tools, notes)
    content = hashlib.sha256(canonical(list(found.content))).hexdigest()[:_HASH_DIGITS]
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
        applies_to=applies_to(head.applies_to, notes),
        tools=tools,
        rules=rules,
        waivers=found.changes.all_waivers(),
        hash=content,
        path=found.document.path,
        registry=Registry(tools),
    )


def _check_keys(data: Mapping[str, Json], notes: Notes) -> None:
    for key in data:
        if key in LATER_CLAUSES and key not in _CLAUSE_KEYS:
            notes.error((key,), later(key))
        elif key not in (*_NO_RULES, *_CLAUSE_KEYS):
            known = (*_NO_RULES, *_CLAUSE_KEYS, *LATER_CLAUSES)
            notes.error((key,), unknown("key", key, known, where="a contract"))


def _check_rules(
    data: Mapping[str, Json], rules: Sequence[Compiled], changes: Changes, notes: Notes
) -> None:
    """A contract has something to say."""
    if all(
        key in _NO_RULES for key in data
    ):  # a key that is none may be a misspelt clause, and was told
        notes.error((), f"the contract has no rule: give one of {listed(_CLAUSE_KEYS)}")
    elif not rules and not notes.problems and changes.overrides:
        notes.error((), "the contract has no rule: all of them are disabled")


def _plain(value: Any, depth: int = 0) -> Json:
    """Python data as YAML would have given it; what is no JSON value stays what it is."""
    if depth > MAX_DEPTH:
        raise RecursionError
    if is_mapping(value):
        return {str(key): _plain(entry, depth + 1) for key, entry in value.items()}
    if is_list(value):
        return [_plain(entry, depth + 1) for entry in value]
    return value
