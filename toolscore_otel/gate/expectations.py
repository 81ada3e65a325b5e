"""What a contract expects, as far as scores hang on it, as a fingerprint: runs are compared only under the same one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Set as AbstractSet
from typing import Any, cast

from msgspec import UNSET, Struct

from toolscore_otel.contracts import Contract, ToolSpec
from toolscore_otel.matchers import canonical
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import Json
from toolscore_otel.rules import RuleFields
from toolscore_otel.rules.expect import Expect
from toolscore_otel.rules.require import Require

DIGITS = 16

_OF_TOOLS = ("name", "aliases", "name_from", "mutating", "polling", "labels", "fails_when")
"""What the registry says that can turn a score; prices, schemas and time limits cannot."""

_FOR_PEOPLE = frozenset({"id", "severity", "reason"})
_BOUNDS = frozenset({"min", "max"})
"""Of `expect`: they say what is good enough, not what is expected."""


def fingerprint_of(contract: Contract) -> str:
    """16 hex digits: equal where the contract sees the same calls, names them alike and expects the same of them.

    Comments, formatting, reasons, severities, the contract's version and all rules that no score hangs on are no difference.
    """
    content = [
        _plain(contract.applies_to),
        contract.scope.value,
        contract.shadow,
        [_tool(tool) for _, tool in sorted(contract.tools.items())],
        list(_rules(contract)),
    ]
    return hashlib.sha256(canonical(cast("Json", content))).hexdigest()[:DIGITS]


def _tool(tool: ToolSpec) -> Json:
    return [_plain(getattr(tool, name)) for name in _OF_TOOLS]


def _rules(contract: Contract) -> Iterator[Json]:
    for rule in contract.rules:
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
