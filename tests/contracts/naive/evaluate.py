"""A contract, as plain data, held against calls: slowly, all at once, and by the letter of the language."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from tests.contracts.naive.counting import SCOPES, limit
from tests.contracts.naive.expecting import expect
from tests.contracts.naive.lacking import first_then, never_after, require, sequence
from tests.contracts.naive.looping import loop
from tests.contracts.naive.said import Said, together
from tests.contracts.naive.single import allow_only, arguments, call_budget, forbid
from tests.contracts.naive.spending import budget
from tests.contracts.naive.tracks import Track, seen_of, tracks_of
from toolscore_otel.model import ToolCall

LISTED = ("forbid", "require", "order", "limit", "budget", "expect")
"""Clauses that are lists of rules."""
LOOPS = ("same_call", "retry_after_error", "no_progress", "cycle")
BESIDE = ("window", "ignore", "only", "unless")


def evaluate(contract: dict[str, Any], calls: Sequence[ToolCall]) -> dict[tuple[str, str], Said]:
    """What must be found, by rule and place (a trace, or a conversation).

    Args:
        contract: as its YAML says it. Not read: `secrets`, `extends`, `override`, `waive`, and `when`, `min` and `max` of `expect`.
        calls: each with a call id or a span id of its own.
    """
    seen = seen_of(contract, calls)
    said: dict[tuple[str, str], list[Said]] = {}
    for rule, scope, judge in rules_of(contract):
        for track in tracks_of(scope, seen):
            if track.outside and judge.func in OF_TRAJECTORIES:
                continue
            said.setdefault((rule, track.place), []).append(judge(track))
    return {key: together(found) for key, found in said.items()}


def rules_of(contract: dict[str, Any]) -> Iterator[tuple[str, str, "partial[Said]"]]:
    """Each rule: its id, its scope, and what judges a trajectory."""
    default = contract.get("scope", "trace")
    for clause in LISTED:
        for number, item in enumerate(contract.get(clause, ()), 1):
            scope, test = _scope(clause, item, default), _test_of(clause, item)
            yield _id(item, f"{clause}.{number}"), scope, partial(test, item=item)
    for clause, test in (("allow_only", allow_only), ("arguments", arguments)):
        if clause in contract:
            item = (
                contract[clause]
                if isinstance(contract[clause], dict)
                else {"tools": contract[clause]}
            )
            yield _id(item, clause), item.get("scope", default), partial(test, item=item)
    for key, item in _loops(contract.get("loop", {})):
        scope = item.get("scope", "trace" if default == "session" else default)
        yield _id(item, f"loop.{key}"), scope, partial(loop, key=key, item=item)


def _loops(written: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    beside = {key: written[key] for key in BESIDE if key in written}
    for key in LOOPS:
        if key in written:
            inner = written[key] if isinstance(written[key], dict) else {"n": written[key]}
            ignore = [*beside.get("ignore", ()), *inner.get("ignore", ())]
            yield key, {**beside, **inner, "ignore": ignore}


def _id(item: Any, otherwise: str) -> str:
    return item.get("id", otherwise) if isinstance(item, dict) else otherwise


def _scope(clause: str, item: Any, default: str) -> str:
    if not isinstance(item, dict):
        return default
    if clause == "limit" and item.get("per") in SCOPES:
        return str(item["per"])
    if clause == "budget" and item["of"] in SCOPES:
        return str(item["of"])
    return str(item.get("scope", default))


def _budget_of_all(track: Track, item: dict[str, Any]) -> Said:
    return budget(track, item)


def _expect(track: Track, item: dict[str, Any]) -> Said:
    return together(expect(track, item).values())


def _test_of(clause: str, item: Any) -> Callable[..., Said]:
    if clause == "order":
        return sequence if "sequence" in item else first_then if "first" in item else never_after
    if clause == "budget":
        return {"call": call_budget, "tool": budget}.get(item["of"], _budget_of_all)
    return {"forbid": forbid, "require": require, "limit": limit, "expect": _expect}[clause]


OF_TRAJECTORIES = (require, sequence, _budget_of_all, _expect)
"""What looks at no call outside of the invocations, where a trace has some."""
