"""The JSON Schema of contracts, for completion and checks in an editor.

It comes from the classes that contracts are decoded into, so that it cannot fall behind them. It says less than loading
does: it knows no rule ids, no regular expressions and no other files.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from msgspec import Struct, structs

from toolscore_otel.contracts.language import ID_PATTERN, LANGUAGE, Building, Head, ToolEntry
from toolscore_otel.contracts.schema_parts import BOUNDS, BUILDING, FREE, LISTS, PARTS
from toolscore_otel.matchers import SELECTOR_KEYS, SelectorFields
from toolscore_otel.metrics.trajectory_scores import ALWAYS
from toolscore_otel.model import Json
from toolscore_otel.rules import CLAUSES, RuleFields, loop
from toolscore_otel.rules.score_bounds import ScoreBounds
from toolscore_otel.rules.shape import Common

Schema = dict[str, Any]

_ATTRIBUTE = re.compile(r"^ {4}(\w+): (.+(?:\n {8}.+)*)", re.MULTILINE)
_LOOP_OWN = ("key", "n", *Common.__struct_fields__)
"""Fields of a `loop` rule that do not stand beside its keys."""

_NEEDS_SELECTOR = ("Forbid", "Require", "Limit", "WaiveEntry")
"""Classes whose keys hold those of a selector, of which at least one is given."""

_FORMS = (("first", "then"), ("never", "after", "until"), ("sequence", "mode", "among"))
"""Keys of the forms of `order`; the first ones are needed."""
_NEEDED = 2
_WHOLES = ("agent", "trace", "session")
_OF_CALLS = ("latency_ms", "cost_usd")
_OF_WHOLES = ("active_ms", "tokens", "calls")


def json_schema() -> dict[str, Json]:
    """The JSON Schema (draft 2020-12) of one contract, as plain data."""
    records: list[type[Struct]] = [clause.record for clause in CLAUSES]
    records += [Head, Building, ToolEntry, SelectorFields, ScoreBounds]
    _, defs = msgspec.json.schema_components(records, ref_template="#/$defs/{name}")
    for name, definition in defs.items():
        _complete(definition, _docs_of(name, records))
    _narrow(defs)
    head, building = defs.pop("Head"), defs.pop("Building")
    keys: dict[str, Any] = head["properties"]
    keys["contract"]["pattern"] = f"^{ID_PATTERN}$"
    keys["language"]["enum"] = [LANGUAGE]
    keys["tools"]["additionalProperties"] = {"anyOf": [_ref(ToolEntry), {"type": "null"}]}
    keys["tools"]["propertyNames"] = {"minLength": 1}
    keys |= {key: {**schema, **BUILDING[key]} for key, schema in building["properties"].items()}
    for clause in CLAUSES:
        shape = _SHAPES.get(clause.key, _rules)
        said = (clause.record.__doc__ or "").partition("\n")[0]
        keys[clause.key] = {"description": said, **shape(clause.record, defs)}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **head,
        "title": "Contract",
        "anyOf": [_given(key) for key in (*(clause.key for clause in CLAUSES), "extends")],
        "dependentRequired": {"override": ["extends"]},
        "$defs": {**defs, **PARTS},
    }


def _ref(record: type[Struct]) -> Schema:
    return {"$ref": f"#/$defs/{record.__name__}"}


def _given(*keys: str) -> Schema:
    return {"required": list(keys)}


def _any_given(keys: Iterable[str]) -> Schema:
    return {"anyOf": [_given(key) for key in keys]}


def _narrow(defs: dict[str, Any]) -> None:
    """What the classes check only when they are compiled."""
    for name in ("SelectorFields", "CostEntry", "Allowed", "OverrideEntry", "ScoreBounds"):
        defs[name]["minProperties"] = 1
    defs["By"] |= {"minProperties": 1, "maxProperties": 1}
    for name in _NEEDS_SELECTOR:
        defs[name] |= _any_given(SELECTOR_KEYS)
    defs["Limit"]["not"] = _given("sum", "distinct")
    defs["WaiveEntry"]["properties"]["until"]["pattern"] = "^\\d{4}-\\d\\d-\\d\\d$"
    selects = (key for key in (*SELECTOR_KEYS, "unless") if key not in _OF_CALLS)
    of = {
        _WHOLES: {"not": _any_given(selects), **_any_given((*_OF_CALLS, *_OF_WHOLES))},
        ("call",): {"not": _any_given(_OF_WHOLES)},
        ("tool",): {"not": _any_given(_OF_WHOLES[:2])},
    }
    without = {"propertyNames": {"enum": list(ALWAYS)}}
    defs["Expect"] |= {
        **_any_given(("calls", "min", "max")),
        "if": {"not": _given("calls")},
        "then": {"properties": {"min": without, "max": without}},
    }
    defs["Budget"]["allOf"] = [
        {"if": {"properties": {"of": {"enum": list(words)}}, **_given("of")}, "then": then}
        for words, then in of.items()
    ]


def _rules(record: type[RuleFields], _: dict[str, Json]) -> Schema:
    one = _ref(record)
    if issubclass(record, SelectorFields) and not any(f.required for f in structs.fields(record)):
        one = {"anyOf": [{"type": "string", "minLength": 1}, one]}
    return {"type": "array", "minItems": 1, "items": one}


def _selectors(record: type[RuleFields], _: dict[str, Json]) -> Schema:
    listed = {"type": "array", "minItems": 1, "items": LISTS["tools"]}
    return {"anyOf": [listed, _ref(record)]}


def _record(record: type[RuleFields], _: dict[str, Json]) -> Schema:
    return _ref(record)


def _order(record: type[RuleFields], defs: dict[str, Json]) -> Schema:
    """A rule has the keys of one form, and `unless` where it is about single calls."""
    forms: list[Schema] = []
    for form in _FORMS:
        others = [key for other in _FORMS if other is not form for key in other]
        if form[0] == "sequence":
            forms.append({**_given("sequence"), "not": _any_given((*others, "unless"))})
        else:
            forms.append({**_given(*form[:_NEEDED]), "not": _any_given(others)})
    defs[record.__name__]["anyOf"] = forms
    return _rules(record, defs)


def _loop(record: type[RuleFields], defs: dict[str, Json]) -> Schema:
    rule = defs[record.__name__]
    del rule["properties"]["key"]
    rule["required"] = ["n"]
    rules: dict[str, Schema] = {}
    for key in loop.RULES:
        least = 1 if key == "retry_after_error" else 2
        numbers = {"properties": {"n": {"minimum": least}}}
        rules[key] = {"minimum": least, **numbers, "anyOf": [{"type": "integer"}, _ref(record)]}
    shared = {key: value for key, value in rule["properties"].items() if key not in _LOOP_OWN}
    return {
        "type": "object",
        "properties": {**rules, **shared},
        "additionalProperties": False,
        **_any_given(loop.RULES),
    }


_SHAPES: dict[str, Callable[[type[RuleFields], dict[str, Json]], Schema]] = {
    "allow_only": _selectors,
    "arguments": _record,
    "loop": _loop,
    "order": _order,
    "secrets": _record,
}
"""Clauses that are no plain lists of rules."""


def _complete(definition: Schema, docs: dict[str, str]) -> None:
    """Fill in what a class leaves open, and describe its keys."""
    if "properties" not in definition:
        return
    definition["description"] = definition.get("description", "").partition("\n")[0]
    for key, schema in definition["properties"].items():
        _refuse_null(schema)
        if not schema.keys() - {"default"} and key in FREE:
            schema.update(FREE[key])
        if schema.get("type") == "array" and not schema.get("items") and key in LISTS:
            schema["items"] = LISTS[key]
        schema.update(BOUNDS.get(key, {}))
        if key in docs:
            schema["description"] = docs[key]


def _refuse_null(schema: Schema) -> None:
    """What is left out is null in a class, and may not stand in a file."""
    if schema.get("default", ...) is None:
        del schema["default"]
        kinds = [kind for kind in schema.pop("anyOf") if kind != {"type": "null"}]
        schema.update(kinds[0] if len(kinds) == 1 else {"anyOf": kinds})


def _docs_of(name: str, records: list[type[Struct]]) -> dict[str, str]:
    """The keys of a class as its docstring, and those of the classes it is made of, explain them."""
    record = next((record for record in records if record.__name__ == name), None)
    docs: dict[str, str] = {}
    for part in reversed(record.__mro__ if record else ()):
        found = _ATTRIBUTE.findall(inspect.cleandoc(part.__doc__ or ""))
        docs |= {key: " ".join(text.split()) for key, text in found}
    return docs
