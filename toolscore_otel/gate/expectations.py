"""What a contract expects of a scenario, as far as scores hang on it, as a fingerprint: runs are compared only under the same one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from typing import Any, cast

from msgspec import UNSET, Struct, structs

from toolscore_otel.contracts import Contract, ToolSpec
from toolscore_otel.matchers import canonical
from toolscore_otel.matchers.globs import matches_globs
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import Json
from toolscore_otel.rules import RuleFields
from toolscore_otel.rules.expect import Expect
from toolscore_otel.rules.require import Require
from toolscore_otel.rules.shape import Compiled
from toolscore_otel.rules.when import When

DIGITS = 16

_OF_TOOLS = ("name", "aliases", "name_from", "mutating", "polling", "labels", "fails_when")
"""What the registry says that can turn a score; prices, schemas and time limits cannot."""

_FOR_PEOPLE = frozenset({"id", "severity", "reason"})
_BOUNDS = frozenset({"min", "max"})
"""Of `expect`: they say what is good enough, not what is expected."""


def fingerprint_of(contract: Contract, scenario: str | None) -> str:
    """16 hex digits: equal where the contract sees the same calls, names them alike and expects the same of a scenario.

    Rules for other scenarios, the order of rules, comments, formatting, reasons, severities, the contract's version and all
    rules that no score hangs on are no difference.

    Args:
        contract: applies to the runs of the scenario.
        scenario: as the runs name it; None where they name none.
    """
    rules = [_without_scenario(rule) for rule in contract.rules if _is_meant(rule, scenario)]
    tools = [tool for _, tool in sorted(contract.tools.items()) if _tool(tool) != _blank(tool)]
    return _hashed(contract, tools, sorted(_rules(rules), key=canonical))


def whole_fingerprint_of(contract: Contract) -> str:
    """The fingerprint that gates wrote when they had one for all scenarios of a contract; stores may still have it."""
    tools = [tool for _, tool in sorted(contract.tools.items())]
    return _hashed(contract, tools, list(_rules(contract.rules)))


def _hashed(contract: Contract, tools: Iterable[ToolSpec], rules: Sequence[Json]) -> str:
    content = [
        _plain(contract.applies_to),
        contract.scope.value,
        contract.shadow,
        [_tool(tool) for tool in tools],
        rules,
    ]
    return hashlib.sha256(canonical(cast("Json", content))).hexdigest()[:DIGITS]


def _is_meant(rule: Compiled, scenario: str | None) -> bool:
    """Whether a rule may be about runs of a scenario, whatever else it asks of them."""
    when = rule.record.when if isinstance(rule.record, Expect) else UNSET
    return when is UNSET or when.scenario is UNSET or matches_globs(when.scenario, scenario)


def _without_scenario(rule: Compiled) -> Compiled:
    """The rule, less the scenarios that it is meant for, which were looked at."""
    if not isinstance(rule.record, Expect) or rule.record.when is UNSET:
        return rule
    when = structs.replace(rule.record.when, scenario=UNSET)
    record = structs.replace(rule.record, when=UNSET if when == When() else when)
    return structs.replace(rule, record=record)


def _tool(tool: ToolSpec) -> Json:
    return [_plain(getattr(tool, name)) for name in _OF_TOOLS]


def _blank(tool: ToolSpec) -> Json:
    """Of a tool of which nothing is said that can turn a score."""
    return _tool(ToolSpec(name=tool.name))


def _rules(rules: Iterable[Compiled]) -> Iterator[Json]:
    for rule in rules:
        if isinstance(rule.record, Expect):
            yield ["expect", rule.scope.value, _fields(rule.record, _FOR_PEOPLE | _BOUNDS)]
        elif isinstance(rule.record, Require):
            yield ["require", rule.scope.value, _fields(rule.record, _FOR_PEOPLE)]


def _fields(record: RuleFields | Struct, without: AbstractSet[str] = frozenset()) -> Json:
    return {
        name: _plain(value)
        for name in record.__struct_fields__
        if name not in without and (value := getattr(record, name)) is not UNSET
    }


def _plain(value: Any) -> Any:
    """As JSON; what is none, as matchers, by its text."""
    if isinstance(value, Struct):
        return _fields(value)
    if is_mapping(value):
        entries: Mapping[Any, Any] = value
        return {str(key): _plain(inner) for key, inner in entries.items()}
    if isinstance(value, frozenset):
        return sorted(str(inner) for inner in cast("frozenset[object]", value))
    if is_list(value) or isinstance(value, tuple):
        return [_plain(inner) for inner in cast("list[Any]", value)]
    return value if isinstance(value, str | int | float | None) else repr(value)
