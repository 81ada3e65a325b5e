"""Secrets in messages, from spans and log records to findings."""

import json
from itertools import permutations
from typing import Any

import pytest
from msgspec import structs

from toolscore_otel.assembly import Limits
from toolscore_otel.contracts import Contract
from toolscore_otel.conventions.reading import SpanReading
from toolscore_otel.engine import Engine, replay
from toolscore_otel.model import Finding, InstrumentationScope, Label, LogRecord, Span
from toolscore_otel.secrets.samples import make_sample

MS = 1_000_000
KIND = "github_token_classic"
TOKEN, OTHER = make_sample(KIND, 1), make_sample(KIND, 2)
IN = "gen_ai.input.messages"


def contract(name: str = "c", **keys: Any) -> Contract:
    clause = {"in": ["messages"], **keys.pop("secrets", {})}
    return Contract.from_dict({"contract": name, "language": 1, "secrets": clause, **keys})


def made(*contracts: Contract, **options: Any) -> Engine:
    return Engine(contracts or (contract(),), fingerprint_key=b"key", **options)


def standing(*items: Span | LogRecord, engine: Engine | None = None) -> list[Finding]:
    """What stands in the end."""
    engine = engine or made()
    for item in items:
        engine.feed(item, 0)
    engine.close()
    report = engine.report()
    assert report.errors == {}
    return [finding for finding in report.findings if finding.label is not Label.PASS]


def told(findings: list[Finding]) -> list[tuple[str, str, str | None]]:
    return sorted((str(f.label), f.span_id or "", f.path) for f in findings)


def record(event: str, body: Any, span_id: str | None = "m1", at: float = 0) -> LogRecord:
    return LogRecord(
        trace_id="t", span_id=span_id, time_ns=round(at * MS), event_name=event, body=body
    )


@pytest.fixture
def chat(model):
    """A model call that heard these texts, and said the last of them where it is told to."""

    def make(span_id: str, *texts: str, output: str | None = None, **fields):
        span = model(span_id, **fields)
        told = {IN: json.dumps([{"role": "user", "content": text} for text in texts])}
        if output is not None:
            told["gen_ai.output.messages"] = json.dumps([{"role": "assistant", "content": output}])
        return structs.replace(span, attributes={**span.attributes, **told})

    return make


def test_a_finding_sits_on_the_model_call(chat, agent):
    (finding,) = standing(
        agent("a", took=100, service="shop"), chat("m1", "Hi", TOKEN, parent="a", service="shop")
    )
    assert (finding.span_id, finding.trace_id, finding.path) == ("m1", "t", f"{IN}.1.content")
    assert (finding.agent, finding.service, finding.tool) == ("desk", "shop", None)
    assert finding.fingerprint
    assert "agent `desk`" in finding.explanation
    assert TOKEN not in repr(finding)


def test_it_is_said_as_soon_as_the_span_is_there(chat):
    (finding,) = made().feed(chat("m1", TOKEN), 0)
    assert (finding.label, finding.secret_kind) == (Label.FAIL, KIND)


def test_a_conversation_that_is_repeated_is_told_once_in_whatever_order_it_comes(chat):
    turns = [
        chat("m1", TOKEN, output="ok", at=0),
        chat("m2", TOKEN, "ok", "more", output=OTHER, at=20),
        chat("m3", TOKEN, "ok", "more", OTHER, "thanks", at=40),
    ]
    path = "gen_ai.output.messages.0.content"
    wanted = [("fail", "m1", f"{IN}.0.content"), ("fail", "m2", path)]
    for order in permutations(turns):
        assert told(standing(*order)) == wanted


def test_what_came_again_says_nothing_new(chat):
    engine = made()
    engine.feed(chat("m1", TOKEN), 0)
    assert engine.feed(chat("m1", TOKEN), 0) == []
    assert engine.feed(chat("m2", TOKEN, at=9), 0) == []


