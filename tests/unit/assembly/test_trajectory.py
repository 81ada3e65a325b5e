"""The trajectory of one trace as it stands."""

from __future__ import annotations

import pytest

from toolscore_otel.assembly import in_order
from toolscore_otel.conventions.reading import SpanReading
from toolscore_otel.model import CallKind, Gap, Scope, ToolCall, Trajectory


def test_calls_stand_by_start_then_by_place_in_the_asking_message_then_by_key():
    calls = [
        ToolCall(tool="e", key="e"),
        ToolCall(tool="d", start_ns=2, key="d"),
        ToolCall(tool="c", start_ns=1, position=1, key="a"),
        ToolCall(tool="b", start_ns=1, position=0, key="y"),
        ToolCall(tool="a", start_ns=1, position=0, key="x"),
    ]
    assert "".join(call.tool for call in in_order(calls)) == "abcde"


def test_a_trajectory_tells_who_when_and_where(say, rebuilt):
    place = {"resource": {"service.name": "shop", "deployment.environment.name": "prod"}}
    trajectory = rebuilt(
        say.agent("a", None, "Clerk", conversation_id="c1", at=(0, 4_000_000_000), **place),
        say.tool("t", "a", scenario="s1", at=(1_000_000_000, 2_000_000_000), **place),
        say.model("m", "a", where={"at": (3_000_000_000, 5_000_000_000)}, cost_usd=0.1),
    )
    assert trajectory == Trajectory(
        scope=Scope.TRACE,
        trace_id="a" * 32,
        conversation_id="c1",
        agent="Clerk",
        service="shop",
        environment="prod",
        scenario="s1",
        start_ns=0,
        end_ns=5_000_000_000,
        latency_s=5.0,
        active_s=3.0,
        calls=trajectory.calls,
        tokens=trajectory.tokens,
        cost_usd=0.1,
        cost_source=trajectory.cost_source,
        closed_by=trajectory.closed_by,
        turns=trajectory.turns,
    )


def test_a_plain_span_is_no_part_of_its_length(say, rebuilt):
    trajectory = rebuilt(say.plain("root", at=(0, 99)), say.tool("t", "root", at=(3, 7)))
    assert (trajectory.start_ns, trajectory.end_ns) == (3, 7)


def test_a_length_that_was_not_observed_is_none(say, rebuilt):
    trajectory = rebuilt(say.tool("t", at=(None, None)))
    assert (trajectory.latency_s, trajectory.active_s) == (None, None)
    assert rebuilt(say.tool("t", at=(5, None))).latency_s is None
    assert rebuilt(say.tool("t", at=(None, 5))).latency_s is None


def test_active_is_the_union_of_tool_and_model_calls(say, rebuilt):
    second = 1_000_000_000
    trajectory = rebuilt(
        say.agent("a", at=(0, 20 * second)),
        say.tool("t", "a", at=(0, 4 * second)),
        say.tool("u", "a", at=(2 * second, 3 * second)),
        say.model("m", "a", where={"at": (3 * second, 6 * second)}),
        say.model("n", "a", say.request("later"), where={"at": (8 * second, 9 * second)}),
        say.tool("v", "a", at=(15 * second, None)),
    )
    assert trajectory.active_s == 7.0


def test_calls_without_a_conversation_take_the_only_one_of_their_trace(say, rebuilt):
    trajectory = rebuilt(
        (say.place("root"), SpanReading(conversation_id="c1")), say.tool("t", "root")
    )
    assert (trajectory.conversation_id, trajectory.calls[0].conversation_id) == ("c1", "c1")


def test_the_conversation_of_the_resource_counts_where_the_trace_names_none(say, rebuilt):
    of_resource = (say.place("root"), SpanReading(session="r1"))
    trajectory = rebuilt(of_resource, say.tool("t", "root"))
    assert trajectory.calls[0].conversation_id == "r1"
    trajectory = rebuilt(of_resource, say.tool("t", "root", conversation_id="c1"))
    assert trajectory.conversation_id == "c1"


