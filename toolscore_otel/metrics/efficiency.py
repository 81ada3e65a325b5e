"""Calls that were not needed: more than expected, equal to an earlier one, failed, or repeated after failing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from toolscore_otel.matchers import Answer, before, digest
from toolscore_otel.metrics.arguments import arguments_of
from toolscore_otel.metrics.given_calls import checked
from toolscore_otel.metrics.ratios import share
from toolscore_otel.model import ContentState, Status, ToolCall


def calculate_redundant_call_rate(
    gold_calls: Sequence[ToolCall], trace_calls: Sequence[ToolCall]
) -> dict[str, float | None]:
    """How many calls were more than needed.

    Returns:
        `redundant_count`: calls of a tool beyond those expected. `identical_count`: calls equal (tool, arguments) to an
        earlier one, over calls with observed arguments. `error_count`: failed, over calls with a known status.
        `retry_after_error_count`: calls after the last equal one had failed. `total_calls`; the rates `redundant_rate`,
        `identical_rate`, `error_rate`, 0..1, each None where there is nothing to be a share of.
    """
    gold_calls, trace_calls = checked(gold_calls), checked(trace_calls)
    extra = Counter(call.tool for call in trace_calls) - Counter(call.tool for call in gold_calls)
    signatures = [signature(call) for call in trace_calls]
    known = [one for one in signatures if one is not None]
    identical = len(known) - len(set(known))
    statuses = Counter(call.status for call in trace_calls)
    errors = statuses[Status.ERROR]
    return {
        "redundant_count": extra.total(),
        "total_calls": len(trace_calls),
        "redundant_rate": share(extra.total(), len(trace_calls)),
        "identical_count": identical,
        "identical_rate": share(identical, len(known)),
        "error_count": errors,
        "error_rate": share(errors, errors + statuses[Status.OK]),
        "retry_after_error_count": _retries(trace_calls, signatures),
    }


def signature(call: ToolCall) -> Hashable | None:
    """The same for calls of one tool with equal arguments, as JSON is equal; None where they were not observed."""
    if call.args_state is not ContentState.OBSERVED:
        return None
    args = arguments_of(call)
    return call.tool, digest({} if args is None else args)


def _retries(calls: Sequence[ToolCall], signatures: Sequence[Hashable | None]) -> int:
    """Calls that repeat one that had failed before they began; side by side, each repeats one of its own.

    Where all begin at 0, which no clock tells, times say how long calls took and not when: they stand in their order.
    """
    retries = 0
    only_lasted = all(call.start_ns in (None, 0) for call in calls)
    failed: dict[Hashable, list[ToolCall]] = {}
    for call, one in zip(calls, signatures, strict=True):
        if one is None:
            continue
        earlier = failed.setdefault(one, [])
        repeated = next(
            (one for one in earlier if only_lasted or before(one, call) is not Answer.NO), None
        )
        if repeated is not None:
            retries += 1
            earlier.remove(repeated)
        if call.status is Status.ERROR:
            earlier.append(call)
        elif call.status is Status.OK:
            earlier.clear()
    return retries
