"""The scores of a run of which everything was observed (docs/pages/clauses/scores.md), by trying everything."""

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from typing import Any

from toolscore_otel.model import CallKind, Stage, Status, ToolCall

Scores = dict[str, float | None]


def scores(
    expected: Sequence[dict[str, Any]], calls: Sequence[ToolCall], mutating: str
) -> list[Scores]:
    """All scores but `required_recall`, for each of the pairings of which none is better than another.

    Args:
        expected: each with `tool`, and it may have `args` (one field, or none at all) and `status`.
        calls: in order, none beside another.
        mutating: name of the tool that changes something.
    """
    made = [c for c in calls if c.stage is Stage.EXECUTED and c.kind is CallKind.TOOL]
    pairings = list(_pairings(expected, made))
    best = max(_worth(pairs, expected, made) for pairs in pairings)
    return [
        _scores(pairs, expected, made, mutating)
        for pairs in pairings
        if _worth(pairs, expected, made) == best
    ]


def _scores(
    pairs: list[tuple[int, int]],
    expected: Sequence[dict[str, Any]],
    made: Sequence[ToolCall],
    mutating: str,
) -> Scores:
    surplus = [c for n, c in enumerate(made) if n not in {at for _, at in pairs}]
    fits = [[_fits(entry, call) for call in made] for entry in expected]
    return {
        "selection_precision": _over(len(pairs), made, expected, len(made)),
        "selection_recall": _over(len(pairs), made, expected, len(expected)),
        "selection_f1": _over(2 * len(pairs), made, expected, len(made) + len(expected)),
        **_arguments(pairs, expected, made),
        "edit_distance": _over(
            _distance(fits, len(made)), made, expected, max(len(made), len(expected))
        ),
        "order": _common(fits, len(made)) / len(expected) if expected else None,
        "redundant_rate": _redundant(made),
        "error_rate": sum(c.status is Status.ERROR for c in made) / len(made) if made else None,
        "hard_fail": float(any(c.tool == mutating for c in surplus)),
    }


def _fits(entry: dict[str, Any], call: ToolCall) -> bool:
    return entry["tool"] == call.tool and entry.get("status", call.status) == call.status


def _pairings(
    expected: Sequence[dict[str, Any]], made: Sequence[ToolCall]
) -> Iterator[list[tuple[int, int]]]:
    for size in range(min(len(expected), len(made)) + 1):
        for entries in combinations(range(len(expected)), size):
            for chosen in permutations(range(len(made)), size):
                pairs = list(zip(entries, chosen, strict=True))
                if all(_fits(expected[e], made[c]) for e, c in pairs):
                    yield pairs


def _worth(
    pairs: list[tuple[int, int]], expected: Sequence[dict[str, Any]], made: Sequence[ToolCall]
) -> tuple[int, int, int]:
    right, given, _ = _fields(pairs, expected, made)
    return len(pairs), right, -given


def _fields(
    pairs: list[tuple[int, int]], expected: Sequence[dict[str, Any]], made: Sequence[ToolCall]
) -> tuple[int, int, int]:
    """Right fields, fields given, fields asked for."""
    asked = [(expected[e]["args"], dict(made[c].args or {})) for e, c in pairs if "args" in expected[e]]  # fmt: skip
    right = sum(args.get(k) == v for want, args in asked for k, v in want.items())
    return right, sum(len(args) for _, args in asked), sum(len(want) for want, _ in asked)


def _arguments(
    pairs: list[tuple[int, int]], expected: Sequence[dict[str, Any]], made: Sequence[ToolCall]
) -> Scores:
    right, given, asked = _fields(pairs, expected, made)
    exact = [expected[e]["args"] == dict(made[c].args or {}) for e, c in pairs if "args" in expected[e]]  # fmt: skip
    return {
        "argument_f1": 2 * right / (given + asked) if given + asked else None,
        "argument_exact": sum(exact) / len(exact) if exact else None,
    }


def _over(part: float, made: Sequence[Any], expected: Sequence[Any], whole: int) -> float | None:
    if not made and not expected:
        return None
    return part / whole if whole else 0.0


def _distance(fits: list[list[bool]], made: int) -> int:
    rows = [list(range(made + 1))]
    for row, of in enumerate(fits, 1):
        above = rows[-1]
        here = [row]
        for at, fit in enumerate(of):
            here.append(min(above[at] + (not fit), above[at + 1] + 1, here[-1] + 1))
        rows.append(here)
    return rows[-1][-1]


def _common(fits: list[list[bool]], made: int) -> int:
    above = [0] * (made + 1)
    for of in fits:
        here = [0]
        for at, fit in enumerate(of):
            here.append(above[at] + 1 if fit else max(above[at + 1], here[-1]))
        above = here
    return above[-1]


def _redundant(made: Sequence[ToolCall]) -> float | None:
    seen = [(c.tool, dict(c.args or {})) for c in made]
    return sum(one in seen[:at] for at, one in enumerate(seen)) / len(made) if made else None
