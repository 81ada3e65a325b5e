"""What calls of several traces under one id make of each other (docs/pages/reading.md).

What ran as a span (or a log record) is a call of its own, and messages of other traces tell of it: the request of a trace
that left the running to another, or a history that a later trace repeats. Where no span tells of it, the first trace
that does has it. Two spans are two calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct, structs

from toolscore_otel.assembly.facts import Facts
from toolscore_otel.assembly.turns import OF_TURNS
from toolscore_otel.model import NEVER, ContentState, Gap, Stage, Status, ToolCall

Name = tuple[str, str]
"""Trace id, and key of a call in its trace."""

Precedence = tuple[bool, int, Name]

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


_OF_RESULT = {Gap.RESULT_NOT_OBSERVED, Gap.RESULT_TRUNCATED}
_OUTCOME = ("status", "error_type", "error_message")
_GAPS_OF = {
    "args": {Gap.ARGS_NOT_OBSERVED, Gap.ARGS_TRUNCATED, Gap.ARGS_UNPARSABLE},
    "result": _OF_RESULT,
    "status": {Gap.STATUS_NOT_OBSERVED},
    "stage": {Gap.TIMES_NOT_OBSERVED, Gap.STATUS_NOT_OBSERVED, *_OF_RESULT},
}
"""What may be lacking of a part of a call: whoever tells of that part says whether it is."""

_RAN_ELSEWHERE, _MAY_HAVE_WAITED = Gap.RAN_ELSEWHERE, Gap.MAY_HAVE_WAITED


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
    for name in sorted(calls, key=lambda name: precedence(name, calls[name])):
        call = calls[name]
        owner = None if has_run(call) else _owner(name, call, owners, may_be_one)
        if owner is None:
            owners[name] = Fate(call, call)
            continue
        whole = owners[owner].left or call
        fuller = filled(whole, call)
        owners[owner] = structs.replace(owners[owner], left=fuller)
        now = owners[owner].told
        found[name] = Fate(call, _left(call, now), now, gives=fuller is not whole)
    return {**found, **owners}


def joins(
    name: Name, call: ToolCall, owners: Mapping[Name, Fate], may_be_one: MayBeOne
) -> Fate | None:
    """What becomes of one more call, where that is nothing to all others: it tells one of them again. Else None.

    Args:
        name: of the call.
        call: one more under an id, after all of which others took something (`precedence`).
        owners: the calls under this id that stand, as `retold` found them.
        may_be_one: as there.
    """
    if has_run(call):
        return None
    owner = _owner(name, call, owners, may_be_one)
    if owner is None:
        return None
    now, whole = owners[owner].told, owners[owner].left or call
    return None if filled(whole, call) is not whole else Fate(call, _left(call, now), now)


def is_elsewhere(call: ToolCall) -> bool:
    """Whether it was only asked for here, and ran in another trace."""
    return _RAN_ELSEWHERE in call.gaps


def precedence(name: Name, call: ToolCall) -> Precedence:
    """In which order calls under one id are looked at: what ran goes first, then what came first."""
    return (not has_run(call), _start(call), name)


def has_run(call: ToolCall) -> bool:
    """Whether a span, or a log record, tells that it ran, and did not only wait."""
    return _is_made(call) and call.stage is Stage.EXECUTED and _MAY_HAVE_WAITED not in call.gaps


def _is_made(call: ToolCall) -> bool:
    """Whether a span, or a log record, tells of it, and not only messages."""
    return any(source.what in ("span", "log") for source in call.sources)


def _owner(
    name: Name, call: ToolCall, owners: Mapping[Name, Fate], may_be_one: MayBeOne
) -> Name | None:
    """The one of those that stand of which a call tells again."""
    found = [
        owner
        for owner, fate in owners.items()
        if owner[0] != name[0] and may_be_one(owner, name) and agree(fate.told, call)
    ]
    return _nearest(call, found, owners) if found else None


def _nearest(call: ToolCall, found: Sequence[Name], owners: Mapping[Name, Fate]) -> Name:
    """What was asked for is the first that began then, and an answer is that of the last that had; else the first of all."""
    ordered = sorted(found, key=lambda name: precedence(name, owners[name].told))
    time, sign = _start(call), 1 if asks(call) else -1
    apart = {name: sign * (_start(owners[name].told) - time) for name in ordered}
    near = [name for name in ordered if apart[name] >= 0]
    return min(near, key=apart.__getitem__, default=ordered[0])


def _start(call: ToolCall) -> int:
    return NEVER if call.start_ns is None else call.start_ns


def asks(call: ToolCall) -> bool:
    """Whether a model is seen to ask for it; one that hears the answer as well only repeats what was asked."""
    answered = {source.span_id for source in call.sources if source.what == "response"} - {None}
    asked = [source.span_id for source in call.sources if source.what == "request"]
    return any(call.turn_id or span_id not in answered for span_id in asked)


def agree(one: ToolCall, other: ToolCall) -> bool:
    """Whether nothing that both know differs."""
    return Facts.of_call(one).agree(Facts.of_call(other))


def _left(call: ToolCall, owner: ToolCall) -> ToolCall | None:
    """What is left of a call where it does not belong: its request, where that came before the call began."""
    asked = call.stage is Stage.REQUESTED or _MAY_HAVE_WAITED in call.gaps or asks(call)
    times = (call.start_ns, owner.start_ns)
    if not asked or (None not in times and (call.start_ns or 0) > (owner.start_ns or 0)):
        return None
    gaps = tuple(sorted({*call.gaps, Gap.RAN_ELSEWHERE} - {_MAY_HAVE_WAITED}))
    return structs.replace(call, stage=Stage.REQUESTED, status=Status.UNKNOWN, gaps=gaps)


def filled(call: ToolCall, teller: ToolCall) -> ToolCall:
    """A call with what another one knows better; the same object where that is nothing."""
    changes: dict[str, object] = {}
    news: set[Gap] = set()
    for part in ("args", "result"):
        if (
            getattr(call, f"{part}_state")
            is ContentState.NOT_OBSERVED
            is not getattr(teller, f"{part}_state")
        ):
            names = (part, f"{part}_text", f"{part}_state")
            changes |= {name: getattr(teller, name) for name in names}
            news |= _GAPS_OF[part]
    if _is_seen_to_run(call, teller):
        changes |= {"stage": Stage.EXECUTED, "end_ns": None}
        news |= _GAPS_OF["stage"]
    elif _is_turned_down(call, teller):
        changes |= {"stage": Stage.REQUESTED}
        news |= {_MAY_HAVE_WAITED, *_GAPS_OF["status"]}
    if call.status is Status.UNKNOWN is not teller.status:
        changes |= {name: getattr(teller, name) for name in _OUTCOME}
        news |= _GAPS_OF["status"]
    if call.turn_id is None is not teller.turn_id:
        changes |= {name: getattr(teller, name) for name in OF_TURNS}
    if not changes:
        return call
    sources = tuple(dict.fromkeys((*call.sources, *teller.sources)))
    gaps = tuple(sorted((set(call.gaps) - news) | (news & set(teller.gaps))))
    return structs.replace(call, **changes, sources=sources, gaps=gaps)


def _is_seen_to_run(call: ToolCall, teller: ToolCall) -> bool:
    """Whether a call that was asked for is told to have run: an answer does not tell that of one that its span says was turned down."""
    if call.stage is not Stage.REQUESTED or teller.stage is not Stage.EXECUTED:
        return False
    return _is_made(teller) or not (_is_made(call) or _MAY_HAVE_WAITED in call.gaps)


def _is_turned_down(call: ToolCall, teller: ToolCall) -> bool:
    """Whether one that may have waited is told to have been turned down: by its answer, or by a later span."""
    if _MAY_HAVE_WAITED not in call.gaps or teller.stage is not Stage.REQUESTED:
        return False
    return _is_made(teller) or any(source.what == "response" for source in teller.sources)
