"""An application with a tracer of the real SDK, scored while it runs."""

import asyncio
import gc
import logging
import socket
import threading
import weakref
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk import _logs as sdk_logs
from opentelemetry.sdk._logs import export as logs_export
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from toolscore_otel import Contract, ContractError
from toolscore_otel.errors import ConfigError
from toolscore_otel.model import Label
from toolscore_otel.sdk import ToolscoreSpanExporter, ToolscoreSpanProcessor, attach
from toolscore_otel.secrets.samples import make_sample

SECRET = make_sample("aws_access_key_id", 1)
InMemoryLogs = (
    getattr(logs_export, "InMemoryLogRecordExporter", None) or logs_export.InMemoryLogExporter
)

CONTRACT = Contract.from_dict(
    {
        "contract": "support",
        "language": 1,
        "labels": {"team": "payments"},
        "forbid": [{"tool": "rm"}],
        "require": [{"tool": "log_case"}],
        "secrets": {"in": ["arguments"]},
    }
)


@pytest.fixture
def provider():
    """A tracer provider that is nobody else's."""
    made = TracerProvider(resource=Resource({"service.name": "shop"}), shutdown_on_exit=False)
    yield made
    made.shutdown()


@pytest.fixture
def logs():
    """A logger provider and what it exported."""
    exporter = InMemoryLogs()
    provider: Any = sdk_logs.LoggerProvider(shutdown_on_exit=False)
    provider.add_log_record_processor(logs_export.SimpleLogRecordProcessor(exporter))
    provider.exported = exporter
    return provider


@pytest.fixture
def meters():
    """A meter provider, and its reader."""
    reader = InMemoryMetricReader()
    provider: Any = MeterProvider([reader], shutdown_on_exit=False)
    provider.reader = reader
    yield provider
    provider.shutdown()


def call_tool(tracer, tool="rm", **arguments):
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool,
        "gen_ai.tool.call.arguments": str(arguments).replace("'", '"'),
    }
    with tracer.start_as_current_span(f"execute_tool {tool}", attributes=attributes):
        pass


def run_agent(provider, tool="rm", **arguments):
    """An agent that calls a tool somewhere inside."""
    tracer = provider.get_tracer("app")
    attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "ops"}
    with (
        tracer.start_as_current_span("invoke_agent ops", attributes=attributes),
        tracer.start_as_current_span("retry"),
    ):
        call_tool(tracer, tool, **arguments)


def failing(attached):
    return sorted(found.rule for found in attached.findings() if found.label is Label.FAIL)


def shown(reader, metric):
    data = reader.get_metrics_data()
    return {
        tuple(sorted(point.attributes.items())): point
        for resource in (data.resource_metrics if data else ())
        for scope in resource.scope_metrics
        for one in scope.metrics
        if one.name == metric
        for point in one.data.data_points
    }


def value_of(reader, metric, **attributes):
    """The sum of the series with these attributes."""
    return sum(
        point.value
        for key, point in shown(reader, metric).items()
        if attributes.items() <= dict(key).items()
    )


def test_one_line_scores_what_an_application_does(provider):
    attached = attach(provider, contracts=[CONTRACT])
    run_agent(provider)
    assert failing(attached) == ["forbid.1"]
    provider.force_flush()
    assert failing(attached) == ["forbid.1", "require.1"]
    assert [found.agent for found in attached.findings()] == ["ops", "ops"]
    assert attached.counters["calls"] == 1
    assert [t.agent for t in attached.report().trajectories] == ["ops"]


def test_findings_go_onto_the_spans_and_secrets_out_of_them(provider):
    exporter = InMemorySpanExporter()
    attach(provider, contracts=[CONTRACT], exporter=exporter)
    run_agent(provider, key=SECRET)
    provider.force_flush()
    tool, between, root = exporter.get_finished_spans()
    assert [event.name for event in tool.events] == [
        "toolscore.forbidden_call",
        "toolscore.secret_exposed",
    ]
    assert dict(tool.events[0].attributes or {})["toolscore.label.team"] == "payments"
    assert tool.events[0].timestamp == tool.end_time
    assert (list(between.events), list(root.events)) == ([], [])
    assert SECRET not in "".join(span.to_json() for span in (tool, between, root))


def test_spans_without_findings_are_handed_on_as_they_came(provider):
    ours, theirs = InMemorySpanExporter(), InMemorySpanExporter()
    attach(provider, contracts=[CONTRACT], exporter=ours)
    provider.add_span_processor(SimpleSpanProcessor(theirs))
    run_agent(provider, "search")
    provider.force_flush()
    pairs = zip(ours.get_finished_spans(), theirs.get_finished_spans(), strict=True)
    assert all(one is other for one, other in pairs)


