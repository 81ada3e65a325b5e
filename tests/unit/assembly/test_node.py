from __future__ import annotations

import pytest

from toolscore_otel.assembly.node import Node, Place, nodes_of
from toolscore_otel.conventions.reading import AgentReading, SpanReading
from toolscore_otel.model import InstrumentationScope, Resource, Span


def test_a_span_gives_its_place():
    resource, scope = Resource({"service.name": "shop"}), InstrumentationScope("one")
    span = Span(
        trace_id="t",
        span_id="s",
        parent_span_id="p",
        start_ns=1,
        end_ns=2,
        resource=resource,
        scope=scope,
        dropped_attributes=3,
    )
    assert Place.of_span(span) == Place(
        "t", "s", "p", "s", 1, 2, ended=True, resource=resource, scope=scope, dropped=3
    )
    assert not Place.of_span(Span(trace_id="t", span_id="s", start_ns=1)).ended


def found(fed):
    return [
        (
            node.place.id,
            node.place.parent,
            node.call.what if node.call else None,
            node.agent is not None,
            node.model is not None,
        )
        for node in nodes_of(*fed)
    ]


def test_a_tool_span_is_one_node(say):
    assert found(say.tool("s", "p")) == [("s", "p", "span", False, False)]


def test_a_tool_span_that_is_an_invocation_too_is_one_node(say):
    assert found(say.tool("s", "p", invokes="Clerk")) == [("s", "p", "span", True, False)]


def test_messages_stand_inside_the_model_span_that_carries_them(say):
    fed = say.model("s", "p", say.request(), say.response())
    assert found(fed) == [
        ("s", "p", None, False, True),
        ("s#0", "s", "request", False, False),
        ("s#1", "s", "response", False, False),
    ]


def test_messages_stand_inside_an_agent_span_and_inside_one_that_says_nothing_else(say):
    agent = AgentReading(convention="genai", name="Clerk")
    carried = SpanReading(calls=(say.request(),), agent=agent)
    assert found((say.place("s"), carried)) == [
        ("s", None, None, True, False),
        ("s#0", "s", "request", False, False),
    ]
    alone = SpanReading(calls=(say.request(),))
    assert found((say.place("s"), alone)) == [("s#0", "s", "request", False, False)]


def test_messages_beside_a_call_of_the_span_itself_stand_inside_it(say):
    both = SpanReading(calls=(say.call(), say.request("refund")))
    assert found((say.place("s"), both)) == [
        ("s", None, "span", False, False),
        ("s#1", "s", "request", False, False),
    ]


def test_further_calls_of_a_span_stand_inside_it_at_its_own_time(say):
    several = SpanReading(calls=(say.call(), say.call("refund")))
    first, second = nodes_of(say.place("s", at=(3, 7)), several)
    assert (first.place.id, second.place.id) == ("s", "s#1")
    assert (second.place.start_ns, second.place.end_ns) == (3, 7)


@pytest.mark.parametrize(("what", "time"), [("request", 7), ("response", 3)])
def test_a_message_asks_when_its_span_ends_and_answers_when_it_begins(say, what, time):
    message = say.request() if what == "request" else say.response()
    _, node = nodes_of(*say.model("s", None, message, where={"at": (3, 7)}))
    assert (node.place.start_ns, node.place.end_ns) == (time, time)


def test_the_outermost_member_stands_for_all(say, node):
    one, other = node(say.tool("s")), node(say.tool("t"))
    assert one.group is one
    one.members = other.members = (other, one)
    assert one.group is other.group is other
    assert Node(say.place("s")).group.call is None
