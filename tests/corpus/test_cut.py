"""Recordings of which a length limit has cut every attribute say less, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from msgspec import structs

from tests.corpus.recordings import FOLDERS, files_of, items_in
from toolscore_otel.assembly import Assembler
from toolscore_otel.model import ContentState, Json, LogRecord, Span, ToolCall

LIMITS = (64, 256, 1024)
"""Characters of a value; the last two are in common use."""


def cut(value: Json, limit: int) -> Json:
    if isinstance(value, str):
        return value[:limit]
    if isinstance(value, dict):
        return {key: cut(each, limit) for key, each in value.items()}
    return [cut(each, limit) for each in value] if isinstance(value, list) else value


def with_cut_attributes(item: Span | LogRecord, limit: int) -> Span | LogRecord:
    attributes = cut(dict(item.attributes), limit)
    if isinstance(item, LogRecord):
        return structs.replace(item, attributes=attributes)
    events = tuple(
        structs.replace(each, attributes=cut(dict(each.attributes), limit)) for each in item.events
    )
    return structs.replace(item, attributes=attributes, events=events)


def by_id(items: list[Span | LogRecord]) -> Mapping[str, list[ToolCall]]:
    """The calls, by the model's id of each."""
    assembler = Assembler()
    for item in items:
        assembler.feed(item, now=0)
    found: dict[str, list[ToolCall]] = {}
    for trace_id in assembler.trace_ids():
        for call in assembler.trajectory(trace_id).calls:
            if call.call_id:
                found.setdefault(call.call_id, []).append(call)
    return found


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("folder", FOLDERS)
def test_a_call_of_which_less_was_recorded_is_no_other_call(folder: str, limit: int) -> None:
    for paths in files_of(folder).values():
        items = list(items_in(paths))
        whole = by_id(items)
        for call_id, calls in by_id([with_cut_attributes(i, limit) for i in items]).items():
            known = whole.get(call_id)
            assert known is not None, call_id
            assert {call.recorded_name for call in calls} - {""} <= {c.recorded_name for c in known}
            told = [call.args for call in calls if call.args_state is ContentState.OBSERVED]
            assert all(args in [each.args for each in known] for args in told)
