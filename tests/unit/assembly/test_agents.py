"""Who made a call."""

from __future__ import annotations

import pytest
from msgspec import structs

from toolscore_otel.assembly import Assembler
from toolscore_otel.conventions.reading import AgentReading, SpanReading
from toolscore_otel.model import Gap, Stage, Status

CLIENT = {"layer": "client", "convention": "mcp", "scope": "two"}


def agent(say, span_id, parent=None, name=None, **said):
    where = {key: said.pop(key) for key in ("at",) if key in said}
    reading = SpanReading(agent=AgentReading(convention="genai", name=name, **said))
    return say.place(span_id, parent, **where), reading


def names(say, record_id, agent_id, name):
    place = structs.replace(say.place(record_id), is_log=True)
    return place, SpanReading(named=(agent_id, name))


def who(call):
    return call.agent, call.invocation_id


def test_what_a_calls_own_span_says_goes_before_the_invocation_around_it(say, only_call_of):
    assert who(only_call_of(say.tool("s", None, agent="Clerk"))) == ("Clerk", None)
    nameless = only_call_of(say.agent("a"), say.tool("s", "a", agent="Clerk"))
    assert who(nameless) == ("Clerk", "a")
    around = only_call_of(say.agent("a", None, "Buyer"), say.tool("s", "a", agent="Clerk"))
    assert who(around) == ("Clerk", "a")


def test_the_outermost_span_that_says_it_counts(say, only_call_of):
    outer = say.tool("f", None)
    assert who(only_call_of(outer, say.tool("c", "f", agent="Clerk", **CLIENT)))[0] == "Clerk"


def test_who_asked_counts_where_nothing_else_tells(say, only_call_of):
    asked = say.model("m", "a", say.request(call_id="x", agent="Clerk"), where={"at": (0, 5)})
    tool = say.tool("t", "a", at=(6, 7), call_id="x")
    assert who(only_call_of(say.agent("a"), asked, tool)) == ("Clerk", "a")
    assert who(only_call_of(say.agent("a", None, "Buyer"), asked, tool)) == ("Buyer", "a")


def test_who_heard_the_answer_may_be_another(say, calls_of):
    heard = say.model("m", None, structs.replace(say.response(name="search"), agent="Clerk"))
    assert [who(call) for call in calls_of(heard)] == [(None, None)]


def test_two_records_of_one_request_are_one_whoever_names_the_agent(say, only_call_of):
    request = say.request(call_id="x")
    span = say.model("m", None, structs.replace(request, agent="Clerk"), where={"at": (0, 5)})
    logged = say.word("l", "m", 6, request)
    assert only_call_of(span, logged).agent == "Clerk"


def test_a_call_that_is_another_agents_run_is_made_by_the_agent_around_it(say, calls_of):
    outer, inner = calls_of(
        say.agent("a", None, "Buyer", at=(0, 9)),
        say.tool("d", "a", "delegate", invokes="Clerk", at=(1, 8)),
        say.tool("t", "d", at=(2, 3)),
    )
    assert (outer.tool, *who(outer)) == ("delegate", "Buyer", "a")
    assert (inner.tool, *who(inner)) == ("search", "Clerk", "d")


def test_the_part_in_which_it_runs_is_no_call_of_its_own(say, calls_of):
    outer, inner = calls_of(
        say.tool("d", None, "delegate", invokes="Clerk", at=(1, 8), call_id="x"),
        say.tool("e", "d", None, at=(2, 7), call_id="x", status=Status.OK),
        say.tool("t", "e", at=(3, 4), call_id="y"),
    )
    assert (outer.tool, *who(outer)) == ("delegate", None, None)
    assert (inner.tool, *who(inner)) == ("search", "Clerk", "d")


def test_a_step_names_the_agent_of_the_model_calls_in_it(say, only_call_of):
    fed = [
        agent(say, "w", at=(0, 9)),
        agent(say, "s", "w", "triage", is_step=True, at=(1, 4)),
        say.model("m", "s", say.request(call_id="x"), where={"at": (2, 3)}),
        say.tool("t", "w", at=(5, 6), call_id="x"),
    ]
    assert who(only_call_of(*fed)) == ("triage", "w")


