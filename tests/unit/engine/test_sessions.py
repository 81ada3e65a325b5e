"""Rules of scope `session`: one conversation of one service, over all its traces."""

import json

import pytest
from msgspec import structs

from toolscore_otel.engine.belonging import SessionKey
from toolscore_otel.model import Label, Scope

HOUR = 3_600_000_000_000


def of_session(**clauses):
    return {"scope": "session", **clauses}


def limited(most, **more):
    return of_session(limit=[{"tool": "search", "max": most}], **more)


def test_calls_of_one_conversation_are_counted_over_its_traces(contract, fed, tool):
    engine = fed(contract(**limited(1)))
    assert engine.feed(tool("s1", trace="t", talk="x")) == []
    assert engine.feed(tool("s1", trace="u", talk="y", at=20)) == []
    (finding,) = engine.feed(tool("s2", trace="v", talk="x", at=40))
    assert (finding.rule, finding.scope, finding.count) == ("limit.1", Scope.SESSION, 2)
    assert (finding.trace_id, finding.span_id, finding.conversation_id) == ("v", "s2", "x")
    assert engine.close() == []


def test_one_conversation_id_of_two_services_is_two_sessions(contract, fed, tool):
    engine = fed(contract(**limited(1)))
    engine.feed(tool("s1", trace="t", talk="x", service="shop"))
    engine.feed(tool("s1", trace="u", talk="x", service="desk"))
    engine.close()
    assert engine.fails == []


def test_a_call_without_an_id_takes_the_only_one_of_its_trace(contract, fed, tool):
    engine = fed(contract(**limited(1)))
    engine.feed(tool("s1", trace="t", talk="x"), tool("s2", trace="u"))
    assert engine.fails == []
    engine.feed(tool("s3", "other", trace="u", talk="x"))
    assert engine.fails == ["limit.1"]


def test_without_any_id_or_with_several_the_trace_is_the_session(contract, fed, tool):
    engine = fed(contract(**limited(1)))
    engine.feed(tool("s1", trace="t"), tool("s2", trace="u"))
    engine.feed(tool("s3", trace="v"), tool("s4", trace="v", at=20))
    engine.close()
    (finding,) = engine.engine.report().findings
    assert (finding.trace_id, finding.conversation_id) == ("v", None)
    engine = fed(contract(**limited(1)))
    spans = [tool(f"x{n}", trace="t", talk=talk) for n, talk in enumerate(["x", "y"])]
    engine.feed(*spans, tool("s1", trace="t"), tool("s2", trace="t", at=20))
    assert engine.fails == ["limit.1"]


def test_a_conversation_that_becomes_known_late_moves_what_was_said(contract, fed, tool):
    engine = fed(contract(**of_session(forbid=["rm"])))
    (first,) = engine.feed(tool("s1", "rm"))
    gone, now = engine.feed(tool("s2", talk="x"))
    assert (gone.id, gone.label) == (first.id, Label.PASS)
    assert gone.explanation == "now known as a call of conversation `x`"
    assert (now.label, now.conversation_id) == (Label.FAIL, "x")
    assert engine.close() == []
    assert engine.fails == ["forbid.1"]


def test_a_second_id_leaves_calls_without_one_to_their_trace(contract, fed, tool):
    engine = fed(contract(**limited(1)))
    engine.feed(tool("s1", trace="t", talk="x"), tool("s2", trace="u"))
    engine.feed(tool("s3", "other", trace="u", talk="x"))
    assert engine.fails == ["limit.1"]
    engine.feed(tool("s4", "other", trace="u", talk="y"))
    engine.close()
    assert engine.fails == []


def test_a_service_that_becomes_known_late_moves_a_call(contract, fed, tool):
    engine = fed(contract(**of_session(forbid=["rm"])))
    engine.feed(tool("s2", "rm", parent="s1", at=2, took=5, talk="x", scope="mcp"))
    said = engine.feed(tool("s1", "rm", service="shop", talk="x", scope="framework"))
    assert [(f.label, f.service) for f in said] == [(Label.PASS, None), (Label.FAIL, "shop")]


def test_an_order_is_kept_over_traces_whatever_comes_first(contract, fed, tool):
    rules = contract(**of_session(forbid=[{"tool": "pay", "unless": {"before": {"tool": "ask"}}}]))
    engine = fed(rules)
    engine.feed(tool("s1", "pay", trace="u", talk="x", at=100))
    engine.feed(tool("s1", "ask", trace="t", talk="x"))
    engine.close()
    assert engine.fails == []


