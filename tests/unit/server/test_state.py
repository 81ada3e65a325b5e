import sqlite3
from typing import Any

import pytest
from hypothesis import given, strategies as st
from msgspec import structs

from tests.unit.server.state_made import (
    KEY,
    NOW,
    OTHER,
    RULES,
    SECOND,
    SECRETS,
    TRACE,
    Inside,
    a_run,
    agent_span,
    contract_of,
    deliver_all,
    findings_of,
    last_of,
    tool_span,
)
from toolscore_otel.assembly import Entry, Limits, Place, Taken
from toolscore_otel.conventions.reading import CallReading, SpanReading
from toolscore_otel.emit.metrics import DURATION, Sums
from toolscore_otel.engine import Engine
from toolscore_otel.errors import StateError
from toolscore_otel.model import (
    ClosedBy,
    ContentState,
    Payload,
    Stage,
    ToolCall,
    Trajectory,
)
from toolscore_otel.server.deliveries import Batch
from toolscore_otel.server.judging import Arrived, Judging, Rules
from toolscore_otel.server.no_state import NoState
from toolscore_otel.server.restoring import CLOSED_IN_MEMORY
from toolscore_otel.server.state import State


def test_what_was_open_is_judged_on_as_if_nothing_had_happened(tmp_path):
    whole = Inside(tmp_path / "whole", RULES)
    for span in a_run():
        whole.feed(span)
    whole.tick(3)
    inside = Inside(tmp_path / "parts", RULES)
    said = []
    for span in a_run():
        said += inside.feed(span)
        inside = inside.killed()
        assert inside.said == []
    said += inside.tick(3)
    assert last_of(said) == last_of(whole.said)
    assert inside.counted() == whole.counted()
    assert [f.revision for f in said] == [f.revision for f in whole.said]


@given(
    order=st.permutations(range(7)),
    kills=st.sets(st.integers(0, 7)),
    again=st.lists(st.integers(0, 6), max_size=4),
)
def test_kills_and_repeats_change_neither_findings_nor_counters(
    tmp_path_factory, order, kills, again
):
    spans = [a_run()[place] for place in order]
    whole = Inside(tmp_path_factory.mktemp("whole"), RULES)
    for span in spans:
        whole.feed(span)
    whole.tick(3)
    inside = Inside(tmp_path_factory.mktemp("parts"), RULES)
    said = []
    for number, span in enumerate(spans):
        said += inside.feed(span)
        if number in kills:
            inside = inside.killed()
            for repeated in again:
                if repeated <= number:
                    assert inside.feed(spans[repeated]) == []
    said += inside.tick(3)
    assert last_of(said) == last_of(whole.said)
    assert inside.counted() == whole.counted()


def test_a_span_that_comes_again_after_a_restart_is_known(tmp_path):
    inside = Inside(tmp_path, RULES)
    inside.feed(*a_run())
    inside.tick(3)
    inside = inside.killed()
    before = inside.judging.all_counters()["calls"]
    assert inside.feed(*a_run()) == []
    counters = inside.judging.all_counters()
    assert (7, before) == (counters["duplicates"], counters["calls"])
    assert counters["replaced"] == 0
    assert inside.tick(3) == []


def test_a_late_call_is_judged_with_those_from_before_the_restart(tmp_path):
    inside = Inside(tmp_path, contract_of(limit=[{"tool": "search", "max": 2}]))
    inside.feed(
        tool_span(2, parent=1, at_s=1), tool_span(3, args={"q": 1}, parent=1), agent_span(1)
    )
    assert inside.tick(3) == []
    inside = inside.killed()
    assert inside.judging.engine.open_traces() == ()
    (finding,) = inside.feed(tool_span(4, parent=1, at_s=2))
    assert finding.kind == "limit_exceeded"
    inside.tick(3)
    calls = {key: value for key, value in inside.counted().items() if "calls" in key[0]}
    assert list(calls.values()) == [3]
    assert inside.judging.all_counters()["late"] == 1


def test_time_in_which_nobody_listened_closes_nothing(tmp_path):
    inside = Inside(tmp_path, RULES)
    inside.feed(tool_span(2, parent=1))
    inside = inside.killed(after_s=600)
    inside.tick(30)
    assert inside.judging.engine.open_traces() == (TRACE,)
    inside.tick(31)
    assert inside.judging.engine.open_traces() == ()