def test_a_step_is_no_invocation_and_hides_none(say, calls_of):
    fed = [
        agent(say, "s", "w", "triage", is_step=True, at=(1, 4)),
        say.model("m", "s", say.request(call_id="x"), where={"at": (2, 3)}),
    ]
    alone = calls_of(*fed)[0]
    assert (*who(alone), alone.stage) == ("triage", None, Stage.REQUESTED)
    within = calls_of(agent(say, "w", at=(0, 9)), *fed)[0]
    assert who(within) == ("triage", "w")


def test_an_agent_inside_a_step_is_nearer(say, only_call_of):
    fed = [
        agent(say, "s", None, "triage", is_step=True),
        agent(say, "a", "s", "Clerk"),
        say.model("m", "a", say.request(call_id="x")),
    ]
    assert who(only_call_of(*fed)) == ("Clerk", "a")


def test_a_span_may_turn_out_to_be_a_step_or_none(say, only_call_of):
    model = say.model("m", "s", say.request(call_id="x"))
    silent = say.plain("s", None)
    step = agent(say, "s", None, "triage", is_step=True)
    assert who(only_call_of(silent, model, step)) == ("triage", None)
    whole = agent(say, "s", None, "Clerk")
    assert only_call_of(step, model, whole).agent in ("triage", "Clerk")


def test_the_run_of_a_named_component_is_of_the_same_agent(say, only_call_of):
    fed = [
        agent(say, "p", "root", "Clerk"),
        agent(say, "r", "p", runs_outer=True),
        say.tool("t", "r"),
    ]
    assert who(only_call_of(*fed)) == ("Clerk", "r")


@pytest.mark.parametrize("between", ["tool", "nothing"])
def test_the_run_of_an_agent_elsewhere_has_no_name(say, calls_of, between):
    fed = [agent(say, "r", "p", runs_outer=True), say.tool("t", "r", "sell")]
    if between == "tool":
        fed += [say.tool("p", "a"), agent(say, "a", None, "Clerk")]
    inner = next(call for call in calls_of(*fed) if call.tool == "sell")
    assert who(inner) == (None, "r")
    assert Gap.AGENT_NOT_OBSERVED in inner.gaps


def test_an_agent_may_be_named_by_its_id_alone_and_late(say, only_call_of):
    call = only_call_of(say.tool("t", None, agent_id="a1"), names(say, "l", "a1", "Clerk"))
    assert who(call) == ("Clerk", None)
    assert (
        only_call_of(say.tool("t", None, agent_id="a2"), names(say, "l", "a1", "Clerk")).agent
        is None
    )


def test_an_id_names_the_agent_of_a_call_that_was_only_asked_for(say, only_call_of):
    asked = say.model("m", None, say.request(call_id="x", agent_id="a1"))
    assert only_call_of(asked, names(say, "l", "a1", "Clerk")).agent == "Clerk"


def test_an_id_with_two_names_has_none(say, only_call_of):
    fed = [names(say, "l", "a1", "Clerk"), names(say, "k", "a1", "Buyer")]
    assert only_call_of(say.tool("t", None, agent_id="a1"), *fed).agent is None
    assert only_call_of(say.tool("t", None, agent_id="a1"), fed[0], fed[0]).agent == "Clerk"


def test_a_call_that_comes_again_keeps_the_name_of_its_id(say):
    assembler = Assembler()
    for place, reading in (
        names(say, "l", "a1", "Clerk"),
        say.tool("t", None, agent_id="a1"),
        say.tool("t", None, agent_id="a1", args={"q": 1}),
        say.tool("t", "root", agent_id="a1", args={"q": 1}, call_id="x"),
    ):
        assembler.add(place, reading, 0)
    (call,) = assembler.trajectory("a" * 32).calls
    assert (call.agent, call.args) == ("Clerk", {"q": 1})


def test_what_spans_say_of_having_run_goes_before_an_answer(say, only_call_of):
    """A call that was turned down has an answer, too."""
    turned_down = say.tool("t", None, call_id="x", stage=Stage.REQUESTED, at=(1, 2))
    heard = say.model("m", None, say.response(name="search", call_id="x"), where={"at": (3, 4)})
    assert only_call_of(turned_down, heard).stage is Stage.REQUESTED
    assert only_call_of(heard).stage is Stage.EXECUTED