def test_other_processors_see_what_they_would_see_without_us(provider):
    before, after = InMemorySpanExporter(), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(before))
    attach(provider, contracts=[CONTRACT], exporter=InMemorySpanExporter())
    provider.add_span_processor(SimpleSpanProcessor(after))
    run_agent(provider, key=SECRET)
    provider.force_flush()
    texts = [[span.to_json() for span in seen.get_finished_spans()] for seen in (before, after)]
    assert texts[0] == texts[1]
    assert sum(SECRET in text for text in texts[0]) == 1
    assert "toolscore" not in "".join(texts[0])


def test_a_finding_without_a_span_of_its_own_goes_onto_the_root(provider):
    budget = Contract.from_dict(
        {"contract": "b", "language": 1, "budget": [{"of": "trace", "calls": 1}]}
    )
    exporter = InMemorySpanExporter()
    attach(provider, contracts=[budget], exporter=exporter)
    tracer = provider.get_tracer("app")
    with tracer.start_as_current_span("root"):
        call_tool(tracer, "a")
        call_tool(tracer, "b")
    provider.force_flush()
    on = {span.name: [e.name for e in span.events] for span in exporter.get_finished_spans()}
    assert sum(names == ["toolscore.budget_exceeded"] for names in on.values()) == 1


def test_findings_go_out_as_log_events_on_the_span_at_fault(provider, logs):
    attach(provider, contracts=[CONTRACT], logger_provider=logs)
    seen = InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(seen))
    call_tool(provider.get_tracer("app"))
    (data,) = logs.exported.get_finished_logs()
    context: Any = seen.get_finished_spans()[0].context
    record = data.log_record
    assert record.event_name == "gen_ai.evaluation.result"
    assert (record.trace_id, record.span_id) == (context.trace_id, context.span_id)
    assert record.severity_number.value == 17
    assert record.attributes["gen_ai.evaluation.name"] == "support/forbid.1"
    assert record.attributes["toolscore.contract.hash"] == CONTRACT.hash


def test_no_secret_goes_out_with_a_finding(provider, logs):
    attach(provider, contracts=[CONTRACT], logger_provider=logs)
    call_tool(provider.get_tracer("app"), key=SECRET)
    provider.force_flush()
    told = [dict(data.log_record.attributes) for data in logs.exported.get_finished_logs()]
    leaked = [one for one in told if one.get("toolscore.secret.kind") == "aws_access_key_id"]
    assert len(leaked) == 1
    assert len(leaked[0]["toolscore.secret.fingerprint"]) == 16
    assert SECRET not in repr(told)


def test_a_contract_stands_at_zero_before_anything_happens(provider, meters):
    attach(provider, contracts=[CONTRACT], meter_provider=meters)
    found = shown(meters.reader, "toolscore.findings")
    assert {point.value for point in found.values()} == {0}
    assert {dict(key)["rule"] for key in found} == {"forbid.1", "require.1", "secrets", "coverage"}


def test_findings_are_counted_with_an_exemplar(provider, meters):
    attach(provider, contracts=[CONTRACT], meter_provider=meters)
    seen = InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(seen))
    run_agent(provider)
    (point,) = (
        point
        for key, point in shown(meters.reader, "toolscore.findings").items()
        if {"rule": "forbid.1", "label": "fail"}.items() <= dict(key).items()
    )
    assert point.value == 1
    assert point.attributes["team"] == "payments"
    context: Any = seen.get_finished_spans()[0].context
    assert [(e.trace_id, e.span_id) for e in point.exemplars] == [
        (context.trace_id, context.span_id)
    ]


def test_calls_are_counted_by_tool_and_agent_once_their_trajectory_is_closed(provider, meters):
    attach(provider, contracts=[CONTRACT], meter_provider=meters)
    run_agent(provider)
    provider.force_flush()
    assert value_of(meters.reader, "toolscore.tool.calls") == 0
    assert value_of(meters.reader, "toolscore.tool.calls", tool="rm", agent="ops", status="ok") == 1
    assert value_of(meters.reader, "toolscore.tool.findings", tool="rm", agent="ops") == 1
    (duration,) = shown(meters.reader, "toolscore.tool.duration").values()
    assert duration.count == 1


def test_collections_move_time(provider, meters):
    attached = attach(provider, contracts=[CONTRACT], meter_provider=meters, settle_ms=0)
    run_agent(provider, "search")
    attached._scoring._next_tick = 0
    assert value_of(meters.reader, "toolscore.findings", rule="require.1", label="fail") == 1


