"""Matchers: what a contract says of a value or a call, with three answers."""

from toolscore_otel.matchers.answer import Answer, all_of, any_of, negate
from toolscore_otel.matchers.canonical import canonical, digest
from toolscore_otel.matchers.collection import Contains, Exact, Len, OneOf
from toolscore_otel.matchers.error import MatcherError
from toolscore_otel.matchers.fields import SELECTOR_KEYS, SelectorFields
from toolscore_otel.matchers.judged import JudgedCall
from toolscore_otel.matchers.logic import AllOf, AnyOf, Not
from toolscore_otel.matchers.matcher import Matcher
from toolscore_otel.matchers.number import Approx, Between, Compare, Datetime, Ge, Gt, Le, Lt
from toolscore_otel.matchers.observed import observed
from toolscore_otel.matchers.order import before
from toolscore_otel.matchers.parse import OPERATORS, ReadSchema, parse
from toolscore_otel.matchers.presence import ANY, Exists, IsType
from toolscore_otel.matchers.schema import Schema
from toolscore_otel.matchers.selector import Selector
from toolscore_otel.matchers.shape import Fields, Items, Literal
from toolscore_otel.matchers.text import Casefold, FullMatch, Glob, Regex
from toolscore_otel.matchers.value import (
    ABSENT,
    HIDDEN,
    UNKNOWN,
    CutText,
    OpenList,
    OpenObject,
    SomeNumber,
)

__all__ = [
    "ABSENT",
    "ANY",
    "HIDDEN",
    "OPERATORS",
    "SELECTOR_KEYS",
    "UNKNOWN",
    "AllOf",
    "Answer",
    "AnyOf",
    "Approx",
    "Between",
    "Casefold",
    "Compare",
    "Contains",
    "CutText",
    "Datetime",
    "Exact",
    "Exists",
    "Fields",
    "FullMatch",
    "Ge",
    "Glob",
    "Gt",
    "IsType",
    "Items",
    "JudgedCall",
    "Le",
    "Len",
    "Literal",
    "Lt",
    "Matcher",
    "MatcherError",
    "Not",
    "OneOf",
    "OpenList",
    "OpenObject",
    "ReadSchema",
    "Regex",
    "Schema",
    "Selector",
    "SelectorFields",
    "SomeNumber",
    "all_of",
    "any_of",
    "before",
    "canonical",
    "digest",
    "negate",
    "observed",
    "parse",
]
