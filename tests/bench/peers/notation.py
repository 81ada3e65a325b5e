"""Cases of scores as JSON, so that two packages which share the names of functions and matchers can be asked the same.

A case names a function, `of`, and what it is `given`: under `gold` and `trace` calls, under `check` what the check of a side
effect says to each expected value, else what stands there. `{"$matcher": [NAME, ARGUMENTS...]}` is a matcher.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_TYPES = {"int": int, "str": str, "bool": bool, "float": float, "list": list, "dict": dict}


def read(value: Any, matchers: Any) -> Any:
    """A value with the matchers of a package in place."""
    if isinstance(value, list):
        return [read(item, matchers) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() != {"$matcher"}:
        return {key: read(item, matchers) for key, item in value.items()}
    name, *arguments = (read(item, matchers) for item in value["$matcher"])
    if name == "IsType":
        arguments = [_TYPES[one] for one in arguments]
    found = getattr(matchers, name)
    return found(*arguments) if callable(found) else found


def answered(
    case: dict[str, Any], metrics: Any, matchers: Any, call_of: Callable[[dict[str, Any]], Any]
) -> Any:
    """What a package says to a case; where it raises, the name of the error."""
    given = dict(case["given"])
    for side in {"gold", "trace"} & given.keys():
        calls = read(given.pop(side), matchers)
        given[f"{side}_calls"] = [call_of(call) for call in calls]
    if "check" in given:
        holds = given.pop("check")
        given["validators"] = {"check": lambda _, expected: expected in holds}
    try:
        if "json_rules" in given:
            given["rules"] = metrics.rules_from_json(given.pop("json_rules"))
        return getattr(metrics, case["of"])(**given)
    except Exception as error:  # noqa: BLE001 - that is what it says
        return {"raised": type(error).__name__}
