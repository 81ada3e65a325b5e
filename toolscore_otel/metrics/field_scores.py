"""Arguments field by field: which parameter is wrong, compared as its type asks for, and invalid told from wrong."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from toolscore_otel.matchers import (
    Answer,
    Approx,
    Casefold,
    Datetime,
    Matcher,
    MatcherError,
    Schema,
)
from toolscore_otel.matchers.matcher import is_matcher
from toolscore_otel.matchers.value import is_number
from toolscore_otel.metrics.arguments import (
    Field,
    Wanted,
    arguments_of,
    by_name,
    given,
    literal_field,
    of_matcher,
    wanted,
)
from toolscore_otel.metrics.pairing import paired_by_tool
from toolscore_otel.metrics.ratios import share
from toolscore_otel.model import Json, ToolCall

Kind = Literal["exact", "loose", "number", "datetime", "text"]
"""How a field is compared. `exact`: same type and text, for ids and enums. `loose`: as `calculate_argument_f1` does. `number`: within
a tolerance. `datetime`: the same instant. `text`: whatever the case and the white space around it. A value of another type than the kind
is about is compared loosely."""


def calculate_field_accuracy(
    gold_calls: Sequence[ToolCall],
    trace_calls: Sequence[ToolCall],
    *,
    kinds: Mapping[str, Kind] | None = None,
    tolerance: float = 1e-6,
    schemas: Mapping[str, Json] | None = None,
) -> dict[str, Any]:
    """How often each argument is right, over calls paired by tool and arguments.

    Args:
        gold_calls: expected calls.
        trace_calls: calls as they were made.
        kinds: how a field is compared, by `tool.field` or by the field's name alone; `loose` where neither stands.
        tolerance: of `number`, relative.
        schemas: JSON Schema of the arguments, by tool: a call that breaks it is invalid, and its fields are not also counted as wrong.

    Returns:
        `field_accuracy`: right fields over expected ones; `exact_match`: pairs with all fields right and none besides, over pairs;
        both over what was observed, None where nothing was. `by_field`: for each `tool.field` the counts `right`, `wrong`,
        `missing`, `unknown` and its `accuracy`. `invalid_calls`: numbers of the calls made that break their schema.
    """
    checks = {tool: Schema(schema) for tool, schema in (schemas or {}).items()}
    tallies: dict[str, _Tally] = {}
    exact: list[bool] = []
    pairs = paired_by_tool(gold_calls, trace_calls).pairs.items()
    invalid = {made for _, made in pairs if _is_invalid(trace_calls[made], checks)}
    for expected, made in (pair for pair in pairs if pair[1] not in invalid):
        call, one = trace_calls[made], _typed(gold_calls[expected], kinds or {}, tolerance)
        for name, worth in one.worths(given(call)).items():
            key = f"{call.tool}.{name}"
            tallies[key] = tallies.get(key, _Tally()).counted(worth)
        is_exact = one.compared(given(call)).is_exact
        exact += [] if is_exact is None or one.fields is None else [is_exact]
    return {
        "field_accuracy": _accuracy(tallies.values()),
        "exact_match": share(sum(exact), len(exact)),
        "by_field": {key: tally.told() for key, tally in sorted(tallies.items())},
        "invalid_calls": sorted(invalid),
    }


def _accuracy(tallies: Collection[_Tally]) -> float | None:
    return share(sum(one.right for one in tallies), sum(one.known for one in tallies))


def _is_invalid(call: ToolCall, checks: Mapping[str, Schema]) -> bool:
    schema = checks.get(call.tool)
    return schema is not None and schema.match(arguments_of(call)) is Answer.NO


class _Tally(Struct, frozen=True):
    right: int = 0
    wrong: int = 0
    missing: int = 0
    unknown: int = 0

    def counted(self, worth: float | None) -> _Tally:
        """One field more; only what is wholly right is right."""
        return _Tally(
            self.right + (worth == 1),
            self.wrong + (worth is not None and worth < 1),
            self.missing + (worth is not None and worth != worth),  # noqa: PLR0124 - NaN is missing
            self.unknown + (worth is None),
        )

    @property
    def known(self) -> int:
        return self.right + self.wrong + self.missing

    def told(self) -> dict[str, float | None]:
        return {
            "right": self.right,
            "wrong": self.wrong,
            "missing": self.missing,
            "unknown": self.unknown,
            "accuracy": share(self.right, self.known),
        }


def _typed(call: ToolCall, kinds: Mapping[str, Kind], tolerance: float) -> Wanted:
    plain = wanted(call)
    if plain.fields is None:
        return plain
    fields = {
        name: _field(
            by_name(arguments_of(call), name),
            kinds.get(f"{call.tool}.{name}") or kinds.get(name) or "loose",
            tolerance,
        )
        for name in plain.fields
    }
    return Wanted(fields, plain.names)


def _field(value: Any, kind: Kind, tolerance: float) -> Field:
    if is_matcher(value) or kind in ("exact", "loose"):
        return literal_field(value, strict=kind == "exact")
    matcher = _matcher(value, kind, tolerance)
    return literal_field(value) if matcher is None else Field(of_matcher(matcher))


def _matcher(value: Any, kind: Kind, tolerance: float) -> Matcher | None:
    if kind == "number":
        return Approx(value, rel=tolerance) if is_number(value) else None
    if not isinstance(value, str):
        return None
    if kind == "text":
        return SameText(value)
    try:
        return Datetime(value)
    except MatcherError:  # no instant: a date, or free text
        return None


class SameText(Struct, frozen=True):
    """The same text but for case and the white space around it."""

    text: str

    def match(self, value: Any) -> Answer:
        """Whether it is."""
        return Casefold(self.text.strip()).match(value.strip() if isinstance(value, str) else value)

    def describe(self) -> str:
        """As in `is "x" in whatever case`."""
        return Casefold(self.text.strip()).describe()