def test_log_records_of_a_model_call_come_before_or_after_it(model):
    records = [
        record("gen_ai.system.message", {"content": f"use {OTHER}"}),
        record("gen_ai.user.message", {"content": "Hi"}),
        record("gen_ai.choice", {"message": {"role": "assistant", "content": TOKEN}}),
    ]
    wanted = [
        ("fail", "m1", "gen_ai.choice.message.content"),
        ("fail", "m1", "gen_ai.system.message.content"),
    ]
    for order in permutations([*records, model("m1")]):
        assert told(standing(*order)) == wanted
    assert told(standing(*records)) == wanted


def test_a_record_of_the_newer_sort_is_read_too(model):
    event = "gen_ai.client.inference.operation.details"
    messages = json.dumps([{"role": "user", "content": TOKEN}])
    told_of = structs.replace(record(event, None), attributes={IN: messages})
    (finding,) = standing(model("m1"), told_of)
    assert finding.path == f"{event}.{IN}.0.content"


def test_a_record_without_a_span_belongs_to_no_model_call_and_is_looked_through(model):
    items = (model("m1"), record("gen_ai.user.message", {"content": TOKEN}, None))
    wanted = [("cannot_check", "m1", None), ("fail", "", "gen_ai.user.message.content")]
    for order in permutations([*items, items[1]]):
        assert told(standing(*order)) == wanted


CLAUDE = InstrumentationScope("com.anthropic.claude_code.events")


def prompt(text: str, number: int = 1, event: str = "user_prompt", **fields: Any) -> LogRecord:
    """What a user wrote to a coding agent, as its log has it."""
    told_of = {"event.name": event, "prompt": text, "session.id": "talk", "user": f"u-{OTHER}"}
    where: dict[str, Any] = {"trace_id": None, "time_ns": number * MS, "scope": CLAUDE}
    return LogRecord(body=f"claude_code.{event}", attributes=told_of, **where | fields)


def answered(number: int = 5, **fields: Any) -> LogRecord:
    told_of = {"event.name": "api_request", "session.id": "talk", "input_tokens": "5", "model": "m"}
    where: dict[str, Any] = {"trace_id": None, "time_ns": number * MS, "scope": CLAUDE}
    return LogRecord(attributes=told_of, **where | fields)


@pytest.mark.parametrize("event", ["user_prompt", "codex.user_prompt", "gemini_cli.user_prompt"])
def test_what_a_user_wrote_to_a_coding_agent_is_a_message_without_any_span(event):
    records = [prompt("Hi", 1, event), prompt(TOKEN, 2, event), answered(), prompt(TOKEN, 9, event)]
    for order in permutations([*records, records[1]]):
        fail, blind = sorted(standing(*order), key=lambda finding: finding.label, reverse=True)
        assert (fail.label, fail.span_id, fail.path) == (Label.FAIL, None, f"{event}.prompt")
        assert (fail.conversation_id, fail.fingerprint is None) == ("talk", False)
        assert fail.explanation.startswith("a message has a secret of kind")
        assert (blind.label, blind.count) == (Label.CANNOT_CHECK, 1)


def test_the_same_prompt_on_a_span_that_is_no_model_call_is_a_finding_there(model):
    told_of = prompt(TOKEN, trace_id="t", span_id="i1")
    interaction = Span(trace_id="t", span_id="i1", name="claude_code.interaction", end_ns=MS)
    for order in permutations([told_of, interaction, model("m1", parent="i1"), told_of]):
        labels = told(standing(*order))
        assert labels == [("cannot_check", "m1", None), ("fail", "i1", "user_prompt.prompt")]


def test_on_a_span_that_turns_out_to_be_an_agent_it_is_the_agents(agent):
    told_of = prompt(TOKEN, trace_id="t", span_id="a")
    for order in permutations([told_of, agent("a")]):
        (finding,) = standing(*order)
        assert (finding.span_id, finding.agent) == ("a", "desk")


