"""Secrets beside arguments, results and messages: in why something failed, and in all else that spans carry."""

import json
from itertools import permutations
from typing import Any

import pytest
from msgspec import structs

from toolscore_otel.assembly.hearing import MOST_EXPOSED
from toolscore_otel.contracts import Contract
from toolscore_otel.engine import Engine
from toolscore_otel.model import Finding, Label, Link, LogRecord, Span, SpanEvent
from toolscore_otel.secrets.samples import make_sample

KIND = "github_token_classic"
TOKEN, OTHER = make_sample(KIND, 1), make_sample(KIND, 2)
ALL = ["arguments", "result", "error", "messages", "attributes"]


def standing(*items: Span | LogRecord, key: Any = b"key", **clause: Any) -> list[Finding]:
    """What fails in the end."""
    contract = Contract.from_dict(
        {"contract": "c", "language": 1, "secrets": {"in": ALL, **clause}}
    )
    engine = Engine([contract], fingerprint_key=key)
    for item in items:
        engine.feed(item, 0)
    engine.close()
    report = engine.report()
    assert report.errors == {}
    return [finding for finding in report.findings if finding.label is Label.FAIL]


def places(*items: Span | LogRecord, **clause: Any) -> list[tuple[str, str]]:
    return sorted((f.span_id or "", f.path or "") for f in standing(*items, **clause))


def with_(span: Span, **attributes: Any) -> Span:
    given = {name.replace("__", "."): value for name, value in attributes.items()}
    return structs.replace(span, attributes={**span.attributes, **given})


def failed(span: Span, *, message: str = "", **exception: str) -> Span:
    told = {f"exception.{name}": text for name, text in exception.items()}
    events = (SpanEvent("exception", None, told),) if told else ()
    return structs.replace(span, status_message=message, events=events)


def record(span_id: str | None = "s", **fields: Any) -> LogRecord:
    return LogRecord(trace_id="t", span_id=span_id, **fields)


def test_why_a_call_failed_is_looked_through_as_a_whole(tool):
    span = failed(
        tool("s", failed=True), message=f"a {TOKEN}", message_="x", stacktrace=f"at {OTHER}"
    )
    first, second = standing(span, **{"in": ["error"]})
    assert (first.path, second.path) == ("error", "error.exception.stacktrace")
    assert (second.tool, second.span_id, second.secret_kind) == ("search", "s", KIND)
    assert second.explanation == (
        f"`search` was called and it failed with a secret of kind `{KIND}` at "
        "`error.exception.stacktrace`"
    )
    assert first.fingerprint != second.fingerprint
    assert TOKEN not in repr(first)


def test_a_status_text_beside_an_exception_is_looked_through(tool):
    span = failed(tool("s", failed=True), message=f"no: {TOKEN}", type="E", stacktrace="x")
    also = structs.replace(
        span, events=(SpanEvent("exception", None, {"exception.message": "bad"}),)
    )
    assert places(span, **{"in": ["error"]}) == [("s", "error")]
    assert places(also, **{"in": ["error"]}) == [("s", "error.status")]


def test_a_secret_of_the_error_message_is_not_told_again_from_the_stack_trace(tool):
    span = failed(tool("s", failed=True), message_="", stacktrace=f"E: {TOKEN}")
    told = structs.replace(
        span,
        status_message=f"E: {TOKEN}",
        events=(*span.events, SpanEvent("exception", None, {"exception.stacktrace": TOKEN})),
    )
    assert places(told) == [("s", "error")]


@pytest.mark.parametrize("what", ["tool", "agent", "model"])
def test_every_attribute_event_and_link_is_looked_through(what, request):
    made = request.getfixturevalue(what)("s")
    span = structs.replace(
        with_(
            made, db__statement=f"use {TOKEN}", more={"deep": ["x", {"k": make_sample(KIND, 4)}]}
        ),
        events=(SpanEvent("note", None, {"a": "b"}), SpanEvent("note", None, {"k": OTHER})),
        links=(Link("t", "x", {"l": make_sample(KIND, 3)}),),
    )
    wanted = ["attributes.db.statement", "attributes.more.deep.1.k", "events.1.note.k", "links.0.l"]
    assert places(span) == [("s", path) for path in wanted]
    assert places(span, **{"in": ["arguments", "result", "error", "messages"]}) == []
    assert places(span, not_kinds=[KIND]) == places(span, kinds=["jwt"]) == []


def test_a_name_that_is_a_secret_is_told_without_it(tool):
    (finding,) = standing(with_(tool("s"), **{TOKEN: "x"}))
    assert finding.path == f"attributes.<key:{KIND}>"


def test_what_a_call_was_given_is_not_told_again_from_the_attribute_that_holds_it(tool):
    span = with_(
        tool("s", args={"k": TOKEN}, result=OTHER),
        copy=json.dumps({"k": TOKEN}),
        traceloop__entity__output=OTHER,
    )
    assert places(span) == [("s", "args.k"), ("s", "result")]
    assert places(span, **{"in": ["attributes"]}) == []


def test_one_secret_in_many_attributes_of_a_call_is_told_once(tool):
    span = with_(tool("s"), b=TOKEN, a=f"x {TOKEN}")
    assert places(span) == [("s", "attributes.a")]


def test_messages_of_a_model_are_told_as_messages(model):
    said = json.dumps([{"role": "user", "content": TOKEN}])
    event = SpanEvent("gen_ai.choice", None, {"message": OTHER})
    span = structs.replace(with_(model("s"), gen_ai__input__messages=said), events=(event,))
    wanted = [("s", "gen_ai.choice.message"), ("s", "gen_ai.input.messages.0.content")]
    assert places(span) == wanted
    assert places(span, **{"in": ["attributes"]}) == []


