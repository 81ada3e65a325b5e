"""Log records on their way to the engine."""

import pytest
from opentelemetry._logs import LogRecord
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import SpanContext, TraceFlags

from toolscore_otel import Contract
from toolscore_otel.sdk import ToolscoreLogProcessor, attach
from toolscore_otel.secrets.samples import make_sample

TRACE = 0xA1
CALL = {"id": "c1", "function": {"name": "rm", "arguments": '{"path": "/"}'}}


@pytest.fixture
def emit():
    """Emit a record on a span through a provider."""

    def send(provider, event=None, body=None, *, span=1, trace=TRACE, **fields):
        context = SpanContext(trace, span, is_remote=False, trace_flags=TraceFlags(1))
        if trace:
            fields |= {"trace_id": context.trace_id, "span_id": context.span_id}
        record = LogRecord(event_name=event, body=body, observed_timestamp=1000, **fields)
        provider.get_logger("app").emit(record)

    return send


@pytest.fixture
def listening(scoring):
    """A logger provider whose records the scoring takes in."""
    provider = LoggerProvider(shutdown_on_exit=False)
    provider.add_log_record_processor(ToolscoreLogProcessor(scoring))
    return provider


def test_a_call_that_only_messages_tell_of_is_scored(scoring, listening, emit):
    emit(listening, "gen_ai.assistant.message", {"tool_calls": [CALL]}, timestamp=10)
    emit(listening, "gen_ai.tool.message", {"id": "c1", "content": "done"}, timestamp=20)
    assert [finding.tool for finding in scoring.findings()] == ["rm"]
    assert scoring.counters["errors"] == 0


def test_records_of_no_interest_are_left_alone(scoring, listening, emit):
    emit(listening, None, "user logged in", attributes={"user": 1})
    emit(listening, "gen_ai.evaluation.result", attributes={"gen_ai.evaluation.name": "x"})
    assert scoring.engine.assembler.counters["spans"] == 0


def test_a_record_delivered_twice_makes_one_call(scoring, listening, emit):
    for _ in range(2):
        emit(listening, "gen_ai.choice", {"message": {"tool_calls": [CALL]}}, timestamp=10)
    assert len(scoring.report().trajectories[0].calls) == 1


def test_events_of_an_agent_without_traces_stand_in_their_conversation(scoring, listening, emit):
    attributes = {
        "event.name": "codex.tool_result",
        "tool_name": "rm",
        "call_id": "c1",
        "success": "true",
        "conversation.id": "talk",
    }
    emit(listening, "event result.rs:1", attributes=attributes, trace=0, timestamp=10)
    (trajectory,) = scoring.report().trajectories
    assert trajectory.conversation_id == "talk"
    assert [call.tool for call in trajectory.calls] == ["rm"]


def test_a_record_that_cannot_be_read_is_counted_and_not_raised(scoring):
    ToolscoreLogProcessor(scoring).on_emit(object())
    assert scoring.counters["log_records_unread"] == 1


def test_a_full_queue_drops_and_counts(scoring, listening, emit, monkeypatch):
    monkeypatch.setattr("toolscore_otel.sdk.scoring.QUEUE", 0)
    emit(listening, "gen_ai.choice", {"message": {"tool_calls": [CALL]}}, timestamp=10)
    assert scoring.counters["queue_full"] == 1


def test_what_goes_wrong_in_the_engine_is_counted_and_not_raised(
    scoring, listening, emit, monkeypatch
):
    monkeypatch.setattr(scoring, "_work", lambda: 1 / 0)
    emit(listening, "gen_ai.choice", {"message": {"tool_calls": [CALL]}}, timestamp=10)
    assert scoring.counters["errors"] == 1


def test_after_shutdown_nothing_is_taken_in(scoring, emit):
    provider = LoggerProvider(shutdown_on_exit=False)
    processor = ToolscoreLogProcessor(scoring)
    provider.add_log_record_processor(processor)
    assert processor.force_flush()
    processor.shutdown()
    emit(provider, "gen_ai.choice", {"message": {"tool_calls": [CALL]}}, timestamp=10)
    assert scoring.findings() == ()


def test_attach_listens_to_the_logger_provider_once(contract, emit):
    traces, logs = TracerProvider(shutdown_on_exit=False), LoggerProvider(shutdown_on_exit=False)
    attach(traces, contracts=[contract], logger_provider=logs)
    found = attach(traces, contracts=[contract], logger_provider=logs)
    emit(logs, "gen_ai.choice", {"message": {"tool_calls": [CALL]}}, timestamp=10)
    assert found.counters["spans"] == 1


def test_findings_of_log_records_go_out_as_log_events_and_come_back_as_nothing(contract, emit):
    traces, logs = TracerProvider(shutdown_on_exit=False), LoggerProvider(shutdown_on_exit=False)
    found = attach(traces, contracts=[contract], logger_provider=logs)
    emit(logs, "gen_ai.assistant.message", {"tool_calls": [CALL]}, timestamp=10)
    emit(logs, "gen_ai.tool.message", {"id": "c1", "content": "done"}, timestamp=20)
    assert [finding.tool for finding in found.findings()] == ["rm"]
    assert found.counters["spans"] == 2


def test_the_trace_of_a_log_record_waits_for_its_plain_spans(scoring, listening, emit, made):
    emit(listening, "gen_ai.assistant.message", {"tool_calls": [CALL]}, timestamp=10)
    emit(listening, "gen_ai.tool.message", {"id": "c1", "content": "done"}, timestamp=20)
    scoring.take(made(trace=TRACE))
    assert len(scoring.report().trajectories) == 1


def test_where_a_contract_asks_for_attributes_all_records_on_spans_are_taken_in(emit):
    secret = make_sample("github_token_classic", 1)
    clause = {"in": ["attributes"]}
    contract = Contract.from_dict({"contract": "c", "language": 1, "secrets": clause})
    spans = TracerProvider(shutdown_on_exit=False)
    logs = LoggerProvider(shutdown_on_exit=False)
    found = attach(spans, contracts=[contract], logger_provider=logs)
    with spans.get_tracer("app").start_as_current_span("execute_tool x") as span:
        context = span.get_span_context()
        on_it = {"trace": context.trace_id, "span": context.span_id}
        emit(logs, None, f"use {secret}", **on_it)
        emit(logs, None, f"use {secret}", trace=0)
        emit(logs, "gen_ai.evaluation.result", f"use {secret}", **on_it)
    assert [finding.path for finding in found.findings()] == ["body"]
    spans.shutdown()