def test_only_open_trajectories_are_brought_back_at_start(tmp_path):
    inside = Inside(tmp_path, RULES)
    inside.feed(*a_run())
    inside.tick(3)
    inside.feed(tool_span(9, trace=OTHER, parent=1))
    inside = inside.killed()
    engine = inside.judging.engine
    assert (engine.knows(TRACE), engine.knows(OTHER)) == (False, True)


def test_closed_trajectories_past_their_limit_are_forgotten_on_disk_too(tmp_path):
    inside = Inside(tmp_path, RULES, closed=2)
    traces = [f"{number:032x}" for number in range(1, 5)]
    for trace in traces:
        inside.feed(*a_run(trace))
        inside.tick(3)
    inside = inside.killed()
    kept = [trace for trace in traces if inside.state.load(trace) is not None]
    assert traces[2:] == kept
    inside.state.close()
    database = sqlite3.connect(tmp_path / "state.db")
    counts = database.execute("SELECT count(DISTINCT trace) FROM findings").fetchone()
    database.close()
    assert counts == (2,)


def test_other_contracts_after_a_restart_judge_what_is_open(tmp_path):
    inside = Inside(tmp_path, contract_of(forbid=[{"tool": "rm"}]))
    inside.feed(tool_span(2, "drop", {"token": SECRETS[0]}, parent=1))
    inside = inside.killed(contract_of(forbid=[{"tool": "drop"}]))
    assert [finding.tool for finding in inside.said] == ["drop"]
    assert inside.killed().said == []


def test_what_waits_to_be_delivered_is_there_after_a_restart(tmp_path):
    inside = Inside(tmp_path, RULES)
    inside.state.cursors(["a", "b"])
    said = inside.feed(*a_run())
    first = inside.state.pending(0, 1)[0][0]
    inside.state.delivered("a", first)
    inside = inside.killed()
    assert said == findings_of(deliver_all(inside.state))
    assert {"a": first, "b": 0} == inside.state.cursors(["a", "b"])


def test_what_every_sink_has_had_is_gone(tmp_path):
    inside = Inside(tmp_path, RULES)
    inside.state.cursors(["a", "b"])
    inside.feed(*a_run())
    numbers = [number for number, _ in inside.state.pending(0, 100)]
    inside.state.delivered("a", numbers[-1])
    inside.state.delivered("b", numbers[1])
    assert numbers[2:] == [number for number, _ in inside.state.pending(0, 100)]
    assert (0, len(numbers) - 2) == tuple(inside.state.waiting(numbers[n]) for n in (-1, 1))
    inside.state.cursors(["a"])
    inside.state.delivered("a", numbers[-1])
    assert inside.state.pending(0, 100) == []


def test_a_closed_trajectory_that_left_memory_comes_back_for_a_late_span(tmp_path):
    inside = Inside(tmp_path, contract_of(limit=[{"tool": "search", "max": 2}]))
    inside.feed(tool_span(2, parent=1), tool_span(3, parent=1), agent_span(1))
    inside.tick(3)
    assert inside.judging.engine.unload(0) == [TRACE]
    assert inside.feed(tool_span(2, parent=1)) == []
    (finding,) = inside.feed(tool_span(4, parent=1, at_s=2))
    assert (finding.kind, finding.agent) == ("limit_exceeded", "desk")


def test_without_state_closed_trajectories_stay_in_memory(tmp_path):
    rules = Rules(contracts=[], limits=Limits(), lateness_ns=0, fingerprint_key=KEY)
    judging = Judging(rules, NoState(KEY), Sums(), NOW)
    engine = judging.engine
    for number in range(1, CLOSED_IN_MEMORY + 3):
        place = Place(f"{number:032x}", "a", None, "a")
        judging.take(place.trace_id, [Arrived(place, SpanReading(scenario="s"))], NOW)
    judging.close(ClosedBy.SHUTDOWN, NOW)
    judging.unload()
    assert engine.knows(f"{1:032x}")


def test_an_entry_that_an_engine_cannot_take_keeps_no_other_out(tmp_path, monkeypatch, caplog):
    inside = Inside(tmp_path, contract_of(forbid=[{"tool": "rm"}]))
    inside.feed(tool_span(2, "bad", parent=1), tool_span(3, "rm", parent=1))
    add = Engine.add

    def failing(engine: Engine, place: Place, reading: SpanReading | None, now: int) -> Any:
        if place.id == f"{2:016x}":
            raise KeyError(SECRETS[0])
        return add(engine, place, reading, now)

    monkeypatch.setattr(Engine, "add", failing)
    inside = inside.killed()
    assert inside.judging.engine.open_traces() == (TRACE,)
    assert "a span that was kept cannot be judged, and is left out: KeyError" in caplog.text
    assert SECRETS[0] not in caplog.text