def test_prompts_alone_are_no_trajectory():
    assert standing(prompt(TOKEN)) == []


def test_messages_apart_add_to_no_sum(model):
    limits = [{"of": "trace", "latency_ms": 1, "active_ms": 1, "calls": 0, "tokens": 10**9}]
    sums = contract(budget=limits)
    late = prompt(TOKEN, 10**6, trace_id="t", span_id=None)
    told_of = standing(late, engine=made(sums))
    assert told_of == []
    spans = (model("m1", took=1), late)
    assert [finding.rule for finding in standing(*spans, engine=made(sums))] == [
        *("budget.1", "secrets", "secrets")
    ]


def test_what_a_prompt_carries_besides_is_no_message():
    clause = {"in": ["messages", "attributes"], "kinds": [KIND]}
    told_of = prompt(TOKEN, trace_id="t", span_id="i1")
    found = standing(told_of, answered(trace_id="t"), engine=made(contract(secrets=clause)))
    paths = sorted(finding.path or "" for finding in found if finding.label is Label.FAIL)
    assert paths == ["attributes.user", "user_prompt.prompt"]


def test_sessions_and_agents_narrow_to_what_they_see():
    said = (prompt(TOKEN), answered())
    session = contract(scope="session")
    assert [f.label for f in standing(*said, engine=made(session)) if f.path] == [Label.FAIL]
    elsewhere = contract(applies_to={"service": "shop"})
    assert standing(*said, engine=made(elsewhere)) == []


def test_records_that_stand_on_the_span_of_an_agent_are_findings_there(agent):
    (finding,) = standing(agent("a"), record("gen_ai.user.message", {"content": TOKEN}, "a"))
    assert (finding.span_id, finding.agent) == ("a", "desk")


def test_messages_that_were_not_recorded_are_said_once_and_how_to_switch_them_on(model):
    (finding,) = standing(model("m1"), model("m2", at=20), model("m3", at=40))
    assert (finding.label, finding.span_id, finding.count) == (Label.CANNOT_CHECK, "m1", 3)
    assert "messages not observed (switch on content capture" in finding.explanation


def test_without_a_model_call_there_is_nothing_to_look_at(agent, tool):
    assert standing(agent("a"), tool("x", args={"t": TOKEN}, result=1, parent="a")) == []


def test_two_spans_of_one_model_call_need_record_it_once(chat, model):
    inner, outer = chat("m2", "Hi", parent="m1"), model("m1")
    assert standing(inner, outer) == []
    assert standing(outer, inner) == []


def test_arguments_and_messages_are_looked_at_by_one_rule(chat, tool):
    clause = {"in": ["arguments", "messages"], "unless": {"tool": "vault"}}
    items = (chat("m1", TOKEN), tool("x", args={"t": OTHER}), tool("y", "vault", {"t": OTHER}))
    found = standing(*items, engine=made(contract(secrets=clause)))
    assert told(found) == [("fail", "m1", f"{IN}.0.content"), ("fail", "x", "args.t")]


def test_what_was_not_observed_of_calls_and_of_messages_is_one_finding(chat, tool, model):
    engine = made(contract(secrets={"in": ["arguments", "messages"]}))
    (finding,) = standing(model("m1", at=20), tool("x"), model("m2", at=40), engine=engine)
    assert (finding.span_id, finding.count) == ("x", 3)
    assert "arguments and messages not observed" in finding.explanation


def test_a_rule_about_agents_tells_a_secret_once_for_each(chat, agent):
    spans = [
        agent("a", "one"),
        agent("b", "two"),
        chat("m1", TOKEN, parent="a", at=5),
        chat("m2", TOKEN, parent="a", at=20),
        chat("m3", TOKEN, parent="b", at=40),
        chat("m4", TOKEN, at=50),
    ]
    for order in (spans, spans[::-1]):
        found = standing(*order, engine=made(contract(scope="agent")))
        assert sorted(f.span_id or "" for f in found) == ["m1", "m3", "m4"]


