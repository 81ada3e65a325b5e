"""An engine is told again what another one was told."""

import pytest

from toolscore_otel.engine import Engine, replay
from toolscore_otel.model import ClosedBy, Finding, Trajectory

SECOND = 1_000_000_000


@pytest.fixture
def rules(contract):
    return contract(forbid=[{"tool": "rm"}], limit=[{"tool": "search", "max": 1}])


@pytest.fixture
def engine(rules) -> Engine:
    return Engine([rules], keeps_records=True)


def told(engine: Engine, *spans) -> list[Finding]:
    """What was said, span by span."""
    return [f for number, span in enumerate(spans) for f in engine.feed(span, number * SECOND)]


def test_the_same_comes_out_and_nothing_is_counted(engine, rules, tool, agent):
    spans = [tool("a", "rm", parent="r"), tool("b", parent="r"), tool("c", parent="r"), agent("r")]
    said = [*told(engine, *spans, spans[0]), *engine.tick(60 * SECOND)]
    again = Engine([rules], keeps_records=True)
    replayed = replay(again, "t", engine.take_new()["t"])
    assert again.report().findings == engine.report().findings
    assert replayed.findings == said
    assert [t.closed_by for t in replayed.closed] == [ClosedBy.ROOT_ENDED]
    assert set(again.assembler.counters.values()) == {0}
    assert again.take_new() == {}


def test_what_comes_again_is_no_entry(engine, tool, plain):
    told(engine, tool("a"), tool("a"), plain("p"), plain("p"))
    assert [entry.place.id for entry in engine.take_new()["t"]] == ["a", "p"]


def test_new_entries_are_given_once_and_by_trace(engine, tool):
    told(engine, tool("a"), tool("b", trace="u"))
    engine.close()
    new = engine.take_new()
    assert {trace: len(entries) for trace, entries in new.items()} == {"t": 2, "u": 2}
    assert new["t"][-1] is ClosedBy.END_OF_INPUT
    assert engine.take_new() == {}


def test_an_engine_that_keeps_no_records_has_none(rules, tool):
    engine = Engine([rules])
    told(engine, tool("a"))
    assert engine.take_new() == {}


def test_others_that_had_to_be_closed_to_make_room_are_told_of(rules, engine, tool, fed):
    small = fed(rules, open_trajectories=1, keeps_records=True).engine
    closed: list[Trajectory] = []
    small.on_close = closed.append
    small.feed(tool("x", "rm", trace="u"), 0)
    engine.feed(tool("a", "rm"), 0)
    replayed = replay(small, "t", engine.take_new()["t"])
    assert [trajectory.trace_id for trajectory in closed] == ["u"]
    assert {finding.trace_id for finding in replayed.findings} == {"t"}
    assert small.assembler.counters["evicted"] == 1
    assert list(small.take_new()) == ["u"]


def test_nobody_has_to_listen_to_what_is_closed_to_make_room(rules, engine, tool, fed):
    small = fed(rules, open_trajectories=1, keeps_records=True).engine
    small.feed(tool("x", "rm", trace="u"), 0)
    engine.feed(tool("a", "rm"), 0)
    assert {
        finding.trace_id for finding in replay(small, "t", engine.take_new()["t"]).findings
    } == {"t"}
    assert small.on_close is None


def test_what_is_not_open_is_not_closed_again(engine, tool):
    told(engine, tool("a"))
    engine.close()
    assert engine.close_one("t", ClosedBy.IDLE) == []


def test_closed_traces_can_be_let_go(engine, tool):
    for number, trace in enumerate("uvw"):
        engine.feed(tool("a", trace=trace), number)
    engine.close()
    assert engine.unload(1) == ["u", "v"]
    assert [engine.knows(trace) for trace in "uvw"] == [False, False, True]


def test_a_pause_in_which_nothing_could_come_closes_nothing(engine, tool):
    engine.feed(tool("a", parent="r"), 0)
    engine.resume(100 * SECOND)
    engine.tick(159 * SECOND)
    assert engine.open_traces() == ("t",)
    engine.tick(160 * SECOND)
    assert engine.open_traces() == ()


def test_a_finding_hangs_on_its_span_else_on_the_first_of_its_trace(engine, tool, agent):
    engine.feed(tool("b", at=5, service="late"), 0)
    engine.feed(tool("a", at=1, service="early"), 0)
    services = [
        None if (place := engine.place_of(trace, span)) is None else place.resource.service
        for trace, span in (("t", "b"), ("t", None), ("t", "gone"), ("u", None))
    ]
    assert services == ["late", "early", "early", None]


def test_what_an_engine_cannot_take_is_left_out(engine, rules, tool, monkeypatch):
    told(engine, tool("a"), tool("b", "rm"))
    again = Engine([rules])
    add = again.add
    monkeypatch.setattr(
        again, "add", lambda place, *rest: 1 / 0 if place.id == "a" else add(place, *rest)
    )
    replayed = replay(again, "t", engine.take_new()["t"])
    assert [type(error) for error in replayed.errors] == [ZeroDivisionError]
    assert [finding.tool for finding in replayed.findings] == ["rm"]
