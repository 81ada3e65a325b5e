"""Whether calls had the effects that were expected of them, by checks that are passed in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toolscore_otel.errors import clip
from toolscore_otel.matchers.value import is_object
from toolscore_otel.metrics.given_calls import checked
from toolscore_otel.metrics.pairing import paired_by_tool
from toolscore_otel.metrics.ratios import share
from toolscore_otel.metrics.safety import redact_secrets
from toolscore_otel.model import Json, Status, ToolCall

Validator = Callable[[ToolCall, Json], bool | None]
"""Given the call that was made and the value that is expected: whether the effect is there; None where that cannot be told."""

SIDE_EFFECTS = "side_effects"
"""Attribute of an expected call: name of a check -> what it expects."""


def calculate_side_effect_success_rate(
    gold_calls: Sequence[ToolCall],
    trace_calls: Sequence[ToolCall],
    validators: Mapping[str, Validator] | None = None,
) -> dict[str, Any]:
    """How many of the expected effects are there.

    Args:
        gold_calls: expected calls; `attributes["side_effects"]` names checks and what each expects.
        trace_calls: calls as they were made; each expected one is paired by tool and arguments.
        validators: by name. `toolscore_otel.validators` has `http_ok`, `file_exists` and `sql_rows`.

    Returns:
        `total_checks`, `passed_checks`, `success_rate` (None where nothing was checked), `details`: for each check `tool`, `check`,
        `passed` (None where it could not be told) and `reason`. A check without its call, of a call that failed, or whose validator
        raises fails; one that nobody passed in cannot be told. What cannot be told stands in no share.
    """
    gold_calls, trace_calls = checked(gold_calls), checked(trace_calls)
    paired = paired_by_tool(gold_calls, trace_calls)
    details: list[dict[str, Any]] = []
    for number, expected in enumerate(gold_calls):
        call = trace_calls[paired.pairs[number]] if number in paired.pairs else None
        for check, value in _effects(expected).items():
            passed, reason = _checked(call, value, (validators or {}).get(check))
            details.append(
                {"tool": expected.tool, "check": check, "passed": passed, "reason": reason}
            )
    known = sum(one["passed"] is not None for one in details)
    passed_checks = sum(one["passed"] is True for one in details)
    return {
        "total_checks": len(details),
        "passed_checks": passed_checks,
        "success_rate": share(passed_checks, known),
        "details": details,
    }


def _effects(call: ToolCall) -> Mapping[str, Json]:
    named = call.attributes.get(SIDE_EFFECTS)
    return named if is_object(named) else {}


def _checked(
    call: ToolCall | None, value: Json, validator: Validator | None
) -> tuple[bool | None, str]:
    if call is None:
        return False, "the call was not made"
    if validator is None:
        return None, "no validator of this name was passed in"
    if call.status is Status.ERROR:
        return False, "the call failed"
    try:
        answer = validator(call, value)
        passed = None if answer is None else bool(answer)
    except Exception as error:  # noqa: BLE001 - whatever somebody else's check raises is its answer
        return False, redact_secrets(clip(_told(error)))
    if passed is None:
        return None, "what would tell was not observed"
    return passed, "the effect is there" if passed else "the effect is not there"


def _told(error: Exception) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 - it cannot even say what it is
        return type(error).__name__
