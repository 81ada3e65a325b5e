"""Calls that are told in two traces."""

from collections import Counter

import pytest

from toolscore_otel.assembly import Assembler, elsewhere
from toolscore_otel.assembly.elsewhere import TWIN
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
                    assembler.add(*twin, 0)
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
    monkeypatch.setattr(elsewhere, "MOST_OF_A_KIND", 1)
    counters: Counter[str] = Counter()
    known = elsewhere.Elsewhere(counters)
    for name in ("search", "refund"):
        assert not known.is_twin(*server_call(say, name))
    assert not known.is_twin(*server_call(say, "refund", at=(13, 17)))
    assert list(known.twins(*agent_call(say))) == []
    found = known.twins(*agent_call(say, "mcp__shop__refund"))
    assert [place.start_ns for place, _ in found] == [13]
    assert counters["twins_forgotten"] == 3


def test_a_twin_is_no_further_span(say):
    """In whatever order they come: what another trace tells again was counted when it came."""
    for order in ((agent_call(say), server_call(say)), (server_call(say), agent_call(say))):
        assembler = Assembler()
        for place, reading in order:
            for twin in assembler.add(place, reading, 0).twins:
                assembler.add(*twin, 0)
        assert assembler.counters["spans"] == 2


ASKED = {"call_id": "c1"}


def framework_model(say, *messages, trace_id="a" * 32, parent="root", **said):
    where = {"at": (10, 20), "scope": "framework", "trace_id": trace_id} | said.pop("where", {})
    return say.model("m", parent, *messages, where=where, **said)


def client_model(say, *messages, **said):
    where = {"at": (12, 18), "scope": "client", "trace_id": OTHER} | said.pop("where", {})
    return say.model("c", said.pop("parent", None), *messages, where=where, **said)


def test_a_client_library_tells_of_a_frameworks_model_call_again(say, rebuild):
    asked, heard = say.request(**ASKED), say.response(name="search", call_id="c0")
    one = framework_model(say, asked, heard)
    again = client_model(say, asked, heard)
    tool = say.tool("t", "root", at=(21, 22), call_id="c1")
    assert rebuild(tool, one) == rebuild(tool, one, again)


@pytest.mark.parametrize(
    "differs",
    [
        {"where": {"scope": "framework"}},
        {"where": {"at": (12, 21)}},
        {"where": {"at": (10, 20)}},
        {"where": {"at": (12, None)}},
        {"where": {"resource": {"service.name": "other"}}},
        {"parent": "someone"},
    ],
)
def test_a_model_call_that_differs_is_one_of_its_own(say, rebuild, differs):
    asked = say.request(**ASKED)
    assert len(rebuild(framework_model(say, asked), client_model(say, asked, **differs))) == 2


def test_another_call_id_or_none_is_another_model_call(say, rebuild):
    one = framework_model(say, say.request(**ASKED))
    assert len(rebuild(one, client_model(say, say.request(call_id="c2")))) == 2
    assert len(rebuild(one, client_model(say, say.request()))) == 2


def test_a_model_call_that_has_not_ended_hides_nothing(say, rebuild):
    asked = say.request(**ASKED)
    open_one = framework_model(say, asked, where={"at": (10, None)})
    assert len(rebuild(open_one, client_model(say, asked))) == 2


def tokens_of(*fed):
    found = []
    for order in (fed, fed[::-1]):
        assembler = Assembler()
        for place, reading in order:
            for twin in assembler.add(place, reading, 0).twins:
                assembler.add(*twin, 0)
        found.append(
            sorted(
                (trace_id, assembler.trajectory(trace_id).tokens.input)
                for trace_id in assembler.trace_ids()
            )
        )
    assert found[0] == found[1]
    return found[0]


def test_its_tokens_count_once_by_the_response_id(say):
    usage = {"input_tokens": 7, "response_id": "r1"}
    one, again = framework_model(say, **usage), client_model(say, **usage)
    assert tokens_of(one, again) == [("a" * 32, 7), (OTHER, None)]


def test_a_twin_by_two_marks_is_told_once(say):
    asked, usage = say.request(**ASKED), {"response_id": "r1"}
    known = elsewhere.Elsewhere(Counter())
    assert not known.is_twin(*client_model(say, asked, **usage))
    twins = known.twins(*framework_model(say, asked, **usage))
    assert [(place.trace_id, said) for place, said in twins] == [(OTHER, TWIN)]


def test_of_three_layers_the_outermost_tells(say):
    usage = {"input_tokens": 7, "response_id": "r1"}
    outer = framework_model(say, **usage)
    middle = client_model(say, **usage)
    inner = say.model(
        "i", None, where={"at": (13, 14), "scope": "framework", "trace_id": "d" * 32}, **usage
    )
    assert tokens_of(outer, middle, inner) == [("a" * 32, 7), (OTHER, None), ("d" * 32, None)]
