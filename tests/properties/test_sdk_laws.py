"""Inside an application the same is found as in a recording of it, whatever the order in which spans end."""

from hypothesis import given, strategies as st
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanContext, TraceFlags

from toolscore_otel import Contract, score
from toolscore_otel.model import ClosedBy, Label
from toolscore_otel.sdk import SdkConfig
from toolscore_otel.sdk.scoring import Scoring
from toolscore_otel.testing import FakeClock
from toolscore_otel.wire.sdk import SdkReader

CONTRACT = Contract.from_dict(
    {
        "contract": "c",
        "language": 1,
        "forbid": [{"tool": "rm"}, {"tool": "search", "unless": {"agent": "desk"}}],
        "limit": [{"tool": "search", "max": 2}],
        "require": [{"tool": "log_case"}],
    }
)
RESOURCE = Resource({"service.name": "shop"})
KINDS = {
    "plain": {},
    "rm": {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "rm"},
    "search": {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"},
    "ops": {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "ops"},
    "desk": {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "desk"},
}


@st.composite
def traces(draw):
    """Spans of a few traces, each a tree, in any order of their end."""
    spans = []
    for trace in range(1, draw(st.integers(1, 3)) + 1):
        kinds = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=8))
        contexts: list[SpanContext] = []
        for number, kind in enumerate(kinds):
            above = contexts[draw(st.integers(0, number - 1))] if number else None
            context = SpanContext(
                trace, 100 * trace + number, is_remote=False, trace_flags=TraceFlags(1)
            )
            contexts.append(context)
            spans.append(
                ReadableSpan(
                    name=f"s{number}",
                    context=context,
                    parent=above,
                    attributes=KINDS[kind],
                    resource=RESOURCE,
                    start_time=1000 + number,
                    end_time=2000 + number,
                )
            )
    return draw(st.permutations(spans))


def standing(findings):
    """What is found in the end, without revisions."""
    return {
        (f.id, f.rule, f.label, f.span_id, f.agent, f.count)
        for f in findings
        if f.label is not Label.PASS
    }


@given(traces())
def test_an_application_finds_what_its_recording_would_show(spans):
    scoring = Scoring([CONTRACT], SdkConfig(), clock=FakeClock())
    for span in spans:
        scoring.take(span)
    scoring.close(ClosedBy.SHUTDOWN)
    reader = SdkReader()
    recorded = score([reader.span(span) for span in spans], [CONTRACT])
    assert standing(scoring.findings()) == standing(recorded.findings)
    assert scoring.counters["errors"] == 0
