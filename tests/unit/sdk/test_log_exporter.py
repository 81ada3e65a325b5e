"""Secrets out of the log records that leave."""

import logging
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from opentelemetry._logs import LogRecord
from opentelemetry.sdk._logs import LoggerProvider, LogRecordLimits
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import SpanContext

from toolscore_otel import Contract
from toolscore_otel.errors import ConfigError
from toolscore_otel.sdk import ToolscoreLogRecordExporter, ToolscoreSpanProcessor, attach
from toolscore_otel.secrets.samples import make_sample

KIND = "aws_access_key_id"
SECRET = make_sample(KIND, 1)
KEY = "k"
MARK = f"[REDACTED:{KIND}]"


def contract(clause=None, **head):
    return Contract.from_dict({"contract": "c", "language": 1, "secrets": clause or {}} | head)


def sent(*records, clause=None, exporter=None, limits=None, **settings) -> list[Any]:
    """What is handed on of these log records, each on a span unless it says otherwise."""
    inner = InMemoryLogRecordExporter()
    ours = exporter or ToolscoreLogRecordExporter(inner, [contract(clause)], **settings)
    provider = LoggerProvider(shutdown_on_exit=False, **({"log_record_limits": limits} if limits else {}))  # fmt: skip
    provider.add_log_record_processor(SimpleLogRecordProcessor(ours))
    for fields in records:
        context = SpanContext(7, fields.pop("span", 9), is_remote=False)
        on_span: dict[str, Any] = {"trace_id": context.trace_id, "span_id": context.span_id}
        provider.get_logger("app").emit(LogRecord(observed_timestamp=1, **on_span, **fields))
    provider.shutdown()
    return [data.log_record for data in inner.get_finished_logs()]


def test_a_secret_leaves_neither_in_body_nor_attributes_nor_name():
    body = {"said": [{"to": SECRET, SECRET: 1}, ("x", f"b {SECRET}".encode())], "n": 1}
    attributes = {"exception.message": f"no {SECRET}", "n": 7, SECRET: True}
    (record,) = sent({"body": body, "attributes": attributes, "event_name": f"at {SECRET}"})
    assert record.body == {"said": [{"to": MARK, MARK: 1}, ["x", f"b {MARK}"]], "n": 1}
    assert dict(record.attributes) == {"exception.message": f"no {MARK}", "n": 7, MARK: True}
    assert record.event_name == f"at {MARK}"
    assert (record.trace_id, record.span_id, record.observed_timestamp) == (7, 9, 1)


def test_of_an_object_that_is_no_value_its_text_is_searched():
    class Odd:
        def __str__(self) -> str:
            return f"odd {SECRET}"

    (record,) = sent({"body": [Odd(), 1]})
    assert record.body == [f"odd {MARK}", 1]


def test_a_record_without_a_secret_is_handed_on_as_it_came(monkeypatch):
    given: list[Any] = []
    inner = InMemoryLogRecordExporter()
    monkeypatch.setattr(inner, "export", given.extend)
    exporter = ToolscoreLogRecordExporter(inner, [contract()])
    before = [_data({"a": [1, b"x"]}), _data("fine"), _data(None)]
    exporter.export(before)
    assert [new is old for new, old in zip(given, before, strict=True)] == [True] * 3


def _data(body):
    """A record as an exporter is given it."""
    inner = InMemoryLogRecordExporter()
    sent({"body": body}, exporter=inner)
    return inner.get_finished_logs()[0]


def test_the_record_itself_is_shared_and_stays_as_it_was():
    data = _data({"a": SECRET})
    ToolscoreLogRecordExporter(InMemoryLogRecordExporter(), [contract()]).export([data])
    assert data.log_record.body == {"a": SECRET}


@pytest.mark.parametrize(
    ("action", "body"),
    [("redact", f"use {MARK}"), ("drop", None), ("flag", f"use {SECRET}")],
)
def test_the_body_leaves_as_the_clause_says(action, body):
    (record,) = sent({"body": f"use {SECRET}", "attributes": {"k": SECRET}}, clause={"action": action})  # fmt: skip
    assert record.body == body
    assert ("k" in record.attributes) is (action != "drop")


def test_hash_leaves_on_records_what_it_leaves_on_spans():
    made = [
        sent({"body": SECRET}, clause={"action": "hash"}, secret_key=key)[0].body
        for key in ("a", "a", "b")
    ]
    assert made[0] == made[1] != made[2]
    assert made[0].startswith(f"[REDACTED:{KIND}.")


@pytest.mark.parametrize(
    ("fields", "is_searched"),
    [
        ({"span": 0}, False),
        ({"span": 0, "event_name": "gen_ai.tool.message"}, True),
        ({"span": 9}, True),
    ],
)
def test_records_on_spans_and_those_of_agents_are_searched(fields, is_searched):
    (record,) = sent({"body": SECRET, **fields})
    assert record.body == (MARK if is_searched else SECRET)


def test_a_record_that_a_contract_is_not_about_leaves_as_it_came():
    inner = InMemoryLogRecordExporter()
    elsewhere = contract(applies_to={"service": "bank"})
    sent({"body": SECRET}, exporter=ToolscoreLogRecordExporter(inner, [elsewhere]))
    assert inner.get_finished_logs()[0].log_record.body == SECRET