def test_what_is_lacking_is_looked_for_in_all_traces_at_closing(contract, fed, tool, agent):
    engine = fed(contract(**of_session(require=["log"])))
    engine.feed(agent("a1", trace="t", talk="x"), agent("a1", trace="u", talk="y"))
    engine.feed(tool("s1", "log", trace="v", talk="x"))
    (finding,) = engine.close()
    assert (finding.trace_id, finding.conversation_id) == ("u", "y")
    assert (finding.scope, finding.span_id, finding.agent) == (Scope.SESSION, None, "desk")


def test_a_session_stands_on_its_first_trace(contract, fed, agent):
    engine = fed(contract(**of_session(require=["log"])))
    engine.feed(agent("a1", trace="u", talk="x", at=100))
    engine.close()
    engine.feed(agent("a1", "other", trace="t", talk="x", at=50))
    (finding,) = engine.close()
    assert (finding.trace_id, finding.agent, finding.revision) == ("t", None, 2)


def test_a_session_is_over_when_it_was_silent_long_enough(contract, fed, agent):
    engine = fed(contract(**of_session(require=["log"])))
    engine.feed(agent("a1", trace="t", talk="x"), now=0)
    assert engine.tick(HOUR) == []
    engine.feed(agent("a1", trace="u", talk="x"), now=20 * HOUR)
    assert engine.tick(24 * HOUR) == engine.tick(44 * HOUR - 1) == []
    (finding,) = engine.tick(44 * HOUR)
    assert (finding.rule, finding.conversation_id) == ("require.1", "x")
    assert engine.tick(100 * HOUR) == []


def test_a_session_that_goes_on_for_too_long_is_over(contract, fed, agent):
    engine = fed(contract(**of_session(require=["log"])), session_max_age_ns=10 * HOUR)
    for hour in range(10):
        engine.feed(agent("a1", trace=f"t{hour}", talk="x"), now=hour * HOUR)
        assert engine.tick(hour * HOUR) == []
    assert [f.rule for f in engine.tick(10 * HOUR)] == ["require.1"]


def test_an_open_trace_tells_what_it_knows_when_its_session_is_over(contract, fed, asked):
    engine = fed(contract(**of_session(require=["log"])), session_max_age_ns=5, max_age_ns=10)
    engine.feed(asked("s1", "log", talk="x"), now=0)
    (finding,) = engine.tick(5)
    assert finding.label is Label.CANNOT_CHECK


def test_a_session_that_was_over_goes_on_with_what_it_knew(contract, fed, tool):
    engine = fed(contract(**limited(1)))
    engine.feed(tool("s1", trace="t", talk="x"))
    engine.close()
    engine.feed(tool("s1", trace="u", talk="x", at=20))
    assert engine.fails == ["limit.1"]
    engine.close()
    assert engine.fails == ["limit.1"]


def test_what_waits_is_said_after_a_while(contract, fed, tool):
    rules = contract(**of_session(forbid=[{"tool": "pay", "unless": {"before": {"tool": "ask"}}}]))
    engine = fed(rules, lateness_ns=5)
    assert engine.feed(tool("s1", "pay", trace="t", talk="x"), now=0) == []
    assert engine.tick(4) == []
    assert [f.rule for f in engine.tick(5)] == ["forbid.1"]


def test_calls_that_share_an_id_in_different_traces_are_kept_apart(contract, fed, tool):
    engine = fed(contract(**of_session(forbid=["rm"])))
    engine.feed(tool("s1", "rm", {"q": 1}, trace="t", call_id="c1", talk="x"))
    engine.feed(tool("s1", "rm", {"q": 2}, trace="u", call_id="c1", talk="x"))
    assert engine.fails == ["forbid.1", "forbid.1"]


@pytest.mark.parametrize("first", ["t", "u"])
def test_a_call_that_was_asked_for_in_one_trace_and_ran_in_another_is_one(
    first, contract, fed, tool, asked
):
    engine = fed(contract(**limited(0, require=["search"])))
    spans = {
        "t": asked("s1", "search", trace="t", talk="x"),
        "u": tool("s1", call_id="c1", trace="u", talk="x", at=50),
    }
    engine.feed(spans.pop(first), *spans.values())
    engine.close()
    (finding,) = engine.engine.report().findings[-1:]
    assert engine.fails == ["limit.1"]
    assert (finding.count, finding.trace_id) == (1, "u")


