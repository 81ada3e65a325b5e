"""What calls of several traces under one id make of each other (contract language, section 1).

What ran as a span (or a log record) is a call of its own, and messages of other traces tell of it: the request of a trace
that left the running to another, or a history that a later trace repeats. Where no span tells of it, the first trace
that does has it. Two spans are two calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct, structs

from toolscore_otel.assembly.facts import Facts
from toolscore_otel.assembly.turns import OF_TURNS
from toolscore_otel.model import ContentState, Gap, Stage, Status, ToolCall

Name = tuple[str, str]
"""Trace id, and key of a call in its trace."""

MayBeOne = Callable[[Name, Name], bool]
"""Whether two calls can be one, by what ties their traces."""


class Fate(Struct, frozen=True):
    """What becomes of a call.

    Attributes:
        told: as its own trace tells of it.
        left: as all traces together do; None: it belongs to another trace.
        now: the call of another trace that it turned out to be.
        gives: whether that one took something from it.
    """

    told: ToolCall
    left: ToolCall | None
    now: ToolCall | None = None
    gives: bool = False


_NEVER = 1 << 63
_RAN_ELSEWHERE = Gap.RAN_ELSEWHERE


def retold(calls: Mapping[Name, ToolCall], may_be_one: MayBeOne) -> dict[Name, Fate]:
    """Each call as it is known by all traces together.

    Args:
        calls: of several traces, under one id.
        may_be_one: asked of two of them.

    Returns:
        What becomes of each; the request of one that ran in another trace later is left with the gap `ran_elsewhere`.
    """
    found: dict[Name, Fate] = {}
    owners: dict[Name, Fate] = {}
    for name in sorted(calls, key=lambda name: _precedence(name, calls[name])):
        call = calls[name]
        owner = None if _has_run(call) else _owner(name, call, owners, may_be_one)
        if owner is None:
            owners[name] = Fate(call, call)
            continue
        whole = owners[owner].left or call
        filled = _filled(whole, call)
        owners[owner] = structs.replace(owners[owner], left=filled)
        now = owners[owner].told
        found[name] = Fate(call, _left(call, now), now, gives=filled is not whole)
    return {**found, **owners}


def joins(
    name: Name, call: ToolCall, owners: Mapping[Name, Fate], may_be_one: MayBeOne
) -> Fate | None:
    """What becomes of one more call, where that is nothing to all others: it tells one of them again. Else None.

    Args:
        name: of the call.
        call: one more under an id.
        owners: the calls under this id that stand, as `retold` found them.
        may_be_one: as there.
    """
    if _has_run(call):
        return None
    place = _precedence(name, call)
    if any(place < _precedence(other, fate.told) for other, fate in owners.items()):
        return None
    owner = _owner(name, call, owners, may_be_one)
    if owner is None:
        return None
    now, whole = owners[owner].told, owners[owner].left or call
    return None if _filled(whole, call) is not whole else Fate(call, _left(call, now), now)


def is_elsewhere(call: ToolCall) -> bool:
    """Whether it was only asked for here, and ran in another trace."""
    return _RAN_ELSEWHERE in call.gaps


def _precedence(name: Name, call: ToolCall) -> tuple[bool, int, Name]:
    """What ran goes first, then what came first."""
    return (not _has_run(call), _NEVER if call.start_ns is None else call.start_ns, name)


def _has_run(call: ToolCall) -> bool:
    told = any(source.what in ("span", "log") for source in call.sources)
    return told and call.stage is Stage.EXECUTED


def _owner(
    name: Name, call: ToolCall, owners: Mapping[Name, Fate], may_be_one: MayBeOne
) -> Name | None:
    """The first of those that stand of which a call tells again."""
    return next(
        (
            owner
            for owner, fate in owners.items()
            if owner[0] != name[0] and may_be_one(owner, name) and _agree(fate.told, call)
        ),
        None,
    )


def _agree(one: ToolCall, other: ToolCall) -> bool:
    """Whether nothing that both know differs."""
    return Facts.of_call(one).agree(Facts.of_call(other))


def _left(call: ToolCall, owner: ToolCall) -> ToolCall | None:
    """What is left of a call where it does not belong: its request, where that came before the call began."""
    asked = call.stage is Stage.REQUESTED or any(s.what == "request" for s in call.sources)
    times = (call.start_ns, owner.start_ns)
    if not asked or (None not in times and (call.start_ns or 0) > (owner.start_ns or 0)):
        return None
    gaps = tuple(sorted({*call.gaps, Gap.RAN_ELSEWHERE}))
    return structs.replace(call, stage=Stage.REQUESTED, status=Status.UNKNOWN, gaps=gaps)


def _filled(call: ToolCall, teller: ToolCall) -> ToolCall:
    """A call with what another one knows better; the same object where that is nothing."""
    changes: dict[str, object] = {}
    gaps = call.gaps
    if call.args_state is ContentState.NOT_OBSERVED is not teller.args_state:
        changes |= {
            "args": teller.args,
            "args_text": teller.args_text,
            "args_state": teller.args_state,
        }
        gaps = _without(gaps, Gap.ARGS_NOT_OBSERVED)
    if call.result_state is ContentState.NOT_OBSERVED is not teller.result_state:
        changes |= {
            "result": teller.result,
            "result_text": teller.result_text,
            "result_state": teller.result_state,
        }
        gaps = _without(gaps, Gap.RESULT_NOT_OBSERVED)
    if call.stage is Stage.REQUESTED and teller.stage is Stage.EXECUTED:
        changes |= {"stage": Stage.EXECUTED, "end_ns": None}
    if call.status is Status.UNKNOWN is not teller.status:
        changes |= {"status": teller.status, "error_message": teller.error_message}
    if call.turn_id is None is not teller.turn_id:
        changes |= {name: getattr(teller, name) for name in OF_TURNS}
    if not changes:
        return call
    sources = tuple(dict.fromkeys((*call.sources, *teller.sources)))
    return structs.replace(call, **changes, sources=sources, gaps=gaps)


def _without(gaps: tuple[Gap, ...], gap: Gap) -> tuple[Gap, ...]:
    return tuple(other for other in gaps if other is not gap)
