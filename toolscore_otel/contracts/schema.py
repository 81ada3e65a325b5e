"""The JSON Schema of contracts, for completion and checks in an editor.

It comes from the classes that contracts are decoded into, so that it cannot fall behind them. It says less than loading
does: it knows no rule ids, no regular expressions and no other files.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Struct, structs

from toolscore_otel.contracts.language import ID_PATTERN, LANGUAGE, Head, ToolEntry
from toolscore_otel.matchers import OPERATORS, SelectorFields
from toolscore_otel.model import Json
from toolscore_otel.rules import CLAUSES, RuleFields

Schema = dict[str, Any]

_ATTRIBUTE = re.compile(r"^ {4}(\w+): (.+(?:\n {8}.+)*)", re.MULTILINE)
_LOOP_RULES = ("same_call", "retry_after_error")
_LOOP_OWN = ("key", "n", "id", "severity", "reason", "shadow", "scope")
"""Fields of a `loop` rule that do not stand beside its keys."""

_SELECTOR: Schema = {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/SelectorFields"}]}
_MATCHER: Schema = {"$ref": "#/$defs/Matcher"}
_FREE: dict[str, Schema] = {
    "args": _MATCHER,
    "result": _MATCHER,
    "fails_when": _MATCHER,
    "latency_ms": {"type": "object", "allOf": [_MATCHER]},
    "cost_usd": {"type": "object", "allOf": [_MATCHER]},
    "unless": {"$ref": "#/$defs/Unless"},
}
"""What stands in fields that the classes leave open."""

_LISTS: dict[str, Schema] = dict.fromkeys(("tools", "ignore", "only"), _SELECTOR)
"""What stands in lists that the classes leave open."""


def json_schema() -> dict[str, Json]:
    """The JSON Schema (draft 2020-12) of one contract, as plain data."""
    records: list[type[Struct]] = [clause.record for clause in CLAUSES]
    records += [Head, ToolEntry, SelectorFields]
    _, defs = msgspec.json.schema_components(records, ref_template="#/$defs/{name}")
    for name, definition in defs.items():
        _complete(definition, _docs_of(name, records))
    defs["SelectorFields"]["minProperties"] = 1
    defs["Scope"]["enum"].remove(
        "session"
    )  # a word of the language that this version does not read
    head = defs.pop("Head")
    keys = head["properties"]
    keys["contract"]["pattern"] = f"^{ID_PATTERN}$"
    keys["language"]["enum"] = [LANGUAGE]
    keys["tools"]["additionalProperties"] = {"anyOf": [_TOOL, {"type": "null"}]}
    for clause in CLAUSES:
        shape = _SHAPES.get(clause.key, _rules)
        said = (clause.record.__doc__ or "").partition("\n")[0]
        keys[clause.key] = {"description": said, **shape(clause.record, defs)}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **head,
        "title": "Contract",
        "anyOf": [{"required": [clause.key]} for clause in CLAUSES],
        "$defs": {**defs, "Matcher": _matcher(), "Unless": _UNLESS},
    }


_TOOL: Schema = {"$ref": "#/$defs/ToolEntry"}
_BEFORE: Schema = {
    "type": "object",
    "properties": {"before": _SELECTOR},
    "required": ["before"],
    "additionalProperties": False,
}
_UNLESS: Schema = {
    "anyOf": [_SELECTOR, _BEFORE, {"type": "array", "items": {"anyOf": [_SELECTOR, _BEFORE]}}]
}


def _matcher() -> Schema:
    """Any JSON value, its mappings either all operators or none."""
    known: dict[str, Json] = dict.fromkeys(OPERATORS, _MATCHER)
    known["$schema"] = True
    return {
        "if": {"type": "object", "patternProperties": {"^[^$]": False}, "minProperties": 1},
        "then": {"properties": known, "additionalProperties": False},
        "else": {
            "patternProperties": {"^\\$": False},
            "additionalProperties": _MATCHER,
            "items": _MATCHER,
        },
    }


def _rules(record: type[RuleFields], _: dict[str, Json]) -> Schema:
    one: Schema = {"$ref": f"#/$defs/{record.__name__}"}
    if not any(field.required for field in structs.fields(record)):
        one = {"anyOf": [{"type": "string"}, one]}
    return {"type": "array", "minItems": 1, "items": one}


def _selectors(record: type[RuleFields], _: dict[str, Json]) -> Schema:
    listed = {"type": "array", "minItems": 1, "items": _SELECTOR}
    return {"anyOf": [listed, {"$ref": f"#/$defs/{record.__name__}"}]}


def _record(record: type[RuleFields], _: dict[str, Json]) -> Schema:
    return {"$ref": f"#/$defs/{record.__name__}"}


def _loop(record: type[RuleFields], defs: dict[str, Json]) -> Schema:
    rule = defs[record.__name__]
    del rule["properties"]["key"]
    rule["required"] = ["n"]
    one = {"anyOf": [{"type": "integer"}, {"$ref": f"#/$defs/{record.__name__}"}]}
    shared = {key: value for key, value in rule["properties"].items() if key not in _LOOP_OWN}
    return {
        "type": "object",
        "properties": {**dict.fromkeys(_LOOP_RULES, one), **shared},
        "additionalProperties": False,
        "anyOf": [{"required": [key]} for key in _LOOP_RULES],
    }


_SHAPES: dict[str, Callable[[type[RuleFields], dict[str, Json]], Schema]] = {
    "allow_only": _selectors,
    "loop": _loop,
    "secrets": _record,
}
"""Clauses that are no plain lists of rules."""


def _complete(definition: Schema, docs: dict[str, str]) -> None:
    """Fill in what a class leaves open, and describe its keys."""
    if "properties" not in definition:
        return
    definition["description"] = definition.get("description", "").partition("\n")[0]
    for key, schema in definition["properties"].items():
        if not schema and key in _FREE:
            schema.update(_FREE[key])
        if schema.get("type") == "array" and "items" not in schema and key in _LISTS:
            schema["items"] = _LISTS[key]
        if key in docs:
            schema["description"] = docs[key]


def _docs_of(name: str, records: list[type[Struct]]) -> dict[str, str]:
    """The keys of a class as its docstring, and those of the classes it is made of, explain them."""
    record = next((record for record in records if record.__name__ == name), None)
    docs: dict[str, str] = {}
    for part in reversed(record.__mro__ if record else ()):
        found = _ATTRIBUTE.findall(inspect.cleandoc(part.__doc__ or ""))
        docs |= {key: " ".join(text.split()) for key, text in found}
    return docs