def test_without_other_providers_findings_are_readable_and_that_is_said_once(provider, caplog):
    attached = attach(provider, contracts=[CONTRACT])
    run_agent(provider)
    run_agent(provider)
    assert failing(attached) == ["forbid.1", "forbid.1"]
    said = [record for record in caplog.records if "no LoggerProvider is set" in record.message]
    assert [(record.name, record.levelno) for record in said] == [
        ("toolscore_otel", logging.WARNING)
    ]


def test_a_second_attach_gives_the_findings_of_the_first(provider):
    first, second = (attach(provider, contracts=[CONTRACT]) for _ in range(2))
    run_agent(provider)
    assert first.findings() == second.findings() != ()
    assert first.counters["duplicates"] == 0


def test_other_contracts_for_the_same_provider_are_refused_in_the_log(provider, caplog):
    attach(provider, contracts=[CONTRACT])
    attach(
        provider, contracts=[Contract.from_dict({"contract": "x", "language": 1, "forbid": ["a"]})]
    )
    assert "scored already, with other contracts" in caplog.text


def test_processor_and_exporter_share_one_engine_without_being_told_of_each_other(provider):
    inner = InMemorySpanExporter()
    processor: Any = ToolscoreSpanProcessor([CONTRACT])
    provider.add_span_processor(processor)
    provider.add_span_processor(BatchSpanProcessor(ToolscoreSpanExporter(inner)))
    run_agent(provider)
    provider.force_flush()
    assert [len(span.events) for span in inner.get_finished_spans()] == [1, 0, 0]
    assert processor._scoring.all_counters()["spans"] == 3
    assert processor._scoring.all_counters()["duplicates"] == 0


def test_an_exporter_alone_scores_what_it_exports(provider, logs):
    inner = InMemorySpanExporter()
    exporter = ToolscoreSpanExporter(inner, [CONTRACT], logger_provider=logs)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    run_agent(provider)
    provider.shutdown()
    assert [len(span.events) for span in inner.get_finished_spans()] == [1, 0, 0]
    told = {
        data.log_record.attributes["gen_ai.evaluation.name"].removeprefix("support/")
        for data in logs.exported.get_finished_logs()
    }
    assert told == {"forbid.1", "require.1", "required_recall", "redundant_rate", "error_rate"}


def test_what_is_exported_at_shutdown_is_not_scored_again(provider, logs):
    inner = InMemorySpanExporter()
    provider.add_span_processor(ToolscoreSpanProcessor([CONTRACT], logger_provider=logs))
    provider.add_span_processor(BatchSpanProcessor(ToolscoreSpanExporter(inner)))
    run_agent(provider)
    before = len(logs.exported.get_finished_logs())
    provider.shutdown()
    assert [len(span.events) for span in inner.get_finished_spans()] == [1, 0, 0]
    assert [
        data.log_record.attributes["gen_ai.evaluation.name"]
        for data in logs.exported.get_finished_logs()[before:]  # what only closing could tell
    ] == [
        "support/require.1",
        "support/required_recall",
        "support/redundant_rate",
        "support/error_rate",
    ]


def test_scores_of_a_closed_trace_go_out_beside_findings(provider, logs):
    attach(provider, contracts=[CONTRACT], logger_provider=logs)
    run_agent(provider)
    provider.force_flush()
    records = [data.log_record for data in logs.exported.get_finished_logs()]
    (score,) = [
        r for r in records if r.attributes["gen_ai.evaluation.name"] == "support/error_rate"
    ]
    assert score.event_name == "gen_ai.evaluation.result"
    assert (score.trace_id, score.span_id) == (records[0].trace_id, 0)
    assert score.severity_number.value == 9
    assert score.attributes["gen_ai.evaluation.score.value"] == 0.0
    assert score.attributes["toolscore.contract.hash"] == CONTRACT.hash
    assert score.attributes["toolscore.label.team"] == "payments"
    assert "gen_ai.evaluation.score.label" not in score.attributes


def test_where_scores_are_a_metric_alone_only_findings_go_out(provider, logs):
    attach(provider, contracts=[CONTRACT], logger_provider=logs, scores="metric")
    run_agent(provider)
    provider.force_flush()
    records = [data.log_record for data in logs.exported.get_finished_logs()]
    assert len(records) > 0
    assert all("toolscore.rule.id" in record.attributes for record in records)


def test_two_providers_are_scored_apart_even_with_one_resource():
    resource = Resource({"service.name": "shop"})
    providers = [TracerProvider(resource=resource, shutdown_on_exit=False) for _ in range(2)]
    attached = [attach(provider, contracts=[CONTRACT]) for provider in providers]
    run_agent(providers[0])
    assert [failing(one) for one in attached] == [["forbid.1"], []]
    for provider in providers:
        provider.shutdown()