def test_where_there_are_several_conversations_none_is_guessed(say, rebuilt):
    trajectory = rebuilt(
        say.agent("a", None, "Clerk", conversation_id="c1"),
        say.tool("t", "a", at=(0, 1)),
        say.tool("u", None, at=(2, 3), conversation_id="c2"),
        say.tool("v", None, at=(4, 5)),
    )
    assert trajectory.conversation_id is None
    assert [call.conversation_id for call in trajectory.calls] == ["c1", "c2", None]


def test_a_scenario_on_any_span_is_the_trajectorys(say, rebuilt):
    trajectory = rebuilt((say.place("root"), SpanReading(scenario="s1")), say.tool("t", "root"))
    assert trajectory.scenario == "s1"


@pytest.mark.parametrize(
    ("agents", "name"),
    [
        ([("a", None, "Clerk"), ("b", "a", "Buyer")], "Clerk"),
        ([("a", None, None), ("b", "a", "Buyer"), ("c", "b", None), ("d", "c", "Clerk")], "Buyer"),
        ([("a", None, None), ("b", "a", None), ("c", "b", "Clerk"), ("d", "b", "Clerk")], "Clerk"),
        (
            [("a", None, "Clerk"), ("b", "a", None), ("c", "b", "Buyer"), ("d", "b", "Buyer")],
            "Clerk",
        ),
        ([("a", None, "Clerk"), ("b", None, "Buyer")], None),
        ([("a", None, "Clerk"), ("b", None, "Clerk")], "Clerk"),
        ([("a", None, None)], None),
        ([], None),
    ],
)
def test_its_agent_is_the_only_named_one_that_no_other_encloses(say, rebuilt, agents, name):
    fed = [say.agent(*agent) for agent in agents]
    assert rebuilt(*fed, say.tool("t")).agent == name


def test_a_call_that_was_asked_for_and_not_seen_to_run_makes_it_incomplete(say, rebuilt):
    trajectory = rebuilt(say.model("m", None, say.request(call_id="x")))
    assert trajectory.incomplete
    assert trajectory.gaps == (Gap.COST_NOT_KNOWN, Gap.REQUESTED_NOT_RUN)


def test_a_handoff_that_was_only_asked_for_does_not(say, rebuilt):
    request = say.request("to_billing", call_id="x", kind=CallKind.HANDOFF)
    assert not rebuilt(say.model("m", None, request)).incomplete


@pytest.mark.parametrize("parent", [None, "missing"])
def test_tool_spans_alone_are_a_fragment(say, rebuilt, parent):
    trajectory = rebuilt(say.tool("t", parent))
    assert trajectory.incomplete
    assert Gap.FRAGMENT in trajectory.gaps
    assert (Gap.PARENT_MISSING in trajectory.gaps) == (parent is not None)


def test_tool_spans_under_a_root_an_agent_or_a_model_call_are_whole(say, rebuilt):
    assert not rebuilt(say.plain("root"), say.tool("t", "root")).incomplete
    assert not rebuilt(say.agent("a"), say.tool("t")).incomplete
    partly = rebuilt(say.model("m", None), say.tool("t", "missing"))
    assert not partly.incomplete
    assert Gap.PARENT_MISSING in partly.gaps


def test_log_records_alone_are_no_fragment_of_spans(say, rebuilt):
    assert not rebuilt(say.log("l", "missing", call_id="x")).incomplete


def test_a_model_that_asked_for_tools_in_a_trace_without_a_call_makes_it_incomplete(say, rebuilt):
    asking = say.model("m", None, asks=True)
    alone = rebuilt(asking)
    assert (alone.incomplete, Gap.TOOL_SPANS_MISSING in alone.gaps) == (True, True)
    beside = rebuilt(asking, say.tool("t", "m"))
    assert Gap.TOOL_SPANS_MISSING not in beside.gaps
    assert Gap.TOOL_SPANS_MISSING not in rebuilt(say.model("m", None)).gaps
