"""JSON Schema of what the classes of contracts leave open: matchers, selectors, excuses."""

from __future__ import annotations

from typing import Any

from toolscore_otel.matchers import OPERATORS
from toolscore_otel.model import Json

Schema = dict[str, Any]

_MATCHER: Schema = {"$ref": "#/$defs/Matcher"}
_OPERATORS: Schema = {
    "type": "object",
    "minProperties": 1,
    "propertyNames": {"pattern": "^\\$"},
    "allOf": [_MATCHER],
}
_SELECTOR: Schema = {"$ref": "#/$defs/Selector"}
_SOME: Schema = {"type": "array", "minItems": 1}
_MATCHERS: Schema = {**_SOME, "items": _MATCHER}
_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "number"}
_SIZE: Schema = {"type": "number", "minimum": 0}
_TIME: Schema = {"type": "string", "pattern": "^\\d{4}-\\d\\d-\\d\\d[Tt ]\\d\\d:"}
_NUMBER_OR_TIME: Schema = {"anyOf": [_NUMBER, _TIME]}
_TWO: Schema = {"type": "array", "minItems": 2, "maxItems": 2}

_OPERANDS: dict[str, Schema] = {
    "$any": {"const": True},
    "$exists": {"type": "boolean"},
    "$type": {"anyOf": [{"$ref": "#/$defs/Type"}, {**_SOME, "items": {"$ref": "#/$defs/Type"}}]},
    **dict.fromkeys(("$regex", "$fullmatch", "$glob", "$casefold"), _TEXT),
    "$one_of": {**_SOME, "items": {"$ref": "#/$defs/Literal"}},
    "$not": _MATCHER,
    **dict.fromkeys(("$all", "$or"), _MATCHERS),
    **dict.fromkeys(("$gt", "$ge", "$lt", "$le"), _NUMBER_OR_TIME),
    "$between": {"anyOf": [{**_TWO, "items": _NUMBER}, {**_TWO, "items": _TIME}]},
    "$approx": {
        "anyOf": [
            _NUMBER,
            {
                "type": "object",
                "properties": {"value": _NUMBER, "rel": _SIZE, "abs": _SIZE},
                "required": ["value"],
                "additionalProperties": False,
            },
        ]
    },
    "$len": {"anyOf": [{"type": "integer", "minimum": 0}, _OPERATORS]},
    "$datetime": {
        "anyOf": [
            _TIME,
            {
                "type": "object",
                "minProperties": 1,
                "properties": {
                    **dict.fromkeys(("$gt", "$ge", "$lt", "$le"), _TIME),
                    "$between": {**_TWO, "items": _TIME},
                },
                "additionalProperties": False,
            },
        ]
    },
    "$schema": {"type": ["object", "boolean", "string"]},
    "$exact": {
        "type": "object",
        "patternProperties": {"^\\$": False},
        "additionalProperties": _MATCHER,
    },
}
"""What stands behind an operator; behind those left out, any matcher."""

_BEFORE: Schema = {
    "type": "object",
    "properties": {"before": _SELECTOR},
    "required": ["before"],
    "additionalProperties": False,
}
_EXCUSE: Schema = {"anyOf": [_SELECTOR, _BEFORE]}

PARTS: dict[str, Json] = {
    "Matcher": {
        "if": {"type": "object", "patternProperties": {"^[^$]": False}, "minProperties": 1},
        "then": {
            "properties": {name: _OPERANDS.get(name, _MATCHER) for name in OPERATORS},
            "additionalProperties": False,
        },
        "else": {
            "patternProperties": {"^\\$": False},
            "additionalProperties": _MATCHER,
            "items": _MATCHER,
        },
    },
    "Literal": {
        "patternProperties": {"^\\$": False},
        "additionalProperties": {"$ref": "#/$defs/Literal"},
        "items": {"$ref": "#/$defs/Literal"},
    },
    "Type": {"enum": ["string", "number", "integer", "boolean", "object", "array", "null"]},
    "Selector": {"anyOf": [_TEXT, {"$ref": "#/$defs/SelectorFields"}]},
    "Unless": {"anyOf": [_EXCUSE, {**_SOME, "items": _EXCUSE}]},
}
"""Definitions beside those of the classes."""

FREE: dict[str, Schema] = {
    "args": {"type": "object", "allOf": [_MATCHER]},
    "result": _MATCHER,
    "fails_when": _MATCHER,
    "latency_ms": _OPERATORS,
    "cost_usd": _OPERATORS,
    "unless": {"$ref": "#/$defs/Unless"},
    "if": _SELECTOR,
    "before": _SELECTOR,
    **dict.fromkeys(("first", "then", "never", "after", "until", "among"), _SELECTOR),
    "sequence": {**_SOME, "items": _SELECTOR},
}
"""What stands in fields that the classes leave open."""

LISTS: dict[str, Schema] = dict.fromkeys(("tools", "ignore", "only", "calls"), _SELECTOR)
"""What stands in lists that the classes leave open."""

_WORDS: Schema = {"minLength": 1, "minItems": 1, "items": {"minLength": 1}}
_LIMIT: Schema = {"minimum": 0}
_FILLED: Schema = {"minLength": 1}
_SOMETHING: Schema = {"pattern": "\\S"}

BOUNDS: dict[str, Schema] = {
    **dict.fromkeys(("tool", "label", "status", "kind", "service", "agent", "environment"), _WORDS),
    **dict.fromkeys(("scenario", "conversation"), _WORDS),
    **dict.fromkeys(
        ("min", "max", "latency_ms", "active_ms", "cost_usd", "tokens", "calls"), _LIMIT
    ),
    **dict.fromkeys(("timeout_ms", "within_ms", "per_call", "per_second"), _LIMIT),
    **dict.fromkeys(("sum", "distinct"), _FILLED),
    **dict.fromkeys(("id", "owner"), _SOMETHING),
    "aliases": {"minLength": 1, "items": {"minLength": 1}},
    "labels": {"items": {**_TEXT, **_FILLED}},
    "name_from": {"pattern": "^args\\.."},
    "per": {"pattern": "^(trace|agent|session|0*[1-9]\\d*(ms|s|m|h))$"},
    "window": {"minimum": 2},
    **{key: {"minItems": 1} for key in ("tools", "in", "kinds", "only")},
    "when": {"minProperties": 1},
    "attributes": {"additionalProperties": _MATCHER},
}
"""What narrows a field beyond its type, by its name; what is about another type than that of the field narrows nothing."""

BUILDING: dict[str, Schema] = {
    "extends": {"minLength": 1, "minItems": 1},
    "override": {"minProperties": 1},
    "waive": {"minItems": 1},
}
"""What is not empty where it is given."""
