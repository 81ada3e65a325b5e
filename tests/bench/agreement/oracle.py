"""What each score should be, as slow and as plain as it can be written: every pairing is tried, every way is gone.

It is written from what the scores are said to mean, and knows neither of the two packages that are held against it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations
from typing import Any

TYPES = {"int": int, "str": str, "bool": bool, "float": float, "list": list, "dict": dict}


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def matcher_in(value: Any) -> list[Any] | None:
    return value["$matcher"] if isinstance(value, dict) and value.keys() == {"$matcher"} else None


def same(expected: Any, actual: Any, *, strict: bool = False, strip: bool = True) -> bool:
    if (matcher := matcher_in(expected)) is not None:
        return takes(matcher, actual)
    alike: bool = expected == actual
    if is_number(expected) and is_number(actual):
        return alike and (not strict or type(expected) is type(actual))
    if type(expected) is not type(actual):
        return False
    if isinstance(expected, str):
        return alike or (strip and not strict and expected.strip() == actual.strip())
    if isinstance(expected, list):
        return len(expected) == len(actual) and all(
            same(one, other, strict=strict, strip=strip)
            for one, other in zip(expected, actual, strict=True)
        )
    if isinstance(expected, dict):
        return expected.keys() == actual.keys() and all(
            same(expected[key], actual[key], strict=strict, strip=strip) for key in expected
        )
    return alike


def takes(matcher: list[Any], actual: Any) -> bool:
    """The matchers, as their page describes them; inside them values are equal as they stand."""
    name, *given = matcher
    if name == "Regex":
        return isinstance(actual, str) and re.fullmatch(given[0], actual, *given[1:]) is not None
    if name == "Approx":
        value, rel, near = map(Fraction, (*given, 1e-6, 0.0)[:3] if len(given) == 1 else given)
        return is_number(actual) and abs(Fraction(actual) - value) <= max(rel * abs(value), near)
    if name == "Contains":
        if isinstance(actual, str):
            return isinstance(given[0], str) and given[0] in actual
        searched = (list, dict) if matcher_in(given[0]) is None else list  # keys are looked up
        return isinstance(actual, searched) and any(
            same(given[0], one, strip=False) for one in actual
        )
    if name == "OneOf":
        return any(same(one, actual, strip=False) for one in given)
    if name == "IsType":
        wanted = {TYPES[one] for one in given}
        return type(actual) in wanted
    return True


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    else:
        yield path, value


def credit(expected: Any, actual: Any, *, strict: bool) -> float:
    """A literal object counts by the share of its fields, anything else is right or wrong."""
    if matcher_in(expected) is not None:
        return float(same(expected, actual))
    one, other = dict(leaves(expected)), dict(leaves(actual))
    common = sum(path in other and same(one[path], other[path], strict=strict) for path in one)
    return 2 * common / (len(one) + len(other))


def args_of(call: dict[str, Any]) -> dict[str, Any]:
    args: Any = call.get("args")
    decoded: dict[str, Any] = json.loads(args) if isinstance(args, str) else args
    return decoded


def compared(gold: dict[str, Any], call: dict[str, Any], *, strict: bool) -> tuple[float, int, int]:
    """What is right, expected and given."""
    if gold["args"] is None:
        return 0.0, 0, 0
    made = args_of(call)
    right = sum(
        credit(one, made[name], strict=strict) for name, one in gold["args"].items() if name in made
    )
    return right, len(gold["args"]), len(made)


def pairings(gold: list[Any], trace: list[Any]) -> Iterator[dict[int, int]]:
    """All ways to give as many as possible a partner of their own tool."""
    found: list[dict[int, int]] = [{}]
    for tool in {call["tool"] for call in gold}:
        rows = [n for n, call in enumerate(gold) if call["tool"] == tool]
        columns = [n for n, call in enumerate(trace) if call["tool"] == tool]
        if len(rows) <= len(columns):
            ways = [dict(zip(rows, way, strict=True)) for way in permutations(columns, len(rows))]
        else:
            ways = [
                dict(zip(way, columns, strict=True)) for way in permutations(rows, len(columns))
            ]
        found = [one | way for one in found for way in ways]
    yield from found


def best_pairings(
    gold: list[Any], trace: list[Any], *, strict: bool = False
) -> list[dict[int, int]]:
    def worth(pairs: dict[int, int]) -> tuple[float, int, int]:
        """First what is right, then what was given besides, then who is left over that lists no arguments."""
        told = [compared(gold[one], trace[other], strict=strict) for one, other in pairs.items()]
        left = [call for number, call in enumerate(gold) if number not in pairs]
        bare = sum(not call["args"] for call in left)
        return round(sum(right for right, _, _ in told), 9), -sum(n for _, _, n in told), -bare

    ways = list(pairings(gold, trace))
    best = max(map(worth, ways))
    return [pairs for pairs in ways if worth(pairs) == best]


def shares(right: float, given: float, expected: float) -> dict[str, float]:
    precision, recall = right / given if given else 0.0, right / expected if expected else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return {"precision": precision, "recall": recall, "f1": f1}


def calculate_argument_f1(gold: list[Any], trace: list[Any], *, strict: bool) -> Any:
    if not gold or not trace:
        return dict.fromkeys(("precision", "recall", "f1"), float(not gold and not trace))
    pairs = best_pairings(gold, trace, strict=strict)[0]
    told = [compared(gold[one], trace[other], strict=strict) for one, other in pairs.items()]
    right, expected, given = map(sum, zip((0, 0, 0), *told, strict=True))
    missing = [call["args"] or {} for number, call in enumerate(gold) if number not in pairs]
    if not expected and not given and not any(missing):
        matched = sum(one == (0, 0, 0) for one in told)
        return shares(matched, matched, matched + len(missing))
    return shares(right, given, expected + sum(map(len, missing)))


def names(calls: list[Any]) -> list[str]:
    return [call["tool"] for call in calls]


def calculate_invocation_accuracy(gold: list[Any], trace: list[Any]) -> float:
    one, other = set(names(gold)), set(names(trace))
    if not one or not other:
        return float(one == other)
    return min(
        1.0, max(0.0, (len(one & other) - 0.5 * (len(other - one) + len(one - other))) / len(one))
    )


def calculate_selection_accuracy(gold: list[Any], trace: list[Any]) -> float:
    if not trace or not gold:
        return float(not trace and not gold)
    return sum(tool in names(gold) for tool in names(trace)) / len(trace)


def calculate_edit_distance(gold: list[Any], trace: list[Any]) -> dict[str, float]:
    one, other = names(gold), names(trace)
    row = list(range(len(other) + 1))
    for number, tool in enumerate(one, 1):
        before, row = row, [number]
        for place, called in enumerate(other, 1):
            row.append(min(before[place] + 1, row[-1] + 1, before[place - 1] + (tool != called)))
    normalized = row[-1] / max(len(one), len(other), 1)
    return {
        "edit_distance": float(row[-1]),
        "normalized_distance": normalized,
        "sequence_accuracy": 1 - normalized,
    }


def calculate_required_call_recall(gold: list[Any], trace: list[Any]) -> float | None:
    done = Counter(call["tool"] for call in trace if not call["failed"])
    return sum((Counter(names(gold)) & done).values()) / len(gold) if gold else None


def calculate_redundant_call_rate(gold: list[Any], trace: list[Any]) -> dict[str, float | None]:
    extra = sum((Counter(names(trace)) - Counter(names(gold))).values())
    identical = retries = 0
    for number, call in enumerate(trace):
        equal = [
            one
            for one in trace[:number]
            if one["tool"] == call["tool"] and same(one["args"], call["args"], strip=False)
        ]
        identical += bool(equal)
        retries += bool(equal and equal[-1]["failed"])
    errors, total = sum(call["failed"] for call in trace), len(trace)
    return {
        "redundant_count": extra,
        "total_calls": total,
        "redundant_rate": extra / total if total else None,
        "identical_count": identical,
        "identical_rate": identical / total if total else None,
        "error_count": errors,
        "error_rate": errors / total if total else None,
        "retry_after_error_count": retries,
    }


def calculate_side_effect_success_rate(
    gold: list[Any], trace: list[Any], check: list[Any] | None = None
) -> Any:
    """Ellipsis where pairings that are as good as each other come to different rates."""

    def is_there(name: str, value: Any, call: dict[str, Any] | None) -> bool | None:
        if call is None:
            return False
        if name != "check" or check is None:
            return None
        return not call["failed"] and value in check

    rates = {
        tuple(
            is_there(name, value, trace[pairs[number]] if number in pairs else None)
            for number, call in enumerate(gold)
            for name, value in call["effects"].items()
        )
        for pairs in best_pairings(gold, trace)
    }
    told, *others = rates
    if others:
        return ...
    known = [one for one in told if one is not None]
    return {
        "total_checks": len(told),
        "passed_checks": sum(known),
        "success_rate": sum(known) / len(known) if known else None,
    }


def calculate_latency(trace: list[Any]) -> dict[str, float | None]:
    known = [call["seconds"] for call in trace if call["seconds"] is not None]
    if not known:
        return dict.fromkeys(f"{one}_duration" for one in ("total", "average", "max", "min"))
    total = sum(known)
    return {
        "total_duration": total,
        "average_duration": total / len(known),
        "max_duration": max(known),
        "min_duration": min(known),
    }


def calculate_cost_attribution(trace: list[Any]) -> dict[str, Any]:
    by_tool: dict[str, Fraction] = {}
    known = [(call["tool"], Fraction(call["cost"])) for call in trace if call["cost"] is not None]
    for tool, cost in known:
        by_tool[tool] = by_tool.get(tool, Fraction()) + cost
    total = sum(by_tool.values())
    return {
        "total_cost": float(total) if known else None,
        "average_cost": float(total / len(known)) if known else None,
        "cost_by_tool": {tool: float(cost) for tool, cost in by_tool.items()},
    }


def find_secrets(trace: list[Any]) -> dict[str, Any]:
    """Those that were hidden: by their lengths, which nothing else here has."""
    found = [
        {"index": index, "tool": call["tool"], "path": path}
        for index, call in enumerate(trace)
        for path, text in paths(call["args"])
        if len(text) >= 20 and not text.startswith("task")
    ]
    return {"secret_count": len(found), "secrets": found}


def paths(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from paths(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from paths(item, f"{path}[{number}]")


def check_forbidden_calls(trace: list[Any], json_rules: list[Any]) -> dict[str, Any]:
    violations = [
        {"index": index, "tool": call["tool"], "rule": number, "reason": rule.get("reason")}
        for index, call in enumerate(trace)
        for number, rule in [next(broken(call, json_rules), (None, None))]
        if rule is not None
    ]
    return {
        "violation_count": len(violations),
        "rule_count": len(json_rules),
        "violations": violations,
    }


def broken(call: dict[str, Any], rules: list[Any]) -> Iterator[tuple[int, Any]]:
    args = args_of(call)
    for number, rule in enumerate(rules):
        if rule["tool"] == call["tool"] and all(
            name in args and holds(wish, args[name])
            for name, wish in (rule.get("args") or {}).items()
        ):
            yield number, rule


def holds(wish: Any, value: Any) -> bool:
    """Operators look through a value: at each text in it, and at all of them in a row."""
    operator = next(iter(wish), "") if isinstance(wish, dict) else ""
    if operator == "$regex":
        return any(re.search(wish[operator], text, re.MULTILINE) for text in searched(value))
    if operator == "$contains":
        item = wish[operator]
        return (isinstance(value, (list, dict)) and any(same(item, one) for one in value)) or (
            isinstance(item, str) and any(item in text for text in texts(value, str))
        )
    if operator == "$one_of":
        return any(same(item, value) for item in wish[operator])
    return same(wish, value)


def searched(value: Any) -> list[str]:
    """Keys, too; what is empty is an empty text, or an empty object."""
    found = [*texts(value), *keys(value)]
    return found or ([""] if isinstance(value, list) else ["{}"] if value == {} else [])


def keys(value: Any) -> Iterator[str]:
    if isinstance(value, (list, dict)):
        yield from value if isinstance(value, dict) else ()
        for item in value.values() if isinstance(value, dict) else value:
            yield from keys(item)


def texts(value: Any, sort: type = object) -> list[str]:
    told = [
        one if isinstance(one, str) else json.dumps(one)
        for one in scalars(value)
        if one is not None and isinstance(one, sort)
    ]
    return [*told, " ".join(told)] if len(told) > 1 else told


def scalars(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from scalars(item)
    else:
        yield value
