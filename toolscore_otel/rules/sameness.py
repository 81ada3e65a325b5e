"""What makes a call the same as another: for each key of `loop`, the entry of a call."""

from __future__ import annotations

from msgspec import UNSET, Struct

from toolscore_otel.matchers import JudgedCall, digest
from toolscore_otel.matchers.answer import NO, UNSURE, YES
from toolscore_otel.model import ContentState, Json, Stage, Status
from toolscore_otel.rules.repetition import ANY_MARK, Entry
from toolscore_otel.rules.wholly_seen import digest_of

POLLING = 3
"""A tool marked `polling` is expected to be called again: it needs this many times the number."""

_ACKNOWLEDGED = frozenset({"", "ok", "done", "success", "true", "accepted"})
_OBSERVED, _EXECUTED = ContentState.OBSERVED, Stage.EXECUTED
_FAILED = {Status.ERROR: YES, Status.OK: NO, Status.UNKNOWN: UNSURE}


class Looked(Struct, frozen=True):
    """One call that a rule looks at.

    Attributes:
        n: of the rule.
        is_there: False where it is unknown whether the rule looks at it.
    """

    call: JudgedCall
    n: int
    is_there: bool


def same_call(looked: Looked) -> Entry:
    """Equal where tool, arguments and result are; a result that was not observed is equal to all."""
    call = looked.call
    key, missing = _key(call)
    return Entry(
        call,
        tool=_tool(call),
        key=key,
        mark=_result(call) or ANY_MARK,
        repeats=YES,
        is_there=looked.is_there,
        need=looked.n * POLLING if call.polling else looked.n,
        missing=missing,
    )


def retry_after_error(looked: Looked) -> Entry:
    """Equal where tool and arguments are; only a call that failed is a repetition, or can be repeated."""
    call = looked.call
    key, missing = _key(call)
    is_known = call.call.stage is _EXECUTED
    failed = _FAILED[call.call.status] if is_known else UNSURE
    return Entry(
        call,
        tool=_tool(call),
        key=key,
        mark=b"failed",
        repeats=failed,
        is_there=looked.is_there,
        need=looked.n + 1,
        missing=(*missing, "status") if failed is UNSURE else missing,
    )


def no_progress(looked: Looked) -> Entry:
    """Equal where tool and result are. What changes something makes progress, and some results tell nothing."""
    call = looked.call
    sort, missing = _sort(call)
    mark = _result(call)
    is_empty = mark is not None and tells_nothing(call.call.result)
    repeats = NO if call.mutating or is_empty else YES
    if repeats is YES and mark is None:
        sort, missing = None, (*missing, "result")
    if repeats is YES and call.mutating is None:
        repeats = UNSURE
    return Entry(
        call,
        tool=_tool(call),
        key=sort,
        mark=mark or ANY_MARK,
        repeats=repeats,
        is_there=looked.is_there,
        need=looked.n * POLLING if call.polling else looked.n,
        missing=missing,
    )


def cycle(looked: Looked) -> Entry:
    """Equal where tool, arguments and, as far as they were observed, results are."""
    call = looked.call
    key, missing = _key(call)
    return Entry(
        call,
        tool=_tool(call),
        key=key,
        mark=_result(call) or ANY_MARK,
        repeats=YES,
        is_there=looked.is_there,
        need=looked.n,
        missing=missing,
    )


def tells_nothing(result: Json) -> bool:
    """Whether a result is a boolean, null, empty, or a bare acknowledgement."""
    if isinstance(result, str):
        return result.strip().removesuffix(".").casefold() in _ACKNOWLEDGED
    return result is None or isinstance(result, bool) or result in ([], {}, ())


def _tool(call: JudgedCall) -> str:
    """What the arguments belong to: of a dispatched call the dispatcher, as a call that was not observed may be any of its."""
    is_dispatched = call.dispatches and call.dispatcher is None
    return call.names[1] if is_dispatched else call.call.tool


def _sort(call: JudgedCall) -> tuple[bytes | None, tuple[str, ...]]:
    """The tool as a hash, or what would tell it."""
    if not call.call.tool:
        return None, ("name",)
    if call.dispatcher is not None:
        return None, ("arguments",)
    return digest(call.call.tool), ()


def _key(call: JudgedCall) -> tuple[bytes | None, tuple[str, ...]]:
    """Tool and arguments as a hash, or what would tell them."""
    told = call.call
    if not told.tool:
        return None, ("name",)
    if told.args_state is not _OBSERVED or call.dispatcher is not None:
        return None, ("arguments",)
    if call.args_digest is UNSET:
        call.args_digest = digest_of([told.tool, told.args])
    return call.args_digest, () if call.args_digest is not None else ("arguments",)


def _result(call: JudgedCall) -> bytes | None:
    told = call.call
    if told.result_state is not _OBSERVED:
        return None
    if call.result_digest is UNSET:
        call.result_digest = digest_of(told.result)
    return call.result_digest
