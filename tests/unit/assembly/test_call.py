"""The call that its readings tell of together, whatever their order."""

from __future__ import annotations

import pytest
from msgspec import structs

from toolscore_otel.assembly.call import assemble
from toolscore_otel.model import (
    CallKind,
    ContentState,
    CostSource,
    Gap,
    Payload,
    Source,
    Stage,
    Status,
    ToolCall,
)

NATIVE = {"scope": "two"}
CLIENT = {"layer": "client", "scope": "mcp"}
SERVER = {"layer": "server", "scope": "mcp"}


def test_a_span_that_says_all_gives_a_call_without_gaps(say, only_call_of):
    call = only_call_of(
        say.agent("a", None, "Clerk", conversation_id="c1"),
        say.tool(
            "s",
            "a",
            call_id="x",
            args={"q": 1},
            result={"hits": 2},
            at=(2, 8),
            resource={"service.name": "shop", "deployment.environment.name": "prod"},
        ),
    )
    assert call == ToolCall(
        tool="search",
        recorded_name="search",
        args={"q": 1},
        result={"hits": 2},
        status=Status.OK,
        call_id="x",
        trace_id="a" * 32,
        span_id="s",
        parent_span_id="a",
        agent="Clerk",
        invocation_id="a",
        conversation_id="c1",
        service="shop",
        environment="prod",
        start_ns=2,
        end_ns=8,
        convention="genai",
        sources=(Source("span", "genai", "s"),),
        key="x",
    )


def test_framework_client_and_server_spans_are_one_call(say, only_call_of):
    call = only_call_of(
        say.agent("a"),
        say.tool("f", "a", args={"q": 1}, call_id="x", at=(0, 10)),
        say.plain("http", "c"),
        say.tool("c", "f", at=(1, 9), **CLIENT),
        say.tool("s", "http", at=(2, 8), status=Status.ERROR, error_type="tool_error", **SERVER),
    )
    assert (call.span_id, call.start_ns, call.end_ns, call.call_id) == ("f", 0, 10, "x")
    assert (call.status, call.error_type, call.args) == (Status.ERROR, "tool_error", {"q": 1})
    assert [source.span_id for source in call.sources] == ["f", "c", "s"]


def test_a_wrapper_around_a_native_span_is_one_call_and_each_fills_what_the_other_lacks(
    say, only_call_of
):
    call = only_call_of(
        say.tool("o", None, args={"q": 1}, convention="openinference", status=Status.OK),
        say.tool(
            "n",
            "o",
            call_id="x",
            status=Status.ERROR,
            error_message="no such order",
            **NATIVE,
        ),
    )
    assert (call.key, call.args, call.convention) == ("x", {"q": 1}, "openinference")
    assert (call.status, call.error_message) == (Status.ERROR, "no such order")


def test_the_nameless_part_in_which_a_tool_runs_tells_how_it_ended(say, only_call_of):
    call = only_call_of(
        say.tool("t", None, call_id="x", status=Status.UNKNOWN),
        say.tool("t.execution", "t", None, status=Status.ERROR, error_type="ENOENT"),
    )
    assert (call.tool, call.status, call.error_type) == ("search", Status.ERROR, "ENOENT")


def test_the_deepest_failure_gives_the_reason(say, only_call_of):
    call = only_call_of(
        say.tool("f", None, status=Status.ERROR, error_type="ToolError", error_message="failed"),
        say.tool("c", "f", status=Status.ERROR, error_type="Upstream", **CLIENT),
    )
    assert (call.error_type, call.error_message) == ("Upstream", "failed")


@pytest.mark.parametrize(("ended", "status"), [("ok", Status.OK), ("error", Status.ERROR)])
def test_an_inner_attempt_that_was_repeated_counts_as_the_last_one_ended(
    say, only_call_of, ended, status
):
    failed = {"status": Status.ERROR, "error_type": "Timeout"}
    call = only_call_of(
        say.tool("f", None, at=(0, 10)),
        say.tool("c1", "f", at=(1, 2), **CLIENT, **failed),
        say.tool("c2", "f", at=(3, 4), **CLIENT, **(failed if ended == "error" else {})),
    )
    assert call.status is status
    assert call.error_type == ("Timeout" if ended == "error" else None)


def test_what_stands_inside_an_attempt_that_was_repeated_counts_no_more(say, only_call_of):
    call = only_call_of(
        say.tool("f", None, at=(0, 10)),
        say.tool("c1", "f", at=(1, 2), **CLIENT),
        say.tool("s1", "c1", at=(1, 2), status=Status.ERROR, **SERVER),
        say.tool("c2", "f", at=(3, 4), **CLIENT),
        say.tool("s2", "c2", at=(3, 4), **SERVER),
    )
    assert (call.status, call.error_type) == (Status.OK, None)
    assert len(call.sources) == 5


