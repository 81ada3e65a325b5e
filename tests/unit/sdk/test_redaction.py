"""Secrets out of the spans that leave."""

from typing import Any

import pytest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Link, Status, StatusCode

from toolscore_otel import Contract
from toolscore_otel.sdk.redaction import Redaction
from toolscore_otel.secrets.samples import make_sample

KIND = "aws_access_key_id"
SECRET = make_sample(KIND, 1)
MARK = f"[REDACTED:{KIND}]"


def redaction(clause=None, **head) -> Any:
    known = {"contract": "c", "language": 1, "secrets": clause or {}}
    return Redaction([Contract.from_dict(known | head)], "key")


@pytest.fixture
def leaky(made):
    """A tool span with a secret wherever one may stand."""

    def make(**fields):
        span = made()
        known = {
            "attributes": {
                "gen_ai.tool.name": "fetch",
                "gen_ai.tool.call.arguments": f'{{"token": "{SECRET}", "n": 1}}',
                "list": ("fine", SECRET),
                "bytes": SECRET.encode(),
                "nested": {"a": [SECRET]},
                "number": 7,
            },
            "events": [Event("e", {"exception.message": f"with {SECRET}"}, 5), Event("f", {}, 6)],
            "links": [Link(span.context, {"k": SECRET}), Link(span.context)],
            "status": Status(StatusCode.ERROR, f"failed with {SECRET}"),
        }
        return made(**(known | fields))

    return make


def everything(span):
    """All texts of a span in one."""
    events = [(event.name, dict(event.attributes)) for event in span.events]
    links = [dict(link.attributes or {}) for link in span.links]
    return repr((span.name, dict(span.attributes), events, links, span.status.description))


def test_a_secret_stands_nowhere_in_what_leaves(leaky):
    assert SECRET not in everything(redaction().clean(leaky()))


def test_what_is_no_secret_stays_as_it_was(leaky):
    span = leaky()
    clean = redaction().clean(span)
    assert clean.attributes["gen_ai.tool.call.arguments"] == f'{{"token": "{MARK}", "n": 1}}'
    assert list(clean.attributes["list"]) == ["fine", MARK]
    assert clean.attributes["number"] == 7
    assert [event.name for event in clean.events] == ["e", "f"]
    assert clean.events[1] is span.events[1]
    assert clean.links[1] is span.links[1]
    assert (clean.events[0].timestamp, clean.status.status_code) == (5, StatusCode.ERROR)
    assert clean.status.description == f"failed with {MARK}"
    assert (clean.context, clean.start_time, clean.end_time) == (
        span.context,
        span.start_time,
        span.end_time,
    )


def test_the_span_itself_is_shared_and_stays_as_it_was(leaky):
    span = leaky()
    before = everything(span)
    redaction().clean(span)
    assert everything(span) == before


def test_a_span_without_a_secret_leaves_as_it_came(made):
    span = made("search", attributes={"gen_ai.tool.call.arguments": '{"q": "chairs"}'})
    assert redaction().clean(span) is span


def test_a_span_of_no_interest_leaves_as_it_came(made):
    span = made(attributes={"http.header": SECRET})
    assert redaction().clean(span) is span


@pytest.mark.parametrize("clause", [{"action": "flag"}, {"shadow": True}])
def test_a_clause_that_changes_nothing_changes_nothing(leaky, clause):
    span = leaky()
    assert redaction(clause).clean(span) is span


def test_without_a_clause_nothing_is_searched(leaky):
    span = leaky()
    forbidding = Contract.from_dict({"contract": "c", "language": 1, "forbid": ["rm"]})
    assert Redaction([forbidding], "key").clean(span) is span


@pytest.mark.parametrize(
    "applies_to",
    [{"service": "shop"}, {"agent": "ops"}, {"agent": ["[o]ps", "desk"]}, {"environment": "*"}],
)
def test_what_a_contract_may_apply_to_is_searched(leaky, applies_to):
    assert SECRET not in everything(redaction(applies_to=applies_to).clean(leaky()))


