"""What a call lacks, by what its readings say and by where they stood."""

from __future__ import annotations

from collections.abc import Sequence

from toolscore_otel.assembly.node import Place
from toolscore_otel.conventions.reading import CallReading
from toolscore_otel.model import ContentState, Gap, Stage, Status

_EXECUTED, _UNKNOWN, _OBSERVED = Stage.EXECUTED, Status.UNKNOWN, ContentState.OBSERVED
_ARGS = {
    ContentState.NOT_OBSERVED: Gap.ARGS_NOT_OBSERVED,
    ContentState.TRUNCATED: Gap.ARGS_TRUNCATED,
    ContentState.UNPARSABLE: Gap.ARGS_UNPARSABLE,
}
_RESULT = {
    ContentState.NOT_OBSERVED: Gap.RESULT_NOT_OBSERVED,
    ContentState.TRUNCATED: Gap.RESULT_TRUNCATED,
}


def said_to_lack(readings: Sequence[CallReading]) -> tuple[Gap, ...]:
    """What the readings of one call say that they lack; a name that one of them has is not lacking."""
    gaps = {gap for reading in readings for gap in reading.gaps}
    if any(r.name is not None and Gap.NAME_FROM_SPAN not in r.gaps for r in readings):
        gaps.discard(Gap.NAME_FROM_SPAN)
    return tuple(gaps)


def lacks(reading: CallReading, place: Place) -> list[Gap]:
    """What is said to be lacking, but for content that is there, and what is seen to be."""
    gaps = list(reading.gaps)
    if gaps and reading.args.state is _OBSERVED is reading.result.state:
        gaps = [gap for gap in gaps if gap is not Gap.CONTENT_HIDDEN]
    if not reading.name:
        gaps.append(Gap.NAME_NOT_OBSERVED)
    if not reading.call_id:
        gaps.append(Gap.NO_CALL_ID)
    if reading.stage is _EXECUTED and reading.status is _UNKNOWN:
        gaps.append(Gap.STATUS_NOT_OBSERVED)
    if place.start_ns is None or place.end_ns is None:
        gaps.append(Gap.TIMES_NOT_OBSERVED)
    if not place.ended:
        gaps.append(Gap.SPAN_NOT_ENDED)
    if place.dropped:
        gaps.append(Gap.ATTRIBUTES_DROPPED)
    _add_content(gaps, reading)
    return gaps


def _add_content(gaps: list[Gap], reading: CallReading) -> None:
    args, result = reading.args, reading.result
    if args.state is not _OBSERVED:
        gaps.append(_ARGS[args.state])
    if reading.stage is _EXECUTED and result.state is not _OBSERVED and result.state in _RESULT:
        gaps.append(_RESULT[result.state])
    if args.is_mended or result.is_mended:
        gaps.append(Gap.VALUES_UNREADABLE)