def test_a_call_is_put_together_from_span_messages_and_log(say, only_call_of):
    request = say.request(call_id="x", args={"q": 1}, position=2)
    call = only_call_of(
        say.model("m1", None, request, where={"at": (0, 10)}),
        say.tool("s", None, None, call_id="x", at=(12, 18), status=Status.UNKNOWN),
        say.log("l", None, call_id="x", at=(19, 19), status=Status.ERROR, error_type="exit 2"),
        say.model(
            "m2", None, request, say.response(call_id="x", result="none"), where={"at": (20, 30)}
        ),
    )
    assert (call.tool, call.args, call.result) == ("search", {"q": 1}, "none")
    assert (call.status, call.error_type, call.stage) == (Status.ERROR, "exit 2", Stage.EXECUTED)
    assert (call.start_ns, call.end_ns, call.span_id, call.position) == (12, 18, "s", 2)
    assert [source.what for source in call.sources] == ["span", "log", "request", "response"]


def test_a_call_that_was_only_asked_for_has_the_time_of_the_asking(say, only_call_of):
    call = only_call_of(
        say.model("m", None, say.request(call_id="x", args={}), where={"at": (0, 10)})
    )
    assert (call.stage, call.status) == (Stage.REQUESTED, Status.UNKNOWN)
    assert (call.start_ns, call.end_ns) == (10, 10)
    assert (call.span_id, call.parent_span_id) == ("m", "m")
    assert call.gaps == (Gap.AGENT_NOT_OBSERVED,)


def test_an_answer_proves_that_it_ran_and_not_when_it_ended(say, only_call_of):
    call = only_call_of(
        say.model("m1", None, say.request(call_id="x"), where={"at": (0, 10)}),
        say.model("m2", None, say.response(call_id="x", result=1), where={"at": (20, 30)}),
    )
    assert (call.stage, call.start_ns, call.end_ns) == (Stage.EXECUTED, 10, None)
    assert {Gap.TIMES_NOT_OBSERVED, Gap.STATUS_NOT_OBSERVED} <= set(call.gaps)


def test_a_call_that_only_its_answer_tells_of_starts_when_that_is_heard(say, only_call_of):
    answer = say.response(name="search", call_id="x", result=1)
    call = only_call_of(say.model("m", None, answer, where={"at": (7, 9)}))
    assert (call.stage, call.tool, call.start_ns, call.end_ns) == ("executed", "search", 7, None)
    assert Gap.TIMES_NOT_OBSERVED in call.gaps


def test_an_answer_that_names_no_tool_is_no_call(say, calls_of):
    assert calls_of(say.model("m", None, say.response(call_id="x", result=1, fills=True))) == ()


def test_several_answers_that_name_no_tool_are_none_together(say, calls_of):
    answers = [
        say.response(call_id="x", result=1, fills=True),
        structs.replace(say.response(call_id="x", result=1, fills=True), convention="vercel"),
    ]
    assert calls_of(say.model("m", None, answers[0]), say.model("n", None, answers[1])) == ()


def test_times_come_from_the_log_record_where_there_is_no_span(say, only_call_of):
    call = only_call_of(
        say.model("m", None, say.request(call_id="x"), where={"at": (0, 10)}),
        say.log("l", None, call_id="x", at=(15, 19)),
    )
    assert (call.start_ns, call.end_ns) == (15, 19)


def test_an_inner_span_fills_a_time_that_the_outer_one_lacks(say, only_call_of):
    call = only_call_of(say.tool("f", None, at=(3, None)), say.tool("c", "f", at=(4, 9), **CLIENT))
    assert (call.start_ns, call.end_ns) == (3, 9)
    assert Gap.SPAN_NOT_ENDED in call.gaps
    open_ones = (say.tool("f", None, at=(3, None)), say.tool("c", "f", at=(4, None), **CLIENT))
    assert only_call_of(*open_ones).end_ns is None


def test_the_kind_is_the_one_that_any_reading_knows(say, only_call_of):
    call = only_call_of(
        say.tool("o", None, convention="openinference"),
        say.tool("n", "o", kind=CallKind.AGENT, **NATIVE),
    )
    assert call.kind is CallKind.AGENT


def test_service_and_conversation_come_from_the_outermost_reading_that_has_them(say, only_call_of):
    call = only_call_of(
        say.tool("f", None),
        say.tool("c", "f", resource={"service.name": "gate"}, conversation_id="c1", **CLIENT),
        say.tool("s", "c", resource={"service.name": "shop"}, conversation_id="c2", **SERVER),
    )
    assert (call.service, call.conversation_id) == ("gate", "c1")


