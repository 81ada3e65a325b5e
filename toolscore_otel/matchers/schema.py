"""`$schema`: the value is valid under a JSON Schema of draft 2020-12."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import jsonschema_rs

from toolscore_otel.errors import clip
from toolscore_otel.matchers.answer import NO, UNSURE, Answer, yes_if
from toolscore_otel.matchers.error import MatcherError
from toolscore_otel.matchers.value import ABSENT, Value, is_object, is_whole
from toolscore_otel.model import Json


@dataclass(frozen=True, slots=True)
class Schema:
    """Valid under this schema. Unknown where a part of the value was not observed, or is nothing that JSON can hold.

    Attributes:
        schema: a mapping, or true or false. It must not refer to other files or addresses.
    """

    schema: Json
    _validator: Any = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_validator", _compile(self.schema))

    def match(self, value: Value) -> Answer:
        """Whether the value is valid."""
        if value is ABSENT:
            return NO
        if not is_whole(value):
            return UNSURE
        try:
            return yes_if(self._validator.is_valid(value))
        except (ValueError, TypeError, OverflowError, RecursionError):
            return UNSURE

    def describe(self) -> str:
        """As in `is valid under its schema`."""
        return "is valid under its schema"


def _compile(schema: Json) -> Any:
    if not isinstance(schema, bool) and not is_object(schema):
        raise MatcherError((), "must be a JSON Schema: a mapping, or the name of a file")
    try:
        return jsonschema_rs.Draft202012Validator(schema, retriever=_refuse)
    except (
        ValueError,
        TypeError,
        OverflowError,
        RecursionError,
        jsonschema_rs.ReferencingError,
    ) as problem:
        raise MatcherError((), f"is no JSON Schema of draft 2020-12: {clip(problem)}") from problem


def _refuse(uri: str) -> Json:
    raise ValueError(f"a reference to `{uri}` leaves the schema")
