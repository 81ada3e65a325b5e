"""Calls of MCP that client and server tell of in two traces."""

from collections import Counter

import pytest
from msgspec import structs

from toolscore_otel.assembly import Assembler, Limits, served
from toolscore_otel.assembly.served import Served, Side
from toolscore_otel.assembly.ties import NO_LINKS, Told
from toolscore_otel.conventions.reading import SpanReading
from toolscore_otel.model import (
    Exposed,
    Gap,
    Source,
    Stage,
    Status,
    ToolCall,
)

US, SHOP = "a" * 32, "b" * 32
MADE_UP = "call_" + "Q7xT2mVb9KcL4sWnR8dYf3Za"
REQUEST = {"rpc": "session and request"}


@pytest.fixture
def rebuild():
    """The calls of all traces, in whatever order their spans come."""

    def feed(*fed):
        found = []
        for order in (fed, fed[::-1], (*fed[1:], *fed[:1]), (*fed, *fed[::-1])):
            assembler = Assembler()
            for place, reading in order:
                assembler.add(place, reading, 0)
            found.append(
                {
                    trace_id[0]: calls
                    for trace_id in sorted(assembler.trace_ids())
                    if (calls := assembler.trajectory(trace_id).calls)
                }
            )
        assert all(other == found[0] for other in found)
        return found[0]

    return feed


@pytest.fixture
def client(say):
    def make(span_id="c", **said):
        defaults = {"layer": "client", "convention": "mcp", "at": (0, 10), "scope": "client"}
        return linked(say, span_id, **{**defaults, "status": Status.UNKNOWN, **said})

    return make


@pytest.fixture
def server(say):
    def make(span_id="s", **said):
        defaults = {"layer": "server", "convention": "mcp", "at": (2, 8), "trace_id": SHOP}
        return linked(say, span_id, **{**defaults, "resource": {"service.name": "shop"}, **said})

    return make


def linked(say, span_id, *, links=(), parent=None, **said):
    place, reading = say.tool(span_id, parent, **said)
    return structs.replace(place, links=links), reading


def only(calls):
    (of_trace,) = calls.values()
    (call,) = of_trace
    return call


def counted(calls):
    return {trace_id: len(of_trace) for trace_id, of_trace in calls.items()}


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (REQUEST, REQUEST),
        ({"links": (f"{SHOP}:s",)}, {}),
        ({}, {"links": (f"{US}:c",)}),
        ({"call_id": MADE_UP}, {"call_id": MADE_UP}),
        ({"call_id": "1", "links": (f"{SHOP}:x",)}, {"call_id": "1", "at": (12, 14)}),
        ({"call_id": "1", "args": {"q": 1}}, {"call_id": "1", "args": {"q": 1}}),
    ],
)
def test_client_and_server_in_two_traces_tell_of_one_call(rebuild, client, server, ours, theirs):
    call = only(rebuild(client(**ours), server(**theirs)))
    assert (call.trace_id, call.start_ns, call.status) == (US, 0, Status.OK)
    assert [source.span_id for source in call.sources] == ["c", "s"]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({}, {}),
        (REQUEST, {"rpc": "another"}),
        (REQUEST, {**REQUEST, "name": "refund"}),
        ({**REQUEST, "args": {"q": 1}}, {**REQUEST, "args": {"q": 2}}),
        (REQUEST, {**REQUEST, "layer": "client"}),
        ({"layer": "server", **REQUEST}, REQUEST),
        ({"links": (f"{SHOP}:x",)}, {}),
        ({"links": (f"{'d' * 32}:x",)}, {"links": (f"{'d' * 32}:x",)}),
        ({"call_id": "1"}, {"call_id": "1"}),
        ({"call_id": "1", "args": {"q": 1}}, {"call_id": "1", "args": {"q": 1}, "at": (2, 11)}),
        ({"call_id": "1", "args": {"q": 1}}, {"call_id": "1", "args": {"q": 1}, "at": (2, None)}),
    ],
)
def test_what_nothing_ties_or_something_tells_apart_is_two_calls(
    rebuild, client, server, ours, theirs
):
    assert counted(rebuild(client(**ours), server(**theirs))) == {"a": 1, "b": 1}


def test_two_in_one_trace_are_left_to_it(rebuild, client, server):
    beside = server(trace_id=US, at=(20, 30), **REQUEST)
    assert counted(rebuild(client(**REQUEST), beside)) == {"a": 2}


