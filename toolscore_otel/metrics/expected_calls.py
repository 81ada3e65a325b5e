"""Expected calls as a contract lists them: selectors of which each is one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from toolscore_otel.matchers import Answer, JudgedCall, MatcherError, Selector, canonical, parse
from toolscore_otel.matchers.matcher import is_matcher
from toolscore_otel.matchers.parse import holds_operators
from toolscore_otel.matchers.path import SOME, steps_of, value_at
from toolscore_otel.matchers.shape import Fields, Literal
from toolscore_otel.matchers.value import Value, is_object
from toolscore_otel.metrics.arguments import Field, Wanted, given, of_matcher
from toolscore_otel.metrics.assignment import numbered


class ExpectedCall(Struct, frozen=True):
    """One expected call: what a call must be to stand for it, and how far its arguments are as expected.

    Attributes:
        who: all that it says but its arguments.
        could_be: the same of a call that was asked for and not seen to run; None where it is itself about such calls.
        sort: the same for expected calls of which `who` says the same.
        args: its arguments, as a selector; None: whatever arguments.
        wanted: its arguments, field by field.
    """

    who: Selector
    could_be: Selector | None
    sort: bytes
    args: Selector | None
    wanted: Wanted

    @classmethod
    def of(cls, entry: str | Mapping[str, Any]) -> ExpectedCall:
        """Compile an entry: a tool's name, or a selector.

        Raises:
            MatcherError: a selector that is none, with its path.
        """
        Selector.of(entry)
        keys: dict[str, Any] = {"tool": entry} if isinstance(entry, str) else dict(entry)
        args = keys.pop("args", None)
        who = keys or {"tool": "*"}
        ran = keys.get("stage", "executed") == "executed"
        return cls(
            who=Selector.of(who, default_stage="executed"),
            could_be=Selector.of({**who, "stage": "any"}) if ran else None,
            sort=canonical(who),
            args=None if args is None else Selector.of({"args": args}, default_stage="any"),
            wanted=_wanted(args),
        )

    def has_arguments(self, call: JudgedCall) -> Answer:
        """Whether the arguments of a call are the expected ones; what was given besides them is free."""
        return Answer.YES if self.args is None else self.args.match(call)

    def agreeing(self, call: JudgedCall) -> int:
        """How many of the named arguments are as expected."""
        return sum(worth == 1 for worth in self.wanted.worths(given(call.call)).values())

    def differing(self, call: JudgedCall) -> tuple[str, ...]:
        """The names of the arguments that are not as expected; none where that cannot be said by name."""
        worths = self.wanted.worths(given(call.call))
        return tuple(name for name, worth in worths.items() if name and worth not in (1, None))


def expected_calls(entries: Sequence[str | Mapping[str, Any]]) -> tuple[ExpectedCall, ...]:
    """The entries of a list of expected calls.

    Raises:
        MatcherError: an entry that is no selector; its path begins with its number.
    """
    found: list[ExpectedCall] = []
    for number, entry in enumerate(entries):
        try:
            found.append(ExpectedCall.of(entry))
        except MatcherError as error:
            raise error.below(number) from error
    return tuple(found)


class Fits(Struct, frozen=True):
    """Which calls may stand for which expected ones, whatever their arguments.

    Attributes:
        expected: the sort of each expected call: those that say the same share one.
        calls: the sort of each call: those of which every expected call says the same share one.
        rows: by sort of expected call, what it says of each sort of call.
    """

    expected: Sequence[int]
    calls: Sequence[int]
    rows: Sequence[Sequence[Answer]]


def who_fits(expected: Sequence[ExpectedCall], calls: Sequence[JudgedCall]) -> Fits:
    """Ask each sort of expected call about each sort of call."""
    is_plain = not any(one.who.needs for one in expected)
    sorts = numbered(_sort(call) if is_plain else number for number, call in enumerate(calls))
    shapes = dict(zip(sorts, calls, strict=True))
    asked = numbered(one.sort for one in expected)
    askers = dict(zip(asked, expected, strict=True))
    rows = [[one.who.match(call) for call in shapes.values()] for one in askers.values()]
    return Fits(asked, sorts, rows)


def _sort(call: JudgedCall) -> tuple[Any, ...]:
    """The same for calls that a selector without evidence cannot tell apart."""
    told = call.call
    marks = call.labels, call.maybe_labels, call.mutating
    return call.names, call.dispatcher, told.kind, told.stage, *marks


def _wanted(args: Any) -> Wanted:
    if args is None:
        return Wanted(None)
    if is_matcher(args) or holds_operators(args):
        return Wanted({"": Field(of_matcher(parse(args)), canonical(args))}, find=_find)
    fields = {name: _field(name, value) for name, value in args.items()}
    return Wanted(fields, frozenset(steps_of(name)[0] for name in args) | args.keys(), _find)


def _field(name: str, value: Any) -> Field:
    matcher = parse(value)
    if SOME in steps_of(name):
        matcher = Fields(((steps_of(name), matcher),))
    key = canonical(value)
    is_plain = isinstance(matcher, Literal) and not is_object(value)
    return Field(of_matcher(matcher), key, frozenset((key,)) if is_plain else None, _as_json)


def _as_json(value: Value) -> frozenset[bytes]:
    return frozenset((canonical(value),))


def _find(args: Value, name: str) -> Value:
    """What a path leads to; arguments as a whole where it means some element, or all of them."""
    steps = steps_of(name)
    return args if not name or SOME in steps else value_at(args, steps)
