"""What calls were given, and what they were expected to be given, field by field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import nan

from msgspec import Struct

from toolscore_otel.matchers import ABSENT, UNKNOWN, Answer, Matcher, OpenObject
from toolscore_otel.matchers.observed import observed_parts
from toolscore_otel.matchers.value import Missing, Value, is_list, is_object, is_whole
from toolscore_otel.metrics.likeness import (
    Same,
    agreement,
    decoded,
    expectation,
    key_of,
    loose_parts,
    strict_parts,
)
from toolscore_otel.model import ToolCall

Credit = Callable[[Value], float | None]
"""How much of a value is right, 0..1; None where that was not observed."""


class Given(Struct, frozen=True):
    """What one call was given.

    Attributes:
        args: as a value tree.
        names: the arguments that are known to be there.
        unnamed: things that were given without a name: elements of a list, or one text.
        is_open: more may have been given than was observed.
    """

    args: Value
    names: frozenset[str] = frozenset()
    unnamed: int = 0
    is_open: bool = False


Split = Callable[[Value], frozenset[bytes]]
"""What counts in a value, as parts that are the same or not."""


class Field(Struct, frozen=True):
    """What one argument should be.

    Attributes:
        credit: of a value.
        key: the same for fields that ask for the same; None: like no other.
        parts: of a literal: the credit of a value that was wholly observed is how far its own parts agree.
        split: takes such a value apart.
    """

    credit: Credit
    key: bytes | None = None
    parts: frozenset[bytes] | None = None
    split: Split = loose_parts


Find = Callable[[Value, str], Value]
"""The value of a field in arguments; ABSENT where there is none, UNKNOWN where that was not observed."""


def by_name(args: Value, name: str) -> Value:
    """An argument by its name, which is no path here."""
    if is_object(args):
        return args.get(name, ABSENT)
    if isinstance(args, OpenObject):
        return args.items.get(name, UNKNOWN if args.may_hold(name) else ABSENT)
    return args if isinstance(args, Missing) else ABSENT


class Wanted(Struct, frozen=True):
    """What one call should be given.

    Attributes:
        fields: by name; None: whatever arguments.
        names: the arguments that the fields are about; what is given besides is too much. None: all.
    """

    fields: Mapping[str, Field] | None
    names: frozenset[str] | None = None
    find: Find = by_name

    def worths(self, told: Given) -> dict[str, float | None]:
        """What each field is worth as it was given: 0..1, NaN where it is missing, None where it was not observed."""
        found: dict[str, float | None] = {}
        for name, field in (self.fields or {}).items():
            value = self.find(told.args, name)
            worth = field.credit(value)
            found[name] = nan if value is ABSENT and not worth else worth
        return found

    def compared(self, told: Given) -> Compared:
        """Expected and given fields, counted; nothing where whatever arguments do."""
        if self.fields is None:
            return Compared()
        worths = self.worths(told).values()
        known = [worth for worth in worths if worth is not None]
        there = [worth for worth in known if worth == worth]  # noqa: PLR0124 - NaN is missing
        return Compared(
            right=sum(there),
            expected=len(known),
            given=len(there) + self.surplus(told),
            unknown=len(worths) - len(known) + told.is_open,
        )

    def surplus(self, told: Given) -> int:
        """How many things were given that are not asked for."""
        if self.names is None:
            return 0
        return told.unnamed + len(told.names - self.names)


class Compared(Struct, frozen=True):
    """Fields of one pair, or of several together. What was not observed stands in no number but `unknown`.

    Attributes:
        right: how much was right.
        expected: how many fields were expected.
        given: how many were given.
        unknown: how many could not be compared.
    """

    right: float = 0.0
    expected: int = 0
    given: int = 0
    unknown: int = 0

    def __add__(self, other: Compared) -> Compared:
        return Compared(
            self.right + other.right,
            self.expected + other.expected,
            self.given + other.given,
            self.unknown + other.unknown,
        )

    @property
    def is_exact(self) -> bool | None:
        """Whether all that was expected was given, and nothing else; None where that was not observed."""
        if self.right == self.expected == self.given:
            return None if self.unknown else True
        return False


def arguments_of(call: ToolCall) -> Value:
    """The arguments of a call as a value tree; JSON text of an object is that object, as some instrumentations record it."""
    args = observed_parts(call.args_state, call.args, call.args_text)
    return decoded(args) if isinstance(args, str) else args


def given(call: ToolCall) -> Given:
    """What a call was given."""
    args = arguments_of(call)
    if isinstance(args, OpenObject):
        return Given(args, frozenset(args.items), is_open=True)
    if is_object(args):
        return Given(args, frozenset(args))
    if args is None or isinstance(args, Missing):
        return Given(args, is_open=args is not None)
    return Given(args, unnamed=len(args) if is_list(args) else 1)


def wanted(call: ToolCall, *, strict: bool = False) -> Wanted:
    """What an expected call says: None for `args` checks nothing, an empty mapping is "no arguments"."""
    if call.args is None:
        return Wanted(None)
    args = arguments_of(call)
    fields = args if is_object(args) else {}
    asked = {name: literal_field(value, strict=strict) for name, value in fields.items()}
    return Wanted(asked, frozenset(asked))


def literal_field(value: object, *, strict: bool = False) -> Field:
    """A field with a literal, or with a matcher in it. An object counts by the share of its fields."""
    if (matcher := expectation(value, strict=strict)) is not None:
        return Field(of_matcher(matcher))
    split = strict_parts if strict else loose_parts
    parts = split(value)
    by_answer = of_matcher(Same(value, strict=strict))

    def credit(actual: Value) -> float | None:
        if not is_whole(actual):
            return by_answer(actual)
        told = split(actual)
        return agreement(parts, told, len(parts & told))

    return Field(credit, key_of(value, strict=strict), parts, split)


def of_matcher(matcher: Matcher) -> Credit:
    """All or nothing, as a matcher says."""
    worth: dict[Answer, float | None] = {Answer.YES: 1.0, Answer.NO: 0.0, Answer.UNKNOWN: None}
    return lambda value: worth[matcher.match(value)]
