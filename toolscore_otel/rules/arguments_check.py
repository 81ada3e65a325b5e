"""What is wrong in the arguments of one call, by the schema of its tool.

Where the trace records several schemas of one tool, and not which of them the model was shown, a call is invalid if it is
by each of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from toolscore_otel.errors import on_one_line
from toolscore_otel.matchers import Answer, JudgedCall, MatcherError, OpenObject, Schema, negate
from toolscore_otel.matchers.answer import NO, UNSURE, YES
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.schema import Breach
from toolscore_otel.matchers.value import Value, is_list, is_object, is_unseen, seen
from toolscore_otel.model import ContentState, Json, ToolSchema

MOST_SCHEMAS = 1_000
"""So many schemas of a rule are kept ready; they come from outside."""

_NO_OBJECT = Breach((), "is no JSON object")


class Checked(Struct, frozen=True):
    """What came of it.

    Attributes:
        is_invalid: the answer; no, too, where the tool has no schema that can be used.
        wrong: what is, where the answer is yes.
        missing: evidence that would tell, where it is unknown.
    """

    is_invalid: Answer
    wrong: Sequence[Breach] = ()
    missing: tuple[str, ...] = ()

    @property
    def path(self) -> str | None:
        """Of the first thing that is wrong; None where that is the arguments as a whole."""
        return _said(self.wrong[0].path) or None

    @property
    def said(self) -> list[str]:
        """All that is wrong, in words."""
        return [_sentence(breach) for breach in self.wrong]


class Checks:
    """The schemas that calls of one rule are held against, each made ready once.

    Args:
        flags_unknown: whether names that stand nowhere in `properties` are wrong.
    """

    def __init__(self, *, flags_unknown: bool) -> None:
        self._flags_unknown = flags_unknown
        self._ready: dict[str, _Ready | None] = {}

    def of(self, call: JudgedCall) -> Checked:
        """The arguments of a call by all schemas that it may have."""
        found = [self._by(schema, call) for schema in call.schemas]
        answers = {one.is_invalid for one in found} or {NO}
        if len(answers) == 1:
            return found[0] if found else Checked(NO)
        words = dict.fromkeys(word for one in found for word in one.missing)
        return Checked(UNSURE, missing=("schema", *words))

    def _by(self, schema: ToolSchema, call: JudgedCall) -> Checked:
        ready = self._ready_for(schema)
        return Checked(NO) if ready is None else ready.check(call)

    def _ready_for(self, schema: ToolSchema) -> _Ready | None:
        if schema.digest in self._ready:
            return self._ready[schema.digest]
        try:
            ready = _Ready(
                Schema(schema.schema),
                _names_in(schema.schema) if self._flags_unknown else None,
            )
        except MatcherError:  # recorded, and no schema of this draft: there is nothing to say
            ready = None
        if len(self._ready) < MOST_SCHEMAS:
            self._ready[schema.digest] = ready
        return ready


class _Ready(Struct, frozen=True):
    """A schema, and all argument names that it knows; None: they do not matter, or any may be known."""

    schema: Schema
    names: frozenset[str] | None

    def check(self, call: JudgedCall) -> Checked:
        """What a call's arguments are by it."""
        value = _arguments(call)
        if not (is_object(value) or isinstance(value, OpenObject)):
            is_seen = not is_unseen(value)
            return Checked(YES, (_NO_OBJECT,)) if is_seen else Checked(UNSURE, missing=_UNSEEN)
        valid = self.schema.match(value)
        wrong = self.schema.breaches(value) if valid is NO else ()
        wrong = (*wrong, *self._unknown(value, wrong))
        if wrong:
            return Checked(YES, wrong)
        return Checked(negate(valid), missing=_UNSEEN if valid is UNSURE else ())

    def _unknown(self, value: Value, wrong: Sequence[Breach]) -> Iterator[Breach]:
        """Names that stand nowhere, unless they were told already."""
        if self.names is None:
            return
        told = {breach.path for breach in wrong}
        for name in value.items if isinstance(value, OpenObject) else value:
            if name not in self.names and (name,) not in told:
                yield Breach((name,), "stands nowhere in the schema")


_UNSEEN = ("arguments",)


def _arguments(call: JudgedCall) -> Value:
    """The value tree; whole text that is no JSON is text, and no arguments at all are none."""
    one = call.call
    if one.args_state is ContentState.UNPARSABLE:
        return one.args_text or ""
    value = seen(call.args)
    return {} if value is None else value


_WITHIN = ("allOf", "anyOf", "oneOf")
_BESIDE = ("if", "then", "else", "not")
_ANYTHING: Mapping[str, Json] = {"patternProperties": {}}
_OPENS = ("patternProperties", "$dynamicRef", "unevaluatedProperties", "dependentSchemas")
"""What these say of names is not followed: where one stands, any name may be known."""


def _names_in(schema: Json) -> frozenset[str] | None:
    """All names that stand in the `properties` of an object, whichever part of its schema applies.

    Returns:
        None where the schema lists no names, so that nothing is known of them.
    """
    names: set[str] = set()
    lists_any = False
    for part in _parts(schema):
        if any(key in part for key in _OPENS):
            return None
        if is_mapping(properties := part.get("properties")):
            lists_any = True
            names.update(map(str, properties))
    return frozenset(names) if lists_any else None


def _parts(schema: Json) -> Iterator[Mapping[Any, Any]]:
    """A schema and all that applies to the same value."""
    queue: list[Json] = [schema]
    known: set[int] = set()
    for part in queue:
        if not is_mapping(part) or id(part) in known:
            continue
        known.add(id(part))
        yield part
        for key in _WITHIN:
            queue.extend(part[key] if is_list(part.get(key)) else ())
        queue.extend(part[key] for key in _BESIDE if key in part)
        if "$ref" in part:
            queue.append(_referred(schema, str(part["$ref"])))


def _referred(schema: Json, reference: str) -> Json:
    """What a reference inside a schema leads to; where it cannot be followed, something that may know any name."""
    pointer, *steps = reference.split("/")
    found: Json = schema
    for name in steps:
        step = name.replace("~1", "/").replace("~0", "~")
        found = found.get(step) if is_mapping(found) else None
    return found if pointer == "#" and is_mapping(found) else _ANYTHING


def _sentence(breach: Breach) -> str:
    path = _said(breach.path)
    return f"`{on_one_line(path)}` {breach.says}" if path else f"the whole {breach.says}"


def _said(path: Sequence[str | int]) -> str:
    return ".".join(map(str, path))
