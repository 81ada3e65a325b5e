"""Calls that are told in two traces."""

from collections import Counter

import pytest

from toolscore_otel.assembly import Assembler, elsewhere
from toolscore_otel.assembly.assembler import TWIN
from toolscore_otel.model import ClosedBy

OTHER = "b" * 32


@pytest.fixture
def rebuild():
    """All calls of what was fed, in every trace, in both orders."""

    def feed(*fed):
        found = []
        for order in (fed, fed[::-1]):
            assembler = Assembler()
            for place, reading in order:
                for twin in assembler.add(place, reading, 0).twins:
                    assembler.add(twin, TWIN, 0)
            assembler.close(ClosedBy.END_OF_INPUT)
            calls = [
                (call.trace_id, call.tool)
                for trace_id in assembler.trace_ids()
                for call in assembler.trajectory(trace_id).calls
            ]
            found.append(sorted(calls))
        assert found[0] == found[1]
        return found[0]

    return feed


def agent_call(say, name="mcp__shop__search", **where):
    return say.tool("t", "root", name, **({"at": (10, 20)} | where))


def server_call(say, name="search", **where):
    defaults = {"at": (12, 18), "trace_id": OTHER, "layer": "server"}
    return say.tool("s", where.pop("parent", None), name, **(defaults | where))


def test_a_server_in_the_agents_process_tells_of_the_agents_call(say, rebuild):
    assert rebuild(agent_call(say), server_call(say)) == [("a" * 32, "mcp__shop__search")]


def test_a_span_beside_it_in_the_same_trace_does_too(say, rebuild):
    beside = server_call(say, trace_id="a" * 32, parent="root")
    assert rebuild(agent_call(say), beside) == [("a" * 32, "mcp__shop__search")]


@pytest.mark.parametrize(
    "where",
    [
        {"at": (12, 21)},
        {"at": (12, None)},
        {"at": (None, 18)},
        {"name": "refund"},
        {"name": None},
        {"layer": "client"},
        {"parent": "someone"},
        {"resource": {"service.name": "other"}},
    ],
)
def test_a_span_that_differs_is_a_call_of_its_own(say, rebuild, where):
    assert len(rebuild(agent_call(say), server_call(say, **where))) == 2


def test_an_agents_call_that_has_not_ended_hides_nothing(say, rebuild):
    assert len(rebuild(agent_call(say, at=(10, None)), server_call(say))) == 2


def test_a_tool_that_names_no_server_hides_nothing(say, rebuild):
    assert len(rebuild(agent_call(say, name="search"), server_call(say))) == 2


def test_past_the_caps_the_oldest_is_forgotten(say, monkeypatch):
    monkeypatch.setattr(elsewhere, "MOST_REMEMBERED", 1)
    monkeypatch.setattr(elsewhere, "MOST_OF_A_TOOL", 1)
    counters: Counter[str] = Counter()
    known = elsewhere.Elsewhere(counters)
    for name in ("search", "refund"):
        assert not known.is_twin(*server_call(say, name))
    assert not known.is_twin(*server_call(say, "refund", at=(13, 17)))
    assert list(known.twins(*agent_call(say))) == []
    found = list(known.twins(*agent_call(say, "mcp__shop__refund")))
    assert [place.start_ns for place in found] == [13]
    assert counters["twins_forgotten"] == 3


def test_a_twin_is_no_further_span(say):
    """In whatever order they come: what another trace tells again was counted when it came."""
    for order in ((agent_call(say), server_call(say)), (server_call(say), agent_call(say))):
        assembler = Assembler()
        for place, reading in order:
            for twin in assembler.add(place, reading, 0).twins:
                assembler.add(twin, TWIN, 0)
        assert assembler.counters["spans"] == 2