def test_without_a_clause_nothing_is_searched():
    inner = InMemoryLogRecordExporter()
    forbidding = Contract.from_dict({"contract": "c", "language": 1, "forbid": ["rm"]})
    sent({"body": SECRET}, exporter=ToolscoreLogRecordExporter(inner, [forbidding]))
    assert inner.get_finished_logs()[0].log_record.body == SECRET


def test_what_the_sdk_dropped_is_still_told():
    inner = InMemoryLogRecordExporter()
    limits = LogRecordLimits(max_log_record_attributes=1)
    with pytest.warns(Warning, match="dropped"):
        sent(
            {"attributes": {"a": SECRET, "b": SECRET, "c": SECRET}},
            exporter=ToolscoreLogRecordExporter(inner, [contract()]),
            limits=limits,
        )
    (data,) = inner.get_finished_logs()
    assert data.dropped_attributes == 2
    assert [*(data.log_record.attributes or {}).values()] == [MARK]


def test_a_record_that_cannot_be_searched_does_not_leave_and_is_told_once(caplog):
    endless: list[Any] = []
    endless.append(endless)
    kept = sent({"body": endless}, {"body": endless}, {"body": SECRET})
    assert [record.body for record in kept] == [MARK]
    said = [record for record in caplog.records if "a log record was dropped" in record.message]
    assert [record.levelno for record in said] == [logging.WARNING]


def test_an_exporter_alone_takes_the_contracts_and_the_key_of_the_spans_with_its_resource():
    resource = Resource({"service.name": "shop"})
    spans = TracerProvider(resource=resource, shutdown_on_exit=False)
    hashing = contract({"action": "hash"})
    processor = ToolscoreSpanProcessor([hashing], secret_key=KEY)
    spans.add_span_processor(processor)
    spans.get_tracer("app").start_span("execute_tool x").end()
    inner = InMemoryLogRecordExporter()
    logs = LoggerProvider(resource=resource, shutdown_on_exit=False)
    logs.add_log_record_processor(SimpleLogRecordProcessor(ToolscoreLogRecordExporter(inner)))
    logs.get_logger("app").emit(LogRecord(trace_id=1, span_id=2, body=SECRET))
    alone = sent({"body": SECRET}, clause={"action": "hash"}, secret_key=KEY)
    assert inner.get_finished_logs()[0].log_record.body == alone[0].body
    spans.shutdown()


def test_attach_lets_log_records_out_without_their_secrets():
    spans = TracerProvider(shutdown_on_exit=False)
    logs = LoggerProvider(shutdown_on_exit=False)
    inner = InMemoryLogRecordExporter()
    found = attach(spans, contracts=[contract()], log_exporter=inner, logger_provider=logs)
    endless: list[Any] = []
    endless.append(endless)
    for body in (SECRET, endless):
        logs.get_logger("app").emit(LogRecord(trace_id=1, span_id=2, body=body))
    assert logs.force_flush()
    assert [data.log_record.body for data in inner.get_finished_logs()] == [MARK]
    assert found.counters["redaction_errors"] == 1
    for provider in (spans, logs):
        provider.shutdown()


def test_an_exporter_of_log_records_needs_a_logger_provider():
    provider = TracerProvider(shutdown_on_exit=False)
    with pytest.raises(ConfigError, match="no logger provider"):
        attach(provider, contracts=[contract()], log_exporter=InMemoryLogRecordExporter())
    assert provider._active_span_processor._span_processors == ()


def test_flushing_and_shutting_down_reach_the_exporter_behind():
    class Old:
        """As those up to opentelemetry-sdk 1.38, which need not know how to flush."""

        shut = 0

        def export(self, batch):
            return len(batch)

        def shutdown(self):
            self.shut += 1

    inner = Old()
    exporter = ToolscoreLogRecordExporter(inner, [contract()])
    assert exporter.export([_data("x")]) == 1
    assert exporter.force_flush()
    exporter.shutdown()
    exporter.shutdown()
    assert inner.shut == 1


BODIES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.just(SECRET)
    | st.text().map(lambda text: f"{text} {SECRET}"),
    lambda inner: st.lists(inner) | st.tuples(inner, inner)
    | st.dictionaries(st.text() | st.just(SECRET), inner),
    max_leaves=12,
)  # fmt: skip


def _count(value):
    """How many entries there are of every sort."""
    if isinstance(value, dict):
        return [_count(entry) for entry in value.values()]
    return [_count(entry) for entry in value] if isinstance(value, list | tuple) else 0


@settings(max_examples=60)
@given(BODIES, st.dictionaries(st.text(min_size=1), BODIES, max_size=4))
def test_whatever_a_record_holds_no_secret_leaves_and_its_shape_stays(body, attributes):
    inner = InMemoryLogRecordExporter()
    exporter = ToolscoreLogRecordExporter(inner, [contract()])
    data = _data(body)
    data.log_record.attributes = attributes
    exporter.export([data])
    (once,) = inner.get_finished_logs()
    exporter.export([once])
    assert inner.get_finished_logs()[1] is once
    told: Any = once.log_record
    assert SECRET not in repr((told.body, dict(told.attributes)))
    assert _count(told.body) == _count(body)
    if SECRET not in repr(body):
        assert told.body is data.log_record.body
