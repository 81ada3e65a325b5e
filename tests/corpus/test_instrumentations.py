"""What the table of instrumentations says of each, held against what was recorded of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from tests.corpus.recordings import FOLDERS, files_of, items_in
from toolscore_otel.conventions import read, read_log
from toolscore_otel.conventions.instrumentations import INSTRUMENTATIONS, known_instrumentation
from toolscore_otel.conventions.reading import CallReading, SpanReading
from toolscore_otel.conventions.switches import Instrumentation
from toolscore_otel.model import CallKind, ContentState, Span, Status

APPLICATIONS = {"adk", "app", "koog-demo", "my.app", "ops-app", "shop", "support", "get_weather"}
"""Scopes that programs chose for themselves; the last two are functions that Netra's decorators are at."""

Scope = tuple[str, str]


@cache
def shown() -> dict[Scope, set[str]]:
    """Scope and version -> evidence that some span or record of it holds."""
    found: dict[Scope, set[str]] = {}
    for folder in FOLDERS:
        for paths in files_of(folder).values():
            for item in items_in(paths):
                reading = read(item) if isinstance(item, Span) else read_log(item)
                if reading is not None and (reading.calls or reading.agent or reading.model):
                    own = found.setdefault((item.scope.name, item.scope.version), set())
                    own.update(evidence_in(reading))
    return found


def evidence_in(reading: SpanReading) -> Iterator[str]:
    """Words of `EVIDENCE`."""
    for call in reading.calls:
        if call.kind is CallKind.TOOL:
            yield from evidence_of(call)
    if reading.agent is not None and reading.agent.name:
        yield "agent"
    if reading.model is not None and reading.model.input_tokens is not None:
        yield "tokens"
    if reading.conversation_id:
        yield "conversation"


def evidence_of(call: CallReading) -> Iterator[str]:
    facts = {
        "arguments": call.args.state is ContentState.OBSERVED,
        "result": call.result.state is ContentState.OBSERVED,
        "status": call.status is not Status.UNKNOWN,
        "times": call.what in ("span", "log"),
        "call_id": call.call_id is not None,
        "agent": call.agent is not None,
    }
    return (fact for fact, is_shown in facts.items() if is_shown)


def scopes_of(known: Instrumentation) -> list[Scope]:
    return [scope for scope in shown() if known_instrumentation(*scope) is known]


@pytest.mark.parametrize("known", INSTRUMENTATIONS, ids=lambda known: known.name)
def test_what_it_never_records_stands_in_no_recording(known: Instrumentation) -> None:
    found = {word for scope in scopes_of(known) for word in shown()[scope]}
    assert found & set(known.never) == set()


def test_every_instrumentation_that_was_recorded_is_known() -> None:
    unknown = {scope for scope, version in shown() if not known_instrumentation(scope, version)}
    assert unknown <= APPLICATIONS


def test_every_entry_was_recorded() -> None:
    assert [known.name for known in INSTRUMENTATIONS if not scopes_of(known)] == []