def test_a_rule_about_sessions_tells_a_secret_once_over_all_traces(chat):
    spans = [
        chat("m1", TOKEN, trace="t", talk="talk", at=0),
        chat("m2", TOKEN, trace="u", talk="talk", at=50),
        chat("m3", TOKEN, trace="v", talk="chat", at=90),
        structs.replace(
            chat("m4", at=99, talk="talk"), attributes={"gen_ai.operation.name": "chat"}
        ),
    ]
    for order in permutations(spans):
        found = standing(*order, engine=made(contract(scope="session")))
        fails = sorted((f.trace_id, f.span_id) for f in found if f.label is Label.FAIL)
        assert fails == [("t", "m1"), ("v", "m3")]


def test_a_contract_looks_at_the_model_calls_that_it_sees(chat, agent):
    spans = [
        agent("a", "one", service="shop"),
        chat("m1", TOKEN, parent="a", service="shop"),
        chat("m2", TOKEN, service="post", at=20),
    ]
    engine = made(
        contract("shop", applies_to={"service": "shop"}),
        contract("two", applies_to={"agent": "two"}),
        contract("shop-talk", applies_to={"service": "shop"}, scope="session"),
    )
    found = standing(*spans, engine=engine)
    assert [(f.contract, f.span_id) for f in found] == [("shop", "m1"), ("shop-talk", "m1")]


def test_an_agent_that_comes_late_takes_its_model_call_out_of_a_contract(chat, agent):
    engine = made(contract(applies_to={"agent": "two"}))
    engine.feed(agent("b", "two"), 0)
    engine.feed(chat("m1", TOKEN, parent="a", at=5), 0)
    engine.feed(agent("a", "two", parent="b"), 0)
    assert [f.span_id for f in engine.report().findings] == ["m1"]
    engine.feed(agent("a", "one", parent="b", took=2000), 0)
    assert [f.label for f in engine.report().findings] == [Label.PASS]


def test_past_the_limit_of_spans_it_says_so(chat):
    engine = made(limits=Limits(spans_per_trajectory=1))
    found = standing(chat("m1", "Hi"), chat("m2", TOKEN, at=20), engine=engine)
    assert ["spans not observed" in f.explanation for f in found] == [True]


def test_nothing_is_kept_where_no_rule_asks(chat):
    engine = made(contract(secrets={"in": ["arguments"]}))
    assert not engine.listener
    item = engine.placed(chat("m1", TOKEN))
    assert item is not None
    assert item[1] is not None
    assert item[1].heard is None


def test_what_is_kept_holds_no_message_and_is_judged_alike_when_it_is_replayed(chat):
    engine = made(keeps_records=True)
    (said,) = engine.feed(chat("m1", f"please use {TOKEN}"), 0)
    entries = engine.take_new()["t"]
    assert "please" not in repr(entries)
    assert TOKEN not in repr(entries)
    again = made()
    (finding,) = replay(again, "t", entries).findings
    assert finding == said


def test_what_was_never_looked_through_cannot_be_checked(chat):
    engine = made()
    place, reading = engine.placed(chat("m1", TOKEN)) or (None, None)
    assert place is not None
    assert reading is not None
    engine.add(place, structs.replace(reading, heard=None), 0)
    assert [finding.label for finding in engine.close()] == [Label.CANNOT_CHECK]


def test_a_rule_that_raises_is_counted(chat, monkeypatch):
    def broken(*_: object) -> SpanReading:
        raise ValueError

    monkeypatch.setattr("toolscore_otel.rules.secrets_messages.CallsAndMessages.hear", broken)
    engine = made()
    assert engine.feed(chat("m1", TOKEN), 0) == []
    assert engine.rule_errors == {"c/secrets: ValueError": 1}