def test_the_server_fills_what_the_client_does_not_know_and_tells_how_it_ended(
    rebuild, client, server
):
    exposed = (Exposed("family", "kind", "path", "fingerprint"),)
    told = server(
        **REQUEST,
        args={"q": 1},
        result="no",
        status=Status.ERROR,
        error_type="tool_error",
        error_message="no such order",
        exposed=exposed,
    )
    place, reading = client(**REQUEST, gaps=(Gap.NAME_FROM_SPAN,))
    told = structs.replace(told[0], attributes={"of": "server", "their": 1}), told[1]
    call = only(rebuild((structs.replace(place, attributes={"of": "client"}), reading), told))
    assert (call.args, call.result, call.status) == ({"q": 1}, "no", Status.ERROR)
    assert (call.error_type, call.error_message) == ("tool_error", "no such order")
    assert call.attributes == {"of": "client", "their": 1}
    assert call.exposed == exposed
    assert call.gaps == (Gap.AGENT_NOT_OBSERVED, Gap.NO_CALL_ID)


def test_a_failure_stays_one_where_the_server_saw_none(rebuild, client, server):
    failed = client(**REQUEST, status=Status.ERROR, error_type="timeout")
    call = only(rebuild(failed, server(**REQUEST, gaps=(Gap.NAME_FROM_SPAN,))))
    assert (call.status, call.error_type) == (Status.ERROR, "timeout")


def test_a_request_that_counts_anew_is_of_the_client_that_waited_meanwhile(rebuild, client, server):
    later = client("c2", trace_id="d" * 32, at=(20, 30), **REQUEST)
    theirs = server("s2", trace_id="e" * 32, at=(22, 28), **REQUEST)
    calls = rebuild(client(**REQUEST), server(**REQUEST), later, theirs)
    assert counted(calls) == {"a": 1, "d": 1}
    assert [source.span_id for source in calls["d"][0].sources] == ["c2", "s2"]


def test_where_two_would_do_none_is_the_others(rebuild, client, server):
    both = (client(**REQUEST), client("c2", trace_id="d" * 32, **REQUEST))
    assert counted(rebuild(*both, server(**REQUEST))) == {"a": 1, "b": 1, "d": 1}
    both = (server(**REQUEST), server("s2", trace_id="e" * 32, at=(12, 14), **REQUEST))
    late = client(at=(None, None), **REQUEST)
    assert counted(rebuild(late, *both)) == {"a": 1, "b": 1, "e": 1}


def test_a_framework_span_with_the_requests_attributes_stands_for_the_client(
    rebuild, client, server
):
    call = only(rebuild(client(layer="framework", **REQUEST), server(**REQUEST)))
    assert [source.span_id for source in call.sources] == ["c", "s"]


def test_what_stands_around_and_inside_them_is_told_along(rebuild, say, client, server):
    outer = say.tool("f", at=(0, 11), call_id=MADE_UP, args={"q": 1})
    inner = client(parent="f", **REQUEST)
    part = say.tool("p", "s", at=(3, 7), scope="two", trace_id=SHOP, result=1)
    answer = say.response(name="search", call_id=MADE_UP, args={"q": 1}, result=2)
    later = say.model("m", None, answer, where={"trace_id": "d" * 32, "at": (20, 30)})
    call = only(rebuild(outer, inner, server(**REQUEST), part, later))
    assert (call.call_id, call.args, call.result) == (MADE_UP, {"q": 1}, 1)
    assert [source.span_id for source in call.sources] == ["f", "c", "s", "p"]


def test_a_trace_that_has_both_sides_needs_no_other(rebuild, client, server):
    inner = server("i", trace_id=US, parent="c", at=(1, 9), **REQUEST)
    assert counted(rebuild(client(**REQUEST), inner, server(**REQUEST))) == {"a": 1, "b": 1}
    outer = say_framework(client)
    beneath = server(parent="f", **REQUEST)
    assert counted(rebuild(client(**REQUEST), outer, beneath)) == {"a": 1, "b": 1}


def say_framework(client):
    return client("f", layer="framework", trace_id=SHOP, at=(1, 9), convention="genai")


def test_a_call_that_a_server_turned_down_is_the_clients(rebuild, client, server):
    call = only(rebuild(client(**REQUEST), server(**REQUEST, stage=Stage.REQUESTED)))
    assert (call.trace_id, call.stage) == (US, Stage.EXECUTED)


def test_a_span_that_turns_out_to_be_another_call_parts_from_its_server(say, client, server):
    assembler = Assembler()
    for place, reading in (client(**REQUEST), server(**REQUEST)):
        assembler.add(place, reading, 0)
    assert len(assembler.trajectory(SHOP).calls) == 0
    place, reading = server(**REQUEST, args={"q": 2})
    assembler.add(place, reading, 0)
    assert len(assembler.trajectory(SHOP).calls) == 0
    place, reading = client(**REQUEST, args={"q": 1})
    found = assembler.add(place, reading, 0)
    assert [change.before for change in found.changes] == ["c"]
    assert [change.before for change in found.others[SHOP]] == [None]
    assert [call.args for call in assembler.trajectory(SHOP).calls] == [{"q": 2}]