def test_of_what_ran_elsewhere_the_asking_trace_says_that_it_cannot_check(
    contract, fed, tool, asked, model
):
    engine = fed(contract(forbid=["search"], require=["search", "log"]))
    engine.feed(model("m1", trace="t"), model("m1", trace="u"))
    engine.feed(asked("s1", "search", trace="t", talk="x"))
    assert engine.fails == ["forbid.1"]
    engine.feed(tool("s1", call_id="c1", trace="u", talk="x", at=50))
    engine.close()
    findings = engine.engine.report().findings
    standing = [(f.trace_id, f.rule, f.label.value) for f in findings if f.label is not Label.PASS]
    assert sorted(standing) == [
        ("t", "require.1", "cannot_check"),
        ("t", "require.2", "fail"),
        ("u", "forbid.1", "fail"),
        ("u", "require.2", "fail"),
    ]
    (gone,) = [f for f in findings if f.label is Label.PASS]
    assert gone.explanation == "now known as a call of trace `u`"


def test_what_ran_elsewhere_costs_nothing_where_it_was_asked_for(contract, fed, tool, asked):
    priced = {"search": {"cost_usd": 0.4}}
    engine = fed(contract(tools=priced, budget=[{"of": "trace", "cost_usd": 0.3}]))
    engine.feed(asked("s1", "search", trace="t", talk="x"))
    engine.feed(tool("s1", call_id="c1", trace="u", talk="x", at=50))
    engine.close()
    findings = engine.engine.report().findings
    assert [(f.trace_id, f.label) for f in findings] == [("u", Label.FAIL)]


def history(span, *parts):
    """A model call that was told of these."""
    messages = [{"role": "assistant", "parts": list(parts)}]
    attributes = {**span.attributes, "gen_ai.input.messages": json.dumps(messages)}
    return structs.replace(span, attributes=attributes)


ASKED = {"type": "tool_call", "id": "c1", "name": "search", "arguments": {"q": 1}}
HEARD = {"type": "tool_call_response", "id": "c1", "response": 2}


def test_a_history_that_a_later_trace_repeats_is_no_further_call(contract, fed, tool, model):
    engine = fed(contract(**limited(0, require=[{"tool": "search", "args": {"q": 1}}])))
    engine.feed(history(model("m1", trace="u", talk="x", at=100), ASKED, HEARD))
    engine.feed(tool("s1", call_id="c1", trace="t", talk="x"))
    engine.close()
    report = engine.engine.report()
    assert [f.count for f in report.findings if f.label is Label.FAIL] == [1]
    assert [(t.trace_id, len(t.calls), t.incomplete) for t in report.trajectories] == [
        ("t", 1, True),
        ("u", 0, False),
    ]


def saying(span, *parts):
    """A model call that said these."""
    messages = [{"role": "assistant", "parts": list(parts)}]
    attributes = {**span.attributes, "gen_ai.output.messages": json.dumps(messages)}
    return structs.replace(span, attributes=attributes)


def test_a_call_that_only_messages_tell_of_belongs_to_the_first_trace(contract, fed, model):
    engine = fed(contract(**limited(0)))
    engine.feed(saying(model("m0", trace="t", talk="x"), ASKED))
    engine.feed(history(model("m1", trace="u", talk="x", at=100), ASKED, HEARD))
    engine.close()
    (call,) = [call for t in engine.engine.report().trajectories for call in t.calls]
    assert (call.trace_id, call.stage, call.args, call.result) == ("t", "executed", {"q": 1}, 2)
    assert engine.fails == ["limit.1"]


def test_an_answer_does_not_tell_that_a_call_ran_whose_span_says_it_did_not(
    contract, fed, model, asked
):
    engine = fed(contract(**limited(0)))
    engine.feed(asked("s1", "search", trace="t", talk="x"))
    engine.feed(history(model("m1", trace="u", talk="x", at=100), ASKED, HEARD))
    engine.close()
    (call,) = [call for t in engine.engine.report().trajectories for call in t.calls]
    assert (call.trace_id, call.stage, call.args, call.result) == ("t", "requested", {"q": 1}, 2)
    assert engine.fails == ["coverage"]


def test_without_a_conversation_a_link_ties_traces(contract, fed, tool, asked):
    for linked in ("t", None):
        engine = fed(contract(forbid=["search"]))
        engine.feed(asked("s1", "search", trace="t"))
        engine.feed(tool("s1", call_id="c1", trace="u", at=50, linked=linked))
        assert len(engine.fails) == (1 if linked else 2)


