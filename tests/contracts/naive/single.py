"""Rules that one call decides (forbid, allow_only, budget and arguments of docs/pages/clauses)."""

from typing import Any

import jsonschema_rs

from tests.contracts.naive.logic import Answer, both, no, some
from tests.contracts.naive.said import Said
from tests.contracts.naive.selecting import Seen, matches, selector_of
from tests.contracts.naive.tracks import Track
from tests.contracts.naive.values import UNKNOWN, Cut
from toolscore_otel.model import ContentState


def _said(answers: list[tuple[str, Answer]]) -> Said:
    fails = frozenset(subject for subject, answer in answers if answer)
    return Said(fails, any(answer is None for _, answer in answers))


def forbid(track: Track, item: Any) -> Said:
    return _said([(s.subject, track.asks(item, s, "any")) for s in track.calls])


def allow_only(track: Track, item: dict[str, Any]) -> Said:
    answers = []
    for seen in track.calls:
        if str(seen.call.kind) != "tool":
            continue
        allowed = [
            matches(selector_of(each), seen, stage="any", strict_name=True)
            for each in item["tools"]
        ]
        excused = track.excuses(item["unless"], seen) if "unless" in item else False
        answers.append((seen.subject, both((no(some(allowed)), no(excused)))))
    return _said(answers)


def call_budget(track: Track, item: dict[str, Any]) -> Said:
    """`of: call`. Here `latency_ms` and `cost_usd` are limits and select nothing."""
    selecting = {key: value for key, value in item.items() if key not in ("latency_ms", "cost_usd")}
    answers = []
    for seen in track.calls:
        ours = track.asks(selecting, seen, "executed")
        timeout = item.get("latency_ms", seen.entries[0].get("timeout_ms"))
        for limit, value in ((timeout, seen.duration_ms), (item.get("cost_usd"), seen.cost)):
            if limit is not None:
                over = None if value is None else value > limit
                answers.append((seen.subject, both((ours, over))))
    return _said(answers)


def arguments(track: Track, item: dict[str, Any]) -> Said:
    answers = []
    for seen in track.calls:
        chosen = [matches(selector_of(each), seen, stage="any") for each in item.get("tools", [])]
        ours = some(chosen) if "tools" in item else str(seen.call.kind) == "tool"
        excused = track.excuses(item["unless"], seen) if "unless" in item else False
        schema = seen.entries[0].get("parameters")
        if schema is not None:
            answers.append((seen.subject, both((ours, no(excused), _wrong(schema, item, seen)))))
    return _said(answers)


def _wrong(schema: dict[str, Any], item: dict[str, Any], seen: Seen) -> Answer:
    if seen.call.args_state is ContentState.UNPARSABLE:
        return True
    if seen.args is UNKNOWN or isinstance(seen.args, Cut):
        return None
    if not jsonschema_rs.is_valid(schema, seen.args):
        return True
    flagged = item.get("unknown") == "flag"
    return flagged and bool(seen.args.keys() - schema.get("properties", {}).keys())


__all__ = ["allow_only", "arguments", "call_budget", "forbid"]