def test_what_stands_beside_the_message_on_its_event_is_looked_through(model):
    said = SpanEvent("gen_ai.choice", None, {"message": TOKEN, "note": f"x {OTHER}"})
    span = structs.replace(model("s"), events=(SpanEvent("other", None, {}), said))
    wanted = [("s", "events.1.gen_ai.choice.note")]
    assert places(span) == [*wanted, ("s", "gen_ai.choice.message")]
    assert places(span, **{"in": ["attributes"]}) == wanted


@pytest.mark.parametrize(
    ("event", "message", "beside"),
    [
        ("gen_ai.user.message", {"body": {"content": TOKEN}}, {"attributes": {"note": OTHER}}),
        (
            "gen_ai.client.inference.operation.details",
            {"attributes": {"gen_ai.input.messages": TOKEN}},
            {"attributes": {"note": OTHER}, "body": f"x {make_sample(KIND, 3)}"},
        ),
    ],
)
def test_what_stands_beside_the_message_in_its_log_record_is_looked_through(
    model, event, message, beside
):
    attributes = {**message.get("attributes", {}), **beside["attributes"]}
    body = beside.get("body", message.get("body"))
    items = (model("s"), record(event_name=event, body=body, attributes=attributes))
    wanted = [("s", "attributes.note"), *([("s", "body")] if "body" in beside else [])]
    assert places(*items, **{"in": ["attributes"]}) == wanted
    assert len(places(*items)) == len(wanted) + 1


def test_why_a_model_or_an_agent_failed_is_told_once_where_it_stands_first(agent, model):
    spans = [
        failed(agent("a", at=0, took=100), stacktrace=f"at {TOKEN}"),
        failed(model("m", parent="a", at=5), message=f"refused: {TOKEN}"),
    ]
    for order in permutations(spans):
        (finding,) = standing(*order, **{"in": ["error"]})
        assert (finding.span_id, finding.path) == ("a", "error.exception.stacktrace")
        assert f"a span of agent `desk` has a secret of kind `{KIND}`" in finding.explanation
    (finding,) = standing(spans[1], **{"in": ["error"]})
    assert (finding.span_id, finding.path) == ("m", "error.status")
    assert finding.explanation.startswith("a model call has")


def test_log_records_on_a_span_are_looked_through_in_whatever_order_they_come(agent, tool):
    items = [
        agent("a", took=100),
        tool("s", parent="a"),
        record("s", body={"said": [f"use {TOKEN}"]}),
        record(
            "a", attributes={"exception.message": f"no {OTHER}", "x": 1}, event_name="exception"
        ),
    ]
    wanted = [("a", "error.exception.message"), ("s", "body.said.0")]
    for order in permutations(items):
        assert places(*order) == wanted
    assert places(*items[2:]) == []
    assert places(tool("s"), record(None, body=TOKEN)) == []


def test_log_records_of_messages_are_no_attributes(model):
    said = record(event_name="gen_ai.user.message", body={"content": TOKEN})
    assert places(model("s"), said) == [("s", "gen_ai.user.message.content")]
    assert places(model("s"), said, **{"in": ["attributes"]}) == []


def test_a_record_of_a_coding_agents_call_is_told_on_the_call():
    attributes = {
        "event.name": "codex.tool_result",
        "tool_name": "shell",
        "call_id": "c1",
        "arguments": "{}",
        "more": f"x {TOKEN}",
        "conversation.id": "talk",
    }
    (finding,) = standing(LogRecord(attributes=attributes, event_name="x"))
    assert (finding.tool, finding.path) == ("shell", "attributes.more")


def test_allow_excuses_a_call_there_too(tool):
    span = with_(tool("s", name="fetch"), header=TOKEN)
    assert places(span, allow=[{"tool": "fetch", "path": "attributes.header"}]) == []
    assert places(span, allow=[{"tool": "fetch", "path": "header"}]) == []
    assert places(span, allow=[{"tool": "other"}]) == [("s", "attributes.header")]
    assert places(span, allow=[{"path": "header"}]) == []
    assert places(span, unless={"tool": "fetch"}) == []


def test_allow_excuses_a_path_on_other_spans(agent):
    span = failed(with_(agent("s"), header=TOKEN), message=OTHER)
    assert places(span, allow=[{"path": "attributes.header"}]) == [("s", "error.status")]
    assert places(span, allow=[{"path": "error"}]) == [("s", "attributes.header")]
    assert len(places(span, allow=[{"tool": "x", "path": "header"}])) == 2


def test_without_a_key_findings_carry_no_fingerprint(tool, agent):
    found = standing(with_(tool("s"), a=TOKEN), with_(agent("a"), a=OTHER), key=None)
    assert [finding.fingerprint for finding in found] == [None, None]


def test_readings_of_one_call_on_two_spans_are_one(tool):
    outer = with_(tool("s1", took=20), a=TOKEN)
    inner = with_(tool("s2", parent="s1", at=5, took=5), a=TOKEN, b=OTHER)
    inner = with_(inner, mcp__method__name="tools/call")
    for order in permutations([outer, inner]):
        assert places(*order) == [("s1", "attributes.a"), ("s1", "attributes.b")]


def test_past_a_cap_further_secrets_of_one_span_are_not_kept(tool):
    many = {f"a{number:03}": make_sample(KIND, 100 + number) for number in range(MOST_EXPOSED + 9)}
    assert len(places(with_(tool("s"), **many))) == MOST_EXPOSED


def test_spans_that_say_nothing_of_agents_are_not_looked_through(plain, tool):
    talk = with_(plain("p"), gen_ai__conversation__id="talk", a=TOKEN)
    assert places(talk, with_(plain("q"), a=TOKEN), tool("s")) == []