def test_a_contract_speaks_of_what_it_sees_of_a_session(contract, fed, tool, agent):
    rules = of_session(applies_to={"agent": "desk"}, require=["log"], limit=["search"])
    rules["limit"] = [{"tool": "search", "max": 0}]
    engine = fed(contract(**rules))
    engine.feed(agent("a1", "desk", trace="t", talk="x"))
    engine.feed(tool("s1", parent="a1", trace="t", talk="x"))
    engine.feed(agent("a1", "other", trace="u", talk="x"), tool("s1", trace="u", talk="y"))
    engine.feed(tool("s2", parent="a1", trace="u", talk="x", at=20))
    engine.close()
    findings = engine.engine.report().findings
    assert [(f.rule, f.count, f.conversation_id) for f in findings] == [
        ("limit.1", 1, "x"),
        ("require.1", 1, "x"),
    ]


def test_past_their_cap_the_session_that_was_silent_longest_is_closed(contract, fed, agent):
    engine = fed(contract(**of_session(require=["log"])), sessions=2)
    for number in range(3):
        engine.feed(agent("a1", trace=f"t{number}", talk=f"x{number}"), now=number)
    assert [f.conversation_id for f in engine.said] == ["x0"]
    engine.close()
    engine.feed(agent("a1", trace="t3", talk="x3"))
    counters = engine.engine.report().counters
    assert (counters["sessions_evicted"], counters["sessions_forgotten"]) == (1, 1)


def test_past_their_cap_calls_are_told_to_rules_about_single_calls_only(contract, fed, tool):
    rules = contract(**limited(1, forbid=["search"], budget=[{"of": "session", "calls": 1}]))
    engine = fed(rules, spans_per_trajectory=1)
    for trace in "tuv":
        engine.feed(tool("s1", trace=trace, talk="x"))
    engine.close()
    assert engine.fails == ["forbid.1"] * 3
    assert engine.engine.report().counters["session_limit"] == 4


def test_past_the_cap_of_all_calls_whole_sessions_go(contract, fed, tool):
    engine = fed(contract(**limited(5)), session_calls=1)
    for trace in "tuv":
        engine.feed(tool("s1", trace=trace, talk=trace))
    assert engine.engine.report().counters["sessions_evicted"] == 2


def test_a_trace_that_is_forgotten_is_still_part_of_its_session(contract, fed, tool):
    rules = contract(**limited(1))
    engine = fed(rules, closed_trajectories=0, idle_ns=1)
    engine.feed(tool("s1", trace="t", talk="x"), tool("s1", trace="v"), now=0)
    engine.tick(5)
    engine.feed(tool("s1", trace="t", talk="x"), now=6)
    assert engine.fails == []
    engine.tick(10)
    engine.feed(tool("s1", trace="u", talk="x", at=20), now=11)
    assert engine.fails == ["limit.1"]


def test_a_session_without_rules_costs_nothing(contract, fed, tool):
    engine = fed(contract(forbid=["rm"]))
    engine.feed(tool("s1", talk="x"))
    engine.close()
    assert not engine.engine.sessions


def test_rules_that_hold_on_a_session_are_counted(contract, fed, tool):
    engine = fed(contract(**limited(1)), contract(contract="d", forbid=["rm"]))
    engine.feed(tool("s1", trace="t", talk="x"), tool("s1", trace="u", talk="x"))
    engine.feed(tool("s1", trace="v"))
    engine.close()
    assert engine.engine.report().outcomes == {Label.FAIL: 1, Label.PASS: 4}


def test_a_session_that_was_forgotten_is_not_settled(contract, fed, agent):
    engine = fed(contract(**of_session(require=["log"])), sessions=1)
    engine.feed(agent("a1", trace="t", talk="x"), agent("a1", trace="u", talk="y"))
    assert [f.conversation_id for f in engine.said] == ["x"]
    assert [f.conversation_id for f in engine.close()] == ["y"]


def test_a_forgotten_trace_of_several_sessions_is_part_of_those_that_are_left(contract, fed, tool):
    engine = fed(contract(**limited(0)), sessions=1)
    engine.feed(tool("s1", trace="t", talk="x"), tool("s2", trace="t", talk="y", at=20))
    engine.feed(tool("s3", trace="t", talk="y", at=40))
    engine.close()
    last = engine.engine.report().findings
    assert [(f.conversation_id, f.count) for f in last] == [("y", 2)]


