"""Rules see what a sampler drops."""

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, Decision, ParentBased

from toolscore_otel.sdk import ToolscoreSampler, attach


def decision(inner, name, attributes=None):
    return ToolscoreSampler(inner).should_sample(None, 1, name, attributes=attributes).decision


@pytest.mark.parametrize(
    ("name", "attributes", "expected"),
    [
        ("execute_tool rm", None, Decision.RECORD_ONLY),
        ("x", {"gen_ai.operation.name": "chat"}, Decision.RECORD_ONLY),
        ("GET /", {"http.route": "/"}, Decision.DROP),
        ("GET /", None, Decision.DROP),
    ],
)
def test_dropped_spans_of_interest_are_recorded(name, attributes, expected):
    assert decision(ALWAYS_OFF, name, attributes) is expected


def test_what_is_sampled_stays_sampled():
    assert decision(ALWAYS_ON, "execute_tool rm") is Decision.RECORD_AND_SAMPLE


def test_its_name_tells_both():
    assert ToolscoreSampler(ALWAYS_OFF).get_description() == "ToolscoreSampler(AlwaysOffSampler)"


def test_a_call_is_scored_and_not_exported(contract):
    exporter = InMemorySpanExporter()
    provider = TracerProvider(sampler=ToolscoreSampler(ParentBased(ALWAYS_OFF)))
    found = attach(provider, contracts=[contract])
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("t")
    with tracer.start_as_current_span("GET /"), tracer.start_as_current_span("execute_tool rm"):
        pass
    provider.shutdown()
    assert [finding.rule for finding in found.findings()][:1] == ["forbid.1"]
    assert exporter.get_finished_spans() == ()