def test_a_provider_that_replaces_one_starts_anew():
    resource = Resource({"service.name": "shop"})
    for _ in range(2):
        provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        processor: Any = ToolscoreSpanProcessor([CONTRACT])
        provider.add_span_processor(processor)
        run_agent(provider)
        provider.shutdown()
        assert processor._scoring.all_counters()["spans"] == 3


def test_nothing_keeps_a_provider_alive():
    provider = TracerProvider(shutdown_on_exit=False)
    attach(provider, contracts=[CONTRACT])
    gone = weakref.ref(provider)
    del provider
    gc.collect()
    assert gone() is None


def test_shutdown_twice_and_spans_after_it_are_fine(provider, logs):
    attached = attach(provider, contracts=[CONTRACT], logger_provider=logs)
    run_agent(provider)
    provider.shutdown()
    said = len(logs.exported.get_finished_logs())
    provider.shutdown()
    run_agent(provider)
    assert len(logs.exported.get_finished_logs()) == said
    assert failing(attached) == ["forbid.1", "require.1"]


def test_threads_are_scored_side_by_side(provider):
    attached = attach(provider, contracts=[CONTRACT])
    threads = [
        threading.Thread(target=lambda: [run_agent(provider) for _ in range(20)]) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    provider.force_flush()
    assert attached.counters["spans"] == 360
    assert failing(attached) == ["forbid.1"] * 120 + ["require.1"] * 120


def test_tasks_are_scored_side_by_side(provider):
    attached = attach(provider, contracts=[CONTRACT])
    tracer = provider.get_tracer("app")

    async def agent(number):
        attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": f"a{number}"}
        with tracer.start_as_current_span("invoke_agent", attributes=attributes):
            await asyncio.sleep(0)
            call_tool(tracer)
            await asyncio.sleep(0)

    async def main():
        await asyncio.gather(*(agent(number) for number in range(10)))

    asyncio.run(main())
    provider.force_flush()
    forbidden = [found for found in attached.findings() if found.rule == "forbid.1"]
    assert {found.agent for found in forbidden} == {f"a{number}" for number in range(10)}


def test_no_connection_is_opened(provider, monkeypatch):
    def refuse(*_):
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    attached = attach(provider, contracts=[CONTRACT], exporter=InMemorySpanExporter())
    run_agent(provider)
    provider.force_flush()
    assert failing(attached) == ["forbid.1", "require.1"]


def test_a_contract_that_cannot_be_loaded_is_an_error_at_once(provider, tmp_path):
    broken = tmp_path / "broken.yaml"
    broken.write_text("contract: c\nlanguage: 1\nforbit: []\n")
    with pytest.raises(ContractError, match=r"broken\.yaml:3"):
        attach(provider, contracts=[broken])


def test_contracts_are_taken_from_the_environment(provider, tmp_path, monkeypatch):
    path = tmp_path / "c.yaml"
    path.write_text("contract: c\nlanguage: 1\nforbid: [rm]\n")
    monkeypatch.setenv("TOOLSCORE_CONTRACTS", f"{path},pack:loops")
    attached = attach(provider)
    run_agent(provider)
    assert failing(attached) == ["forbid.1"]


def test_a_meter_provider_that_raises_costs_the_metrics_only(provider, caplog):
    class Broken:
        def get_meter(self, name):
            raise RuntimeError

    attached = attach(provider, contracts=[CONTRACT], meter_provider=Broken())
    run_agent(provider)
    assert failing(attached) == ["forbid.1"]
    assert "there are no metrics" in caplog.text


def test_a_scoring_that_cannot_be_made_does_not_reach_the_application(provider, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError

    processor = ToolscoreSpanProcessor([CONTRACT])
    provider.add_span_processor(processor)
    monkeypatch.setattr(processor, "_bind", broken)
    run_agent(provider)
    assert provider.force_flush()


def test_there_is_nothing_to_attach_to_without_a_provider_of_the_sdk():
    with pytest.raises(ConfigError, match="set one with"):
        attach(trace.NoOpTracerProvider())


def test_a_secret_in_a_name_leaves_with_no_finding(provider, logs):
    contract = Contract.from_dict({"contract": "c", "language": 1, "forbid": ["*"]})
    found = attach(provider, contracts=[contract], logger_provider=logs)
    spans = InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(ToolscoreSpanExporter(spans)))
    call_tool(provider.get_tracer("app"), tool=f"run {SECRET}")
    provider.force_flush()

    (span,) = spans.get_finished_spans()
    events = [str(dict(event.attributes or {})) for event in span.events]
    records = [str(dict(d.log_record.attributes)) for d in logs.exported.get_finished_logs()]
    told = [repr(found.findings()), *events, *records]
    assert len(told) >= 3
    assert all(SECRET[:12] not in part for part in told)
    assert all("REDACTED" in part for part in told if "toolscore.score.id" not in part)