@pytest.mark.parametrize(
    ("said", "gap"),
    [
        ({"name": None}, Gap.NAME_NOT_OBSERVED),
        ({}, Gap.ARGS_NOT_OBSERVED),
        ({"args": Payload(ContentState.TRUNCATED, None, '{"q')}, Gap.ARGS_TRUNCATED),
        ({"args": Payload(ContentState.UNPARSABLE, None, "q is 1")}, Gap.ARGS_UNPARSABLE),
        ({}, Gap.RESULT_NOT_OBSERVED),
        ({"result": Payload(ContentState.TRUNCATED, None, '{"h')}, Gap.RESULT_TRUNCATED),
        ({}, Gap.NO_CALL_ID),
        ({}, Gap.AGENT_NOT_OBSERVED),
        ({"status": Status.UNKNOWN}, Gap.STATUS_NOT_OBSERVED),
        ({"at": (None, 3)}, Gap.TIMES_NOT_OBSERVED),
        ({"at": (3, None)}, Gap.SPAN_NOT_ENDED),
        ({"dropped": 1}, Gap.ATTRIBUTES_DROPPED),
        ({"parent": "missing"}, Gap.PARENT_MISSING),
        ({"gaps": (Gap.NAME_FROM_SPAN,)}, Gap.NAME_FROM_SPAN),
    ],
)
def test_what_is_missing_is_said(say, only_call_of, said, gap):
    whole = say.call(call_id="x", args={}, result=1, agent="Clerk")
    assert gap in only_call_of(say.tool("s", **said)).gaps
    assert only_call_of((say.place("s"), say.tool("s")[1].__class__(calls=(whole,)))).gaps == ()


def test_raw_text_is_kept_of_what_is_cut(say, only_call_of):
    cut = Payload(ContentState.TRUNCATED, None, '{"q')
    call = only_call_of(say.tool("s", args=cut, result=cut))
    assert (call.args, call.args_text, call.args_state) == (None, '{"q', ContentState.TRUNCATED)
    assert (call.result, call.result_text) == (None, '{"q')


def test_what_is_observed_anywhere_goes_before_what_is_cut(say, only_call_of):
    cut = Payload(ContentState.TRUNCATED, None, '{"q')
    call = only_call_of(say.tool("o", args=cut), say.tool("n", "o", args={"q": 1}, **NATIVE))
    assert (call.args, call.args_text) == ({"q": 1}, None)


def test_gaps_that_another_reading_fills_are_no_gaps(say, only_call_of):
    call = only_call_of(
        say.tool("o", None, gaps=(Gap.NAME_FROM_SPAN, Gap.CONTENT_HIDDEN)),
        say.tool("n", "o", args={}, result=1, **NATIVE),
    )
    assert {Gap.NAME_FROM_SPAN, Gap.CONTENT_HIDDEN}.isdisjoint(call.gaps)
    hidden = only_call_of(say.tool("o", None, args={}, gaps=(Gap.CONTENT_HIDDEN,)))
    assert Gap.CONTENT_HIDDEN in hidden.gaps


def test_one_source_is_named_once(say, node):
    one, same = node(say.tool("s")), node(say.tool("s"))
    assert assemble([one, same]).sources == (Source("span", "genai", "s"),)


def test_reported_cost_goes_before_what_stands_inside(say, only_call_of):
    call = only_call_of(say.tool("o", cost_usd=0.5), say.model("m", "o", cost_usd=0.1))
    assert (call.cost_usd, call.cost_source) == (0.5, CostSource.REPORTED)
    assert Gap.COST_NOT_KNOWN not in call.gaps


def test_the_outermost_report_goes_first(say, only_call_of):
    call = only_call_of(say.tool("o", cost_usd=0.5), say.tool("n", "o", cost_usd=0.4, **NATIVE))
    assert call.cost_usd == 0.5


def test_a_call_without_any_model_call_has_no_cost_and_no_gap_for_it(say, only_call_of):
    call = only_call_of(say.tool("s"))
    assert (call.cost_usd, call.cost_source) == (None, None)
    assert Gap.COST_NOT_KNOWN not in call.gaps


def test_a_call_whose_spans_have_no_times_has_none(say, only_call_of):
    call = only_call_of(say.tool("t", at=(None, None)))
    assert (call.start_ns, call.end_ns) == (None, None)


AGENTS_SDK = "openinference.instrumentation.openai_agents"


@pytest.mark.parametrize(
    ("scope", "inside", "status"),
    [
        (AGENTS_SDK, [], "ok"),
        (AGENTS_SDK, [("client", Status.UNKNOWN)], "unknown"),
        (AGENTS_SDK, [("client", Status.OK)], "ok"),
        (AGENTS_SDK, [("client", Status.UNKNOWN), ("server", Status.OK)], "ok"),
        (AGENTS_SDK, [("client", Status.UNKNOWN), ("server", Status.ERROR)], "error"),
        ("pydantic-ai", [("client", Status.UNKNOWN)], "ok"),
    ],
)
def test_the_agents_sdk_does_not_show_that_an_mcp_tool_failed(
    say, only_call_of, scope, inside, status
):
    spans = [say.tool("t0", scope=scope, at=(0, 100))]
    for depth, (layer, end) in enumerate(inside):
        where = (depth + 1, 99 - depth)
        spans.append(
            say.tool(f"t{depth + 1}", f"t{depth}", layer=layer, status=end, scope="mcp", at=where)
        )
    assert only_call_of(*spans).status == status
