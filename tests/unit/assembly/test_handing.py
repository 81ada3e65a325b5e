"""Handoffs that what comes after them shows, whatever is known first."""

from __future__ import annotations

import pytest

from toolscore_otel.conventions.reading import AgentReading, SpanReading
from toolscore_otel.model import CallKind, Gap

HANDOFF, TOOL = CallKind.HANDOFF, CallKind.TOOL
TRACE = "a" * 32


def test_the_agent_that_a_call_names_runs_afterwards(say, only_call_of):
    call = only_call_of(
        say.agent("a", name="triage"),
        say.tool("t", "a", "transfer_to_billing", at=(3, 4)),
        say.agent("b", name="Billing Agent", at=(5, 9)),
    )
    assert call.kind is HANDOFF


def test_it_may_run_inside_of_the_call(say, calls_of):
    call, _ = calls_of(
        say.tool("t", None, "transfer_to_billing", at=(3, 9)),
        say.agent("b", "t", "billing_agent", at=(4, 8)),
        say.tool("r", "b", "refund", at=(5, 6)),
    )
    assert call.kind is HANDOFF


def test_a_step_of_an_agent_shows_it_too(say, only_call_of):
    step = AgentReading(convention="openinference", name="billing", is_step=True)
    call = only_call_of(
        say.tool("t", None, "handoff_to_billing", at=(3, 4)),
        (say.place("s", at=(5, 6)), SpanReading(agent=step)),
    )
    assert call.kind is HANDOFF


@pytest.mark.parametrize(
    ("name", "agent"),
    [
        ("transfer_to_savings_account", "billing"),
        ("transfer_to_savings_account", None),
        ("refund", "refund"),
        ("transfer_to_agent", "billing"),
        ("transfer_to_billing", "sub billing"),
    ],
)
def test_elsewhere_a_tool_of_such_a_name_is_a_tool(say, only_call_of, name, agent):
    call = only_call_of(
        say.tool("t", None, name, at=(3, 4)), say.agent("b", None, agent, at=(5, 6))
    )
    assert call.kind is TOOL


def test_an_agent_that_ran_before_shows_nothing(say, only_call_of):
    call = only_call_of(
        say.agent("b", name="billing", at=(1, 2)),
        say.tool("t", None, "transfer_to_billing", at=(3, 4)),
    )
    assert call.kind is TOOL


@pytest.mark.parametrize("lacks", ["call", "agent"])
def test_nothing_is_shown_where_a_time_is_not_known(say, only_call_of, lacks):
    call = only_call_of(
        say.tool("t", None, "transfer_to_billing", at=(None if lacks == "call" else 3, 4)),
        say.agent("b", name="billing", at=(None if lacks == "agent" else 5, 6)),
    )
    assert call.kind is TOOL


def test_a_call_with_a_number_is_none_whichever_reading_has_it(say, only_call_of):
    asked = say.request("transfer_to_savings", args={"amount": 5}, call_id="c")
    call = only_call_of(
        say.model("m", None, asked, where={"at": (0, 2)}),
        say.tool("t", None, "transfer_to_savings", call_id="c", at=(3, 4)),
        say.agent("b", name="savings", at=(5, 6)),
    )
    assert call.kind is TOOL


def test_the_answer_shows_it_where_a_message_has_it(say, calls_of):
    asked = say.request("transfer_to_billing", args={}, call_id="c")
    told = say.response(call_id="c", result="Successfully transferred to billing")
    call = calls_of(
        say.model("m", None, asked, where={"at": (0, 2)}),
        say.model("n", None, told, where={"at": (8, 9)}),
    )[0]
    assert call.kind is HANDOFF


def test_what_was_only_asked_for_lacks_no_run_where_it_is_a_handoff(say, rebuilt):
    asked = say.request("handoff_to_billing", args={}, call_id="c")
    found = rebuilt(
        say.model("m", None, asked, where={"at": (0, 2)}),
        say.agent("b", name="billing", at=(5, 6)),
    )
    assert [call.kind for call in found.calls] == [HANDOFF]
    assert Gap.REQUESTED_NOT_RUN not in found.gaps


def test_a_kind_that_the_framework_marks_stays(say, only_call_of):
    call = only_call_of(
        say.tool("t", None, "transfer_to_billing", kind=CallKind.AGENT, at=(3, 4)),
        say.agent("b", name="billing", at=(5, 6)),
    )
    assert call.kind is CallKind.AGENT


def test_several_calls_have_each_its_own_answer(say, calls_of):
    calls = calls_of(
        *(
            say.tool(f"t{n}", None, "transfer_to_billing", call_id=f"c{n}", at=(10 * n, 10 * n + 1))
            for n in range(4)
        ),
        say.agent("b0", name="billing", at=(15, 16)),
        say.agent("b1", name="billing", at=(25, 26)),
    )
    assert [call.kind for call in calls] == [HANDOFF, HANDOFF, HANDOFF, TOOL]


def test_an_agent_that_turns_out_to_have_another_name_shows_nothing_any_more(say, fed_in_order):
    place, _ = say.agent("b", name="billing", at=(5, 6))
    assembler = fed_in_order(
        say.tool("t", None, "transfer_to_billing", at=(3, 4)),
        say.agent("b", name="billing", at=(5, 6)),
    )
    (call,) = assembler.trajectory(TRACE).calls
    assert call.kind is HANDOFF
    changed = assembler.add(place, SpanReading(agent=AgentReading(convention="z", name="zoe")), 0)
    assert [change.after.kind for change in changed.changes if change.after] == [TOOL]


def test_a_call_whose_name_comes_late_and_whose_span_comes_again_is_one_too(say, fed_in_order):
    assembler = fed_in_order(
        say.agent("b", name="billing", at=(5, 6)),
        say.tool("t", None, None, call_id="c", at=(3, 4)),
        say.tool("t", None, "transfer_to_billing", call_id="c", at=(3, 4)),
        say.tool("t", None, "transfer_to_billing", call_id="c", at=(3, 4), result=1),
    )
    (call,) = assembler.trajectory(TRACE).calls
    assert (call.kind, call.result) == (HANDOFF, 1)


def test_who_hears_the_answer_to_a_handoff_did_not_ask_for_it(say, calls_of):
    told = say.response(call_id="c", result="Successfully transferred to billing")
    call = calls_of(
        say.tool("t", None, "transfer_to_billing", call_id="c", at=(3, 4)),
        say.agent("b", name="billing", at=(5, 9)),
        say.model("m", "b", told, where={"at": (6, 7)}),
    )[0]
    assert (call.kind, call.agent, call.invocation_id) == (HANDOFF, None, None)