def test_a_call_that_is_told_in_no_span_is_of_neither_side(say, rebuild, client):
    place, _ = say.plain("s", trace_id=SHOP)
    logged = say.call(what="log", convention="mcp", rpc=REQUEST["rpc"])
    calls = rebuild(client(**REQUEST), (place, SpanReading(calls=(logged,))))
    assert counted(calls) == {"a": 1, "b": 1}


def test_a_span_id_that_two_calls_have_tells_of_no_side(rebuild, client, server):
    other = server(**REQUEST, name="refund")
    assert counted(rebuild(client(**REQUEST), server(**REQUEST), other)) == {"a": 1, "b": 2}


def side(trace, *, is_server, key="k"):
    source = (Source("span", "mcp", trace),)
    call = ToolCall(tool="t", recorded_name="t", trace_id=trace, key="k", sources=source)
    return Side(Told(call, None, NO_LINKS), is_server, (("rpc", key),), frozenset())


def test_past_the_caps_nothing_is_put_together(monkeypatch):
    monkeypatch.setattr(served, "MOST_SERVED", 2)
    counters: Counter[str] = Counter()
    known = Served(counters)
    known.take((), {("a", "k"): side("a", is_server=False)})
    known.take((), {("b", "k"): side("b", is_server=True)})
    assert known.client_of(("b", "k")) == ("a", "k")
    known.take((), {("d", "k"): side("d", is_server=True, key="other")})
    assert known.client_of(("b", "k")) is None
    assert (len(known), counters["across_forgotten"]) == (2, 1)
    monkeypatch.setattr(served, "MOST_SIDES", 1)
    known.take((("d", "k"),), {("a", "k"): side("a", is_server=False)})
    assert known.client_of(("b", "k")) is None


MINUTE = 60_000_000_000


@pytest.mark.parametrize("tie", [REQUEST, {"call_id": MADE_UP}])
@pytest.mark.parametrize("end", [0, None])
def test_what_is_far_apart_is_of_two_runs(rebuild, client, server, tie, end):
    for minutes, known in ((10, {"a": 1}), (11, {"a": 1, "b": 1})):
        begins = minutes * MINUTE
        calls = rebuild(client(**tie, at=(0, end)), server(**tie, at=(begins, begins + 5)))
        assert counted(calls) == known


def test_what_is_far_apart_is_one_call_where_one_links_to_the_other(rebuild, client, server):
    theirs = server(links=(f"{US}:c",), at=(60 * MINUTE, 61 * MINUTE))
    assert only(rebuild(client(), theirs)).start_ns == 0


@pytest.mark.parametrize("call_id", ["call_1", MADE_UP])
def test_of_many_runs_under_one_id_each_has_its_own_server(rebuild, client, server, call_id):
    said = {"call_id": call_id, "args": {"q": 1}}
    fed = []
    for run in range(12):
        begin = run * 100
        fed.append(client(**said, at=(begin, begin + 10), trace_id=f"a{run:031}"))
        theirs = {"at": (begin + 2, begin + 8), "trace_id": f"b{run:031}", "result": run}
        fed.append(server(**said, **theirs))
    assert counted(rebuild(*fed)) == {"a": 1}


def test_of_many_under_one_id_those_count_that_ran_inside(client, server):
    assembler = Assembler()
    fed = [
        client(call_id=MADE_UP, at=(n * 100, n * 100 + 10), trace_id=f"a{n:031}") for n in range(8)
    ]
    fed.append(server(call_id=MADE_UP, at=(302, 308), result="r"))
    fed.append(server(call_id=MADE_UP, at=(850, 860), trace_id="d" * 32))
    for place, reading in fed:
        assembler.add(place, reading, 0)
    calls = [call for trace in assembler.trace_ids() for call in assembler.trajectory(trace).calls]
    assert [call.result for call in calls] == [*[None] * 3, "r", *[None] * 5]
    assert assembler.counters["crowded"] == 2


def test_a_server_of_a_client_that_is_forgotten_stands_for_itself(client, server, say):
    assembler = Assembler(Limits(open_trajectories=1, closed_trajectories=0))
    fed = (client(**REQUEST), say.tool("o", None, trace_id="d" * 32), server(**REQUEST))
    changes = [assembler.add(place, reading, 0).changes for place, reading in fed]
    assert [(c.before, c.after and c.after.trace_id) for c in changes[2]] == [(None, SHOP)]


def test_a_server_of_which_a_client_was_told_is_none_of_its_own_when_that_is_forgotten(
    client, server, say
):
    assembler = Assembler(Limits(open_trajectories=2, closed_trajectories=0))
    told = {**REQUEST, "call_id": "1"}
    fed = [client(**REQUEST), server(**told)]
    for letter in "de":
        other = say.tool("o", None, trace_id=letter * 32)
        fed += [other, server("x", name="other", at=(20, 30))]
    fed.append(server(**told, args={"q": 1}, result="found"))
    changes = [assembler.add(place, reading, 0).changes for place, reading in fed]
    assert US not in assembler
    assert (changes[1], changes[-1]) == ((), ())
