"""Whether a rule can be checked on some telemetry, and what is missing."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from tests.unit.engine.conftest import make_span
from toolscore_otel.contracts import Contract
from toolscore_otel.engine.checkable import Checkable
from toolscore_otel.engine.diagnosis import diagnose
from toolscore_otel.engine.observed import Origin
from toolscore_otel.model import Span, SpanEvent


def asked(*spans: Span, applies_to: dict[str, Any] | None = None, **clauses: Any) -> Checkable:
    """The one rule of a contract, asked about these spans."""
    keys = {"contract": "c", "language": 1, **clauses}
    contract = Contract.from_dict(
        keys if applies_to is None else {**keys, "applies_to": applies_to}
    )
    (rule,) = diagnose(spans, [contract]).rules
    return rule


def missing(rule: Checkable) -> dict[tuple[str, str], int]:
    return {(one.evidence, one.unit): one.count for one in rule.missing}


def unknowable(tool: Any, span_id: str = "x", **fields: Any) -> Span:
    """A call with neither arguments nor an end."""
    span: Span = tool(span_id, **{"took": None, **fields})
    return span


PAID = [{"tool": "search", "args": {"amount": {"$gt": 5}}}]


def test_a_rule_of_which_all_evidence_is_there_can_be_checked(tool):
    rule = asked(tool("x", args={"amount": 1}), forbid=PAID)

    assert (rule.answer, rule.unit, rule.can, rule.of, rule.tried) == ("yes", "call", 1, 1, True)
    assert rule.missing == ()
    assert (rule.contract, rule.rule) == ("c", "forbid.1")


def test_a_rule_without_its_evidence_cannot(tool):
    rule = asked(tool("x", scope="lib"), forbid=PAID)

    assert (rule.answer, rule.can, rule.of) == ("no", 0, 1)
    assert missing(rule) == {("arguments", "call"): 1}
    assert rule.missing[0].origins == (Origin(None, "lib", ""),)
    assert rule.unchecked == 1
    assert "arguments not observed" in rule.said


def test_with_evidence_of_some_calls_it_can_in_part(tool):
    rule = asked(tool("x", args={"amount": 1}), tool("y", at=20), forbid=PAID)

    assert (rule.answer, rule.can, rule.of) == ("partly", 1, 2)


def test_calls_of_other_tools_do_not_matter(tool):
    rule = asked(tool("x", args={"amount": 1}), tool("y", "lookup", at=20), forbid=PAID)

    assert (rule.answer, rule.of) == ("yes", 1)


def test_what_another_key_rules_out_need_not_be_observed(tool, agent):
    spans = (agent("a", "desk"), tool("x", parent="a"))
    rule = asked(*spans, forbid=[{**PAID[0], "agent": "billing"}])

    assert (rule.tried, rule.of) == (False, 1)


def test_where_no_call_of_its_tools_was_made_the_others_answer(tool):
    rule = asked(tool("x", "lookup"), tool("y", "fetch", args={}, at=20), forbid=PAID)

    assert (rule.answer, rule.tried, rule.can, rule.of) == ("partly", False, 1, 2)


def test_where_no_call_was_made_at_all_it_is_open(agent):
    rule = asked(agent("a"), forbid=PAID)

    assert (rule.answer, rule.of) == ("open", 0)


def test_a_contract_that_applies_to_nothing_here_leaves_it_open(tool):
    rule = asked(tool("x", service="shop"), applies_to={"service": "desk"}, forbid=PAID)

    assert rule.answer == "open"


def test_a_contract_sees_the_calls_that_it_applies_to(tool):
    ours = tool("x", args={"amount": 1}, service="desk")
    others = tool("y", service="shop", at=20)
    rule = asked(ours, others, applies_to={"service": "desk"}, forbid=PAID)

    assert (rule.answer, rule.of) == ("yes", 1)


def test_a_loop_needs_arguments_though_no_loop_was_made(tool):
    rule = asked(tool("x"), loop={"same_call": 3})

    assert rule.answer == "no"
    assert rule.unchecked == 0


def test_calls_that_were_only_asked_for_are_no_matter_of_what_is_counted(asked_for, tool):
    rule = asked(asked_for, tool("y", at=20), limit=[{"tool": "*", "max": 3}])

    assert rule.of == 1


@pytest.fixture
def asked_for() -> Span:
    said = '[{"role":"assistant","parts":[{"type":"tool_call","id":"c9","name":"buy"}]}]'
    return make_span("m", {"gen_ai.operation.name": "chat", "gen_ai.output.messages": said})


def test_model_calls_that_asked_for_tools_unseen_leave_a_rule_in_the_dark(model):
    attributes = {**model("m").attributes, "gen_ai.response.finish_reasons": ["tool_calls"]}
    blind = structs.replace(model("m", scope="client"), attributes=attributes)
    rule = asked(blind, forbid=PAID)

    assert (rule.answer, rule.of) == ("no", 0)
    assert missing(rule) == {("spans", "trace"): 1}
    assert rule.missing[0].origins == (Origin(None, "client", ""),)


def test_agents_are_missing_only_where_the_whole_trace_names_none(tool, agent):
    of_an_agent = [{"tool": "search", "agent": "desk"}]

    assert missing(asked(tool("x"), forbid=of_an_agent)) == {("agent", "call"): 1}
    assert asked(tool("x"), agent("a"), forbid=of_an_agent).answer == "yes"


def test_a_dispatchers_call_without_its_arguments_has_no_name(tool):
    tools = {"exec": {"name_from": "args.command"}}
    rule = asked(tool("x", "exec"), tools=tools, forbid=["exec:git"])

    assert missing(rule) == {("dispatch", "call"): 1}


def test_a_call_without_a_name_may_be_of_any_tool(tool):
    rule = asked(tool("x", name=None), forbid=["delete_user"])

    assert missing(rule) == {("name", "call"): 1}


def test_what_a_call_took_needs_its_end(tool):
    rule = asked(unknowable(tool), budget=[{"of": "call", "tool": "search", "latency_ms": 5}])

    assert missing(rule) == {("latency", "call"): 1}


def test_what_a_call_cost_needs_a_cost(tool):
    rule = asked(tool("x"), budget=[{"of": "tool", "tool": "search", "cost_usd": 5}])

    assert missing(rule) == {("cost", "call"): 1}


def test_a_failed_call_need_not_have_a_result_but_an_error(tool):
    failed = tool("x", args={}, failed=True)
    told = structs.replace(
        failed,
        events=(SpanEvent("exception", attributes={"exception.message": "gateway timeout"}),),
    )

    assert asked(failed, secrets={"in": ["result"]}).answer == "yes"
    assert missing(asked(failed, secrets={"in": ["error"]})) == {("error", "call"): 1}
    assert asked(told, secrets={"in": ["error"]}).answer == "yes"


def test_what_must_have_happened_is_asked_of_whole_traces(tool, agent):
    whole = (agent("a", trace="t1"), tool("x", parent="a", trace="t1"))
    fragment = tool("y", parent="gone", trace="t2")
    rule = asked(*whole, fragment, require=["search"])

    assert (rule.answer, rule.unit, rule.can, rule.of) == ("partly", "trace", 1, 2)
    assert missing(rule) == {("spans", "trace"): 1}


def test_a_whole_trace_lacks_what_one_of_its_calls_lacks(tool, agent):
    spans = (agent("a"), tool("x", parent="a"), tool("y", "lookup", parent="a", at=20))
    rule = asked(*spans, require=[{"tool": "search", "args": {"amount": 1}}])

    assert (rule.answer, rule.of) == ("no", 1)
    assert missing(rule) == {("arguments", "trace"): 1}


@pytest.mark.parametrize(
    ("limits", "lacking"),
    [
        ({"latency_ms": 9}, {}),
        ({"tokens": 9}, {("tokens", "trace"): 1}),
        ({"cost_usd": 9}, {("cost", "trace"): 1}),
        ({"calls": 9}, {}),
    ],
)
def test_sums_need_what_they_add_up(tool, model, limits, lacking):
    rule = asked(model("m"), tool("x", at=20), budget=[{"of": "trace", **limits}])

    assert missing(rule) == lacking


def test_sums_of_model_calls_that_tell_all_can_be_checked(model):
    spans = (model("m", tokens=5, cost=0.1),)

    assert asked(*spans, budget=[{"of": "trace", "tokens": 9, "cost_usd": 1}]).answer == "yes"


def test_a_trace_without_times_has_no_length(tool):
    rule = asked(tool("x", at=None), budget=[{"of": "trace", "latency_ms": 9}])

    assert missing(rule) == {("latency", "trace"): 1}


def test_what_the_rule_itself_could_not_check_counts_too(tool):
    """A placeholder inside arguments that are there otherwise: only the rule itself comes upon it."""
    rule = asked(tool("x", args={"amount": "[REDACTED]"}), forbid=PAID)

    assert (rule.can, rule.of, rule.missing) == (1, 1, ())
    assert (rule.answer, rule.unchecked) == ("partly", 1)
    assert rule.said.startswith(
        "whether this call of `search` is a forbidden one cannot be checked"
    )


def said(span: Span, text: str = "Hi") -> Span:
    """A model call with a message."""
    messages = f'[{{"role": "user", "content": "{text}"}}]'
    return structs.replace(span, attributes={**span.attributes, "gen_ai.input.messages": messages})


MESSAGES = {"in": ["messages"]}


def test_messages_are_asked_of_traces_with_a_model_call(model, tool):
    told = (said(model("m")), tool("x"), tool("y", trace="u"))
    rule = asked(*told, secrets=MESSAGES)
    assert (rule.answer, rule.unit, rule.can, rule.of) == ("yes", "trace", 1, 1)
    rule = asked(*told, model("m", trace="v", scope="lib"), secrets=MESSAGES)
    assert (rule.answer, rule.can, rule.of) == ("partly", 1, 2)
    assert missing(rule) == {("messages", "trace"): 1}
    assert rule.missing[0].origins == (Origin(None, "lib", ""),)
    assert asked(tool("y"), secrets=MESSAGES).answer == "open"


def test_messages_stand_on_one_of_the_spans_of_a_model_call(model):
    outer, inner = model("m"), model("n", parent="m")
    assert asked(said(outer), inner, secrets=MESSAGES).answer == "yes"
    assert asked(outer, said(inner), secrets=MESSAGES).answer == "yes"
    assert asked(outer, inner, secrets=MESSAGES).answer == "no"


def test_messages_that_were_cut_can_be_checked_in_part(model):
    span = said(model("m"))
    cut = {"gen_ai.input.messages": span.attributes["gen_ai.input.messages"][:-4]}
    span = structs.replace(span, attributes={**span.attributes, **cut})
    assert asked(span, secrets=MESSAGES).answer == "no"


def test_messages_and_calls_are_asked_of_each(model, tool):
    places = {"in": ["arguments", "messages"]}
    rule = asked(tool("x", args={}), model("m"), secrets=places)
    assert (rule.unit, rule.can, rule.of) == ("call", 1, 1)
    assert missing(rule) == {("messages", "trace"): 1}
    assert rule.answer == "partly"


def test_model_calls_of_others_are_not_asked(model):
    spans = (said(model("m", service="s")), model("n", service="z"))
    assert asked(*spans, secrets=MESSAGES, applies_to={"service": "s"}).answer == "yes"
