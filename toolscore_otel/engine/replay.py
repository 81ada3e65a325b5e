"""An engine is told again what one was told before: after a restart, or when a closed trace is of interest again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct, field

from toolscore_otel.assembly import Entry, Taken
from toolscore_otel.engine.engine import Engine
from toolscore_otel.model import Finding, Trajectory


class Replayed(Struct, kw_only=True):
    """What came out.

    Attributes:
        findings: of the trace, every revision in order.
        closed: the trace, each time it was closed.
        others: of traces that had to be closed to make room.
        errors: entries that an engine cannot take; what they said was not said before either.
    """

    findings: list[Finding] = field(default_factory=list[Finding])
    closed: list[Trajectory] = field(default_factory=list[Trajectory])
    others: list[Finding] = field(default_factory=list[Finding])
    errors: list[Exception] = field(default_factory=list[Exception])


def replay(engine: Engine, trace_id: str, entries: Iterable[Entry]) -> Replayed:
    """Tell an engine of a trace again. It counts nothing of it, tells nobody of it, and takes nothing of it for new.

    Args:
        engine: does not know the trace.
        trace_id: of the trace.
        entries: as `Engine.take_new` gave them.
    """
    replayed, told = Replayed(), engine.on_close
    counters, errors = engine.assembler.counters, engine.rule_errors
    before, errors_before = Counter(counters), Counter(errors)

    def on_close(trajectory: Trajectory) -> None:
        if trajectory.trace_id == trace_id:
            replayed.closed.append(trajectory)
        elif told is not None:
            told(trajectory)

    engine.on_close = on_close
    try:
        for entry in entries:
            for finding in _told(engine, trace_id, entry, replayed):
                ours = finding.trace_id == trace_id
                (replayed.findings if ours else replayed.others).append(finding)
    finally:
        engine.on_close = told
        before["evicted"] = counters["evicted"]  # of others; ours are closed by their entries
        for counts, known in ((counters, before), (errors, errors_before)):
            counts.clear()
            counts.update(known)
        engine.disregard(trace_id)
    return replayed


def _told(engine: Engine, trace_id: str, entry: Entry, replayed: Replayed) -> list[Finding]:
    try:
        if isinstance(entry, Taken):
            return engine.add(*entry)
        return engine.close_one(trace_id, entry)
    except Exception as error:  # noqa: BLE001 - as when it came: one entry must not keep all others out
        replayed.errors.append(error)
        return []
