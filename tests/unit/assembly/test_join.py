"""Which readings tell of the same call."""

from __future__ import annotations

import pytest

from toolscore_otel.assembly.join import clusters, nests, shares_id

OTHER = {"scope": "two", "convention": "openinference"}


@pytest.mark.parametrize(
    "said",
    [
        {"layer": "client"},
        {"layer": "server"},
        {"scope": "two"},
        {"convention": "openinference"},
        {"name": None},
        {"name": "mcp__shop__search", "layer": "client"},
        {"layer": "client", "args": {"q": 1}, "call_id": "x"},
    ],
)
def test_a_tool_span_directly_inside_another_can_tell_of_the_same_call(say, node, said):
    outer = node(say.tool("o", args={"q": 1}, call_id="x"))
    assert nests(outer, node(say.tool("i", "o", **said)))


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"layer": "client", "name": "refund"},
        {"layer": "client", "call_id": "y"},
        {"layer": "client", "args": {"q": 2}},
        {"name": None, "call_id": "y"},
    ],
)
def test_it_tells_of_another_call_where_it_says_so_or_is_of_the_same_instrumentation(
    say, node, said
):
    outer = node(say.tool("o", args={"q": 1}, call_id="x"))
    assert not nests(outer, node(say.tool("i", "o", **said)))


def test_agents_models_and_messages_do_not_nest(say, node):
    tool, inner = node(say.tool("o")), node(say.tool("i", "o", **OTHER))
    assert nests(tool, inner)
    assert not nests(tool, node(say.model("i", "o")))
    assert not nests(node(say.agent("o")), inner)
    assert not nests(node(say.tool("o", invokes="Clerk")), inner)
    assert nests(node(say.tool("o", invokes="Clerk")), node(say.tool("i", "o", None)))
    tool.model = node(say.model("m")).model
    assert not nests(tool, inner)
    message = node(say.tool("i", "o", **OTHER))
    message.call = say.request()
    assert not nests(node(say.tool("o")), message)
    assert not nests(message, inner)


def test_one_call_id_in_two_instrumentations_is_one_call_where_they_overlap(say, node):
    one = node(say.tool("a", call_id="x", at=(0, 10)))
    assert shares_id(one, node(say.tool("b", call_id="x", at=(10, 20), **OTHER)))
    assert shares_id(one, node(say.tool("b", call_id="x", at=(None, None), **OTHER)))
    assert not shares_id(one, node(say.tool("b", call_id="x", at=(11, 20), **OTHER)))
    assert not shares_id(one, node(say.tool("b", call_id="x", at=(0, 10))))
    assert not shares_id(one, node(say.tool("b", "refund", "refund", call_id="x", **OTHER)))


def test_messages_and_log_records_need_not_overlap(say, node):
    one = node(say.tool("a", call_id="x", at=(0, 10)))
    assert shares_id(one, node(say.log("l", None, call_id="x", at=(50, 50))))
    request = node(say.tool("r", at=(90, 99)))
    request.call = say.request(call_id="x")
    assert shares_id(one, request)
    assert not shares_id(one, node(say.model("m")))


def test_one_node_is_one_cluster(say, node):
    one = node(say.tool("a"))
    assert clusters([one]) == [(one,)]


def together(*pairs):
    """Mark pairs as `groups` does: (outer, inner) by enclosure, a set of two by call id."""
    for pair in pairs:
        if isinstance(pair, tuple):
            outer, inner = pair
            inner.enclosing, inner.is_inner = outer, True
            outer.inner = (*outer.inner, inner)
        else:
            one, other = pair
            one.same_id, other.same_id = (*one.same_id, other), (*other.same_id, one)


def ids(found):
    return [[node.place.id for node in cluster] for cluster in found]


def test_a_tool_that_calls_itself_is_two_calls_in_two_instrumentations_as_well(say, node):
    a1, b1 = node(say.tool("a1")), node(say.tool("b1", "a1", **OTHER))
    a2, b2 = node(say.tool("a2", "b1")), node(say.tool("b2", "a2", **OTHER))
    together((a1, b1), (b1, a2), (a2, b2))
    for order in ([a1, b1, a2, b2], [b2, a2, b1, a1]):
        assert ids(clusters(order)) == [["a1", "b1"], ["a2", "b2"]]


def test_attempts_inside_one_call_are_parts_of_it_as_long_as_they_agree(say, node):
    outer = node(say.tool("o"))
    first = node(say.tool("i1", "o", layer="client", at=(1, 2), args={"q": 1}))
    again = node(say.tool("i2", "o", layer="client", at=(3, 4), args={"q": 1}))
    other = node(say.tool("i3", "o", layer="client", at=(5, 6), args={"q": 2}))
    together((outer, first), (outer, again), (outer, other))
    assert ids(clusters([other, again, first, outer])) == [["o", "i1", "i2"], ["i3"]]


def test_a_nameless_span_is_the_running_part_of_whatever_is_around_it(say, node):
    outer, running = node(say.tool("o")), node(say.tool("r", "o", None))
    deeper = node(say.tool("d", "r", None))
    together((outer, running), (running, deeper))
    assert ids(clusters([deeper, running, outer])) == [["o", "r", "d"]]


def test_a_message_goes_with_the_nearest_of_several_calls_under_its_id(say, node):
    first = node(say.tool("s1", call_id="x", at=(10, 20)))
    second = node(say.tool("s2", call_id="x", at=(50, 60)))
    early, late = node(say.tool("r1", at=(5, 5))), node(say.tool("r2", at=(45, 45)))
    early.call, late.call = say.request(call_id="x", args={"q": 1}), say.request(call_id="x")
    together({first, early}, {first, late}, {second, early}, {second, late})
    assert ids(clusters([late, second, early, first])) == [["s1", "r1"], ["s2", "r2"]]


def test_a_message_never_makes_one_call_of_two(say, node):
    first = node(say.tool("s1", call_id="x", at=(10, 20)))
    second = node(say.tool("s2", call_id="x", at=(50, 60)))
    message = node(say.tool("m", at=(30, 30)))
    message.call = say.response(call_id="x", result="found")
    together({first, message}, {second, message})
    assert ids(clusters([message, first, second])) == [["s1", "m"], ["s2"]]


def test_the_best_witness_stands_first_then_the_outer_span_then_the_outer_layer(say, node):
    outer = node(say.tool("z", call_id="x", at=(5, 6)))
    inner = node(say.tool("a", "z", call_id="x", at=(1, 9), **OTHER))
    record = node(say.log("b", None, call_id="x", at=(0, 0)))
    together((outer, inner), {outer, record})
    assert ids(clusters([record, inner, outer])) == [["z", "a", "b"]]
    client = node(say.tool("c", call_id="x", layer="client", at=(0, 9)))
    framework = node(say.tool("f", call_id="x", at=(1, 8)))
    together({client, framework})
    assert ids(clusters([client, framework])) == [["f", "c"]]
