"""Findings as spans, through a real server, to a far end that is only sent traces."""

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.edges.collector.reading import our_events, values, without_our_events
from tests.parts.process import wait_for
from tests.parts.sink import Sink
from tests.parts.traces_only import EXPERIMENT, EXPLANATION_HOLDS, agent_before

pytestmark = pytest.mark.net


@pytest.fixture
def sink():
    one = Sink()
    yield one
    one.die()


@pytest.fixture
def agent(tmp_path, sink):
    """Its spans go through a server on to the sink."""
    with agent_before(tmp_path / "server", sink.http) as one:
        yield one


def findings(sink: Sink) -> list[Span]:
    return [span for span in sink.spans() if "toolscore.finding.id" in values(span.attributes)]


def scores(sink: Sink) -> list[Span]:
    return [span for span in sink.spans() if "toolscore.score.id" in values(span.attributes)]


def test_a_finding_is_a_child_of_no_duration_of_the_span_at_fault(agent, sink):
    agent.run("lookup_order")
    agent.run("delete_user")
    sent = agent.sent()
    sink.wait_for_all(sent)
    (finding,) = wait_for(lambda: findings(sink), "the finding")

    (at_fault,) = [span for span in sent.values() if span.name == "execute_tool delete_user"]
    assert (at_fault.trace_id, at_fault.span_id) == (finding.trace_id, finding.parent_span_id)
    assert finding.start_time_unix_nano == finding.end_time_unix_nano
    assert (
        at_fault.start_time_unix_nano <= finding.start_time_unix_nano <= at_fault.end_time_unix_nano
    )
    assert finding.name == "gen_ai.evaluation.result"
    told = values(finding.attributes)
    assert (told["gen_ai.evaluation.name"], told["gen_ai.evaluation.score.label"]) == (
        "desk/forbid.1",
        "fail",
    )
    assert EXPLANATION_HOLDS in told["gen_ai.evaluation.explanation"]


def test_scores_of_a_closed_trace_are_children_of_one_of_its_spans(agent, sink):
    agent.run("lookup_order")
    sent = agent.sent()
    sink.wait_for_all(sent)
    told = wait_for(lambda: found if len(found := scores(sink)) > 1 else None, "the scores")

    (above,) = {one.parent_span_id for one in told}
    assert {sent[above].trace_id} == {one.trace_id for one in told}
    assert all(one.start_time_unix_nano == one.end_time_unix_nano for one in told)
    assert {one.name for one in told} == {"gen_ai.evaluation.result"}
    assert {values(one.attributes)["gen_ai.evaluation.name"] for one in told} == {
        "desk/redundant_rate",
        "desk/error_rate",
    }


def test_spans_go_on_with_the_headers_of_the_page_and_nothing_else_is_sent(agent, sink):
    agent.run("delete_user")
    sent = agent.sent()
    sink.wait_for_all(sent)
    wait_for(lambda: findings(sink), "the finding")

    assert {(one.signal, one.headers["x-mlflow-experiment-id"]) for one in sink.exports} == {
        ("traces", EXPERIMENT)
    }
    passed = {span.span_id: span for span in sink.spans() if span.span_id in sent}
    assert {key: without_our_events(span) for key, span in passed.items()} == sent
    assert {span.name: our_events(span) for span in passed.values() if our_events(span)} == {
        "execute_tool delete_user": ["toolscore.forbidden_call"]
    }