def test_what_waits_of_a_session_that_goes_is_said_with_its_end(contract, fed, tool):
    rules = contract(**of_session(forbid=[{"tool": "pay", "unless": {"before": {"tool": "ask"}}}]))
    engine = fed(rules, lateness_ns=5, sessions=1)
    engine.feed(tool("s1", "pay", trace="t", talk="x"), now=0)
    assert [f.rule for f in engine.feed(tool("s1", trace="u", talk="y"), now=1)] == ["forbid.1"]
    engine.feed(tool("s1", "pay", trace="v"), now=2)
    engine.feed(tool("s2", trace="v", talk="z"), now=3)
    assert [(f.rule, f.conversation_id) for f in engine.tick(9)] == [("forbid.1", "z")]


def test_model_calls_that_ask_for_tools_in_a_session_without_calls(contract, fed, model):
    engine = fed(contract(**of_session(require=["log"])))
    span = model("m1", talk="x")
    asking = {**span.attributes, "gen_ai.response.finish_reasons": ["tool_calls"]}
    engine.feed(structs.replace(span, attributes=asking))
    engine.close()
    assert engine.standing(Label.CANNOT_CHECK) == ["require.1"]


def test_which_traces_open_conversations_are_made_of(contract, fed, tool):
    engine = fed(contract(**limited(1)))
    sessions = engine.engine.sessions
    engine.feed(tool("s1", trace="t", talk="x"), tool("s1", trace="u"))
    assert sessions.take_kept() == {"t": True}
    engine.feed(tool("s2", trace="t", talk="y", at=20))
    assert sessions.take_kept() == {}
    engine.close()
    assert sessions.take_kept() == {"t": False}
    engine.feed(tool("s1", trace="v", talk="x", at=20))
    assert sessions.take_kept() == {"t": True, "v": True}


def test_a_rule_that_raises_on_a_session_is_counted(contract, fed, tool):
    engine = fed(contract(**limited(1)))
    engine.feed(tool("s1", trace="t", talk="x"))
    session = engine.engine.sessions._open[SessionKey("", "", "x")]
    (slot,) = session._running[0]._all_slots()
    slot._state = None
    engine.feed(tool("s1", trace="u", talk="x"))
    assert set(engine.engine.rule_errors) == {"c/limit.1: AttributeError"}


def test_a_closed_trace_goes_on_when_another_one_tells_more_of_its_calls(
    contract, fed, tool, asked
):
    engine = fed(contract(forbid=["search"]), open_trajectories=1, closed_trajectories=1)
    engine.feed(asked("s1", "search", trace="t", talk="x"))
    engine.feed(tool("s1", "other", trace="v"))
    engine.feed(tool("s1", call_id="c1", trace="u", talk="x", at=50))
    engine.close()
    assert engine.fails == ["forbid.1"]
    assert engine.engine.report().counters["late"] == 1


def test_a_trace_that_leaves_a_session_leaves_the_others_there(contract, fed, tool):
    engine = fed(contract(**limited(1)))
    engine.feed(tool("s1", trace="t", talk="x"), tool("s2", trace="u", at=20))
    engine.feed(tool("s3", "other", trace="u", parent="s2", talk="x", at=22, took=1))
    engine.feed(tool("s4", trace="v", talk="x", at=40), tool("s5", trace="w", at=60))
    engine.feed(tool("s6", "other", trace="w", talk="x", at=70))
    assert engine.engine.report().findings[0].count == 4
    engine.feed(tool("s7", "more", trace="w", talk="y", at=80))
    engine.close()
    assert [f.count for f in engine.engine.report().findings] == [3]


def test_a_trace_that_is_its_own_session_is_over_with_it(contract, fed, agent):
    engine = fed(contract(**of_session(require=["log"])), idle_ns=5)
    span = agent("a1")
    engine.feed(span, now=0)
    assert engine.tick(4) == []
    assert [f.rule for f in engine.tick(5)] == ["require.1"]
    engine.feed(span, now=6)
    assert engine.tick(11) == []


def test_a_trace_may_leave_a_session_that_others_stay_in(contract, fed, tool):
    engine = fed(contract(**limited(1)))
    engine.feed(tool("s2", trace="t", talk="x", parent="s1", at=2, took=5, scope="mcp"))
    engine.feed(tool("s1", trace="u", talk="x", at=20))
    assert engine.fails == ["limit.1"]
    engine.feed(tool("s1", trace="t", talk="x", service="shop", scope="framework"))
    engine.close()
    assert engine.fails == []
