"""Arguments field by field: which parameter is wrong, compared as its type asks for, and invalid told from wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from toolscore_otel.matchers import Answer, Approx, MatcherError, Schema
from toolscore_otel.matchers.error import unknown_word
from toolscore_otel.metrics.arguments import Wanted, arguments_of, by_name, given, wanted
from toolscore_otel.metrics.given_calls import checked
from toolscore_otel.metrics.pairing import paired_by_tool
from toolscore_otel.metrics.ratios import share
from toolscore_otel.metrics.typed_fields import KINDS, Kind, KindsOf, typed_field
from toolscore_otel.model import Json, ToolCall

Evaluations = Iterable[tuple[Sequence[ToolCall], Sequence[ToolCall]]]
"""Several runs, each expected and actual calls."""


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
        kinds: how a field is compared, by `tool.field` or by the field's name alone; `loose` where neither stands. A part of a field
            by its path (`order.amount`, `tool.order.amount`): dots lead into objects, and lists are gone through.
        tolerance: of `number`, relative.
        schemas: JSON Schema of the arguments, by tool: a call that breaks it is invalid, and its fields are not also counted as wrong.

    Returns:
        `field_accuracy`: right fields over expected ones; `exact_match`: pairs with all fields right and none besides, over pairs;
        both over what was observed, None where nothing was. `by_field`: for each `tool.field` the counts `right`, `wrong`,
        `missing`, `unknown` and its `accuracy`. `invalid_calls`: numbers of the calls made that break their schema, expected or not.

    Raises:
        MatcherError: no such kind or tolerance, or no JSON Schema.
    """
    one = _scored([(gold_calls, trace_calls)], _Ways.of(kinds, tolerance, schemas))
    return {**one.told(), "invalid_calls": [number for _, number in one.invalid]}


def calculate_batch_field_accuracy(
    evaluations: Evaluations,
    *,
    kinds: Mapping[str, Kind] | None = None,
    tolerance: float = 1e-6,
    schemas: Mapping[str, Json] | None = None,
) -> dict[str, Any]:
    """The same over several runs together: each field counts in all of them, which shows the one that is often wrong.

    Args:
        evaluations: of each run the expected calls and those made.
        kinds: as for one run, and so are `tolerance` and `schemas`.
        tolerance: relative.
        schemas: by tool.

    Returns:
        The same keys; `invalid_calls` are pairs of the number of the run and of the call. `total_evaluations`.

    Raises:
        MatcherError: as for one run.
    """
    runs = list(evaluations)
    every = _scored(runs, _Ways.of(kinds, tolerance, schemas))
    return {**every.told(), "invalid_calls": every.invalid, "total_evaluations": len(runs)}


class _Ways(Struct, frozen=True):
    """How fields are compared, and which calls are not."""

    kinds: Mapping[str, Kind]
    tolerance: float
    schemas: Mapping[str, Schema]

    @classmethod
    def of(
        cls, kinds: Mapping[str, Kind] | None, tolerance: float, schemas: Mapping[str, Json] | None
    ) -> _Ways:
        for kind in (kinds or {}).values():
            if kind not in KINDS:
                raise MatcherError((), unknown_word("kind", kind, KINDS))
        Approx(0, rel=tolerance)
        checks = {tool: Schema(schema) for tool, schema in (schemas or {}).items()}
        return cls(kinds or {}, tolerance, checks)

    def wanted(self, call: ToolCall) -> Wanted:
        """What an expected call says, each field by its kind."""
        plain = wanted(call)
        if plain.fields is None:
            return plain
        args = arguments_of(call)
        fields = {
            name: typed_field(
                by_name(args, name), KindsOf(self.kinds, call.tool), name, self.tolerance
            )
            for name in plain.fields
        }
        return Wanted(fields, plain.names)

    def refuse(self, call: ToolCall) -> bool:
        """Whether a call breaks the schema of its tool."""
        schema = self.schemas.get(call.tool)
        return schema is not None and schema.match(arguments_of(call)) is Answer.NO


class _Scored(Struct, frozen=True):
    tallies: Mapping[str, _Tally]
    exact: Sequence[bool]
    invalid: list[tuple[int, int]]

    def told(self) -> dict[str, Any]:
        each = self.tallies.values()
        return {
            "field_accuracy": share(sum(one.right for one in each), sum(one.known for one in each)),
            "exact_match": share(sum(self.exact), len(self.exact)),
            "by_field": {key: tally.told() for key, tally in sorted(self.tallies.items())},
        }


def _scored(runs: Evaluations, ways: _Ways) -> _Scored:
    tallies: dict[str, _Tally] = {}
    exact: list[bool] = []
    invalid: list[tuple[int, int]] = []
    for run, (gold_calls, trace_calls) in enumerate(runs):
        gold, trace = checked(gold_calls), checked(trace_calls)
        pairs = paired_by_tool(gold, trace, ways.wanted).pairs.items()
        refused = {number for number, call in enumerate(trace) if ways.refuse(call)}
        invalid += [(run, number) for number in sorted(refused)]
        for expected, made in (pair for pair in pairs if pair[1] not in refused):
            one, told = ways.wanted(gold[expected]), given(trace[made])
            for name, worth in one.worths(told).items():
                key = f"{trace[made].tool}.{name}"
                tallies[key] = tallies.get(key, _Tally()).counted(worth)
            is_exact = one.compared(told).is_exact
            exact += [] if is_exact is None or one.fields is None else [is_exact]
    return _Scored(tallies, exact, invalid)


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