@pytest.mark.parametrize("applies_to", [{"service": "bank"}, {"environment": "prod"}])
def test_what_a_contract_does_not_apply_to_leaves_as_it_came(leaky, applies_to):
    span = leaky()
    assert redaction(applies_to=applies_to).clean(span) is span


def test_a_span_of_another_agent_leaves_as_it_came(made):
    span = made("fetch", attributes={"gen_ai.agent.name": "desk", "k": SECRET})
    assert redaction(applies_to={"agent": "ops"}).clean(span) is span


def test_drop_takes_the_whole_value(leaky):
    clean = redaction({"action": "drop"}).clean(leaky())
    assert {*clean.attributes} == {"gen_ai.tool.name", "number"}
    assert clean.status.description is None
    assert SECRET not in everything(clean)


def test_hash_tells_equal_secrets_and_no_characters(leaky):
    clean = redaction({"action": "hash"}).clean(leaky())
    mark = clean.attributes["list"][1]
    assert mark.startswith(f"[REDACTED:{KIND}.")
    assert mark in clean.attributes["gen_ai.tool.call.arguments"]
    assert SECRET not in everything(clean)


def test_kinds_that_are_left_out_stay(leaky):
    span = leaky()
    assert redaction({"not_kinds": [KIND]}).clean(span) is span


def test_a_kind_of_the_contracts_own_is_taken_out(made):
    span = made("fetch", attributes={"k": "customer KD-12345 called"})
    clause = {"patterns": [{"name": "customer", "regex": r"KD-\d{5}"}]}
    assert redaction(clause).clean(span).attributes["k"] == "customer [REDACTED:customer] called"


def test_a_name_that_is_a_secret_is_taken_out(made):
    clean = redaction().clean(made("fetch", attributes={SECRET: "a", "b": "c"}))
    assert SECRET not in everything(clean)
    assert clean.attributes["b"] == "c"


def test_allow_is_about_findings_and_not_about_what_leaves(leaky):
    allowing = {"allow": [{"tool": "fetch"}]}
    assert SECRET not in everything(redaction(allowing).clean(leaky()))


def test_what_the_sdk_dropped_is_still_told():
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with provider.get_tracer("app").start_as_current_span("execute_tool x") as live:
        live.set_attributes({f"k{number}": SECRET for number in range(130)})
        for number in range(129):
            live.add_event(f"e{number}")
    (span,) = exporter.get_finished_spans()
    clean = redaction().clean(span)
    assert clean is not span
    assert (clean.dropped_attributes, clean.dropped_events, clean.dropped_links) == (2, 1, 0)


def test_names_of_spans_and_events_leave_without_it(leaky):
    events = [Event(f"at {SECRET}", {"n": 1}, 5)]
    clean = redaction({"action": "drop"}).clean(leaky(name=f"fetch {SECRET}", events=events))
    assert (clean.name, clean.events[0].name) == (f"fetch {MARK}", f"at {MARK}")
    assert (dict(clean.events[0].attributes), clean.events[0].timestamp) == ({"n": 1}, 5)


def test_a_resource_is_not_changed(leaky):
    resource = Resource({"service.name": "shop", "k": SECRET})
    assert redaction().clean(leaky(resource=resource)).resource is resource


@pytest.mark.parametrize("action", ["redact", "hash", "drop", "flag"])
@pytest.mark.parametrize("name", ["gen_ai.input.messages", "llm.input_messages.0.message.content"])
def test_messages_leave_as_the_clause_about_them_says(made, action, name):
    span = made(
        attributes={"gen_ai.operation.name": "chat", "gen_ai.system": "x", name: f"use {SECRET}"},
        events=[Event("gen_ai.choice", {"message": SECRET})],
    )
    clean = redaction({"in": ["messages"], "action": action}).clean(span)
    assert (clean is span) is (action == "flag")
    told = everything(clean)
    assert (SECRET in told) is (action == "flag")
    assert told.count(f"[REDACTED:{KIND}") == {"redact": 2, "hash": 2}.get(action, 0)