def test_time_that_changes_nothing_writes_nothing(tmp_path):
    inside = Inside(tmp_path, RULES)
    inside.feed(*a_run())
    before = inside.state._database.total_changes
    inside.tick(0.5)
    assert inside.state._database.total_changes == before


def test_a_full_disk_is_an_error_and_nothing_is_lost_once_there_is_room(tmp_path):
    inside = Inside(tmp_path, RULES)
    database = inside.state._database
    pages = database.execute("PRAGMA page_count").fetchone()[0]
    database.execute(f"PRAGMA max_page_count = {pages}")
    big = tool_span(2, "rm", {"text": "x" * 200_000}, parent=1)
    with pytest.raises(StateError, match="the disk is full; make room"):
        inside.feed(big)
    with pytest.raises(StateError):
        inside.state.flush()
    with pytest.raises(StateError):
        inside.tick(0.5)
    assert inside.state.pending(0, 10) == []
    database.execute("PRAGMA max_page_count = 100000")
    inside.state.flush()
    assert [found.tool for found in findings_of(deliver_all(inside.state))] == ["rm"]
    inside = inside.killed()
    assert inside.feed(big) == []
    assert inside.judging.all_counters()["duplicates"] == 1


def test_counters_and_their_begin_outlive_the_process(tmp_path):
    inside = Inside(tmp_path, RULES)
    inside.feed(*a_run(), *a_run())
    counters = inside.judging.all_counters()
    began_ns = inside.judging.began_ns
    inside = inside.killed()
    assert counters == inside.judging.all_counters()
    assert began_ns == inside.judging.began_ns


def test_what_cannot_be_written_keeps_nothing_else_out(tmp_path):
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]
    call = CallReading(convention="x", name="t", args=Payload(ContentState.OBSERVED, deep))
    state = State(tmp_path, KEY)
    place = Place(TRACE, "a", None, "a")
    state.commit(Batch(entries={TRACE: [Taken(place, SpanReading(calls=(call,)), NOW)]}))
    kept = state.load(TRACE)
    assert kept is not None
    assert [Taken(place, None, NOW)] == kept.entries
    assert state.counters["readings_not_kept"] == 1
    state.close()


def test_a_row_that_makes_no_sense_is_an_error(tmp_path):
    inside = Inside(tmp_path, RULES)
    inside.feed(tool_span(2, parent=1))
    inside.state._database.execute("UPDATE entries SET data = x'c1'")
    with pytest.raises(StateError, match="what it holds makes no sense; put back a copy"):
        inside.killed()


def test_bytes_on_disk_are_known(tmp_path):
    inside = Inside(tmp_path, RULES)
    before = inside.state.size_bytes
    inside.feed(tool_span(2, args={"text": "x" * 100_000}, parent=1))
    assert before > 0
    assert inside.state.size_bytes > before + 100_000
    assert NoState(KEY).size_bytes == 0


def test_an_error_while_a_batch_is_written_leaves_nothing_of_it(tmp_path):
    state = State(tmp_path, KEY)
    place = Place(TRACE, "a", None, "a")
    entries: list[Entry] = [Taken(place, None, NOW)]
    with pytest.raises(AttributeError):
        state.commit(Batch(entries={TRACE: entries}, deliveries=[None]))  # type: ignore[list-item]
    assert state.load(TRACE) is None
    state.close()


def test_coverage_folded_names_and_durations_go_on(tmp_path):
    state = State(tmp_path, KEY)
    sums = Sums(names_per_label=1)
    calls = [
        ToolCall(tool=tool, key=tool, service="shop", start_ns=0, end_ns=SECOND, stage=stage)
        for tool, stage in (("a", Stage.EXECUTED), ("b", Stage.EXECUTED), ("c", Stage.REQUESTED))
    ]
    sums.trajectory(Trajectory(trace_id=TRACE, calls=tuple(calls)))
    state.commit(Batch(sums=sums.take_changed()))
    assert sums.take_changed() == []
    state.close()
    state = State(tmp_path, KEY)
    again = Sums(names_per_label=1)
    again.load(state.restore().sums)
    state.close()
    assert list(again.coverage()) == list(sums.coverage())
    assert again.folded() == sums.folded() == {"tool": 1}
    assert again.collected(DURATION) == sums.collected(DURATION, is_last=True)
    again.trajectory(Trajectory(trace_id=OTHER, calls=(structs.replace(calls[0], tool="new"),)))
    assert again.folded() == {"tool": 2}
