"""Findings as spans in a real backend that takes only traces.

Optional: the server comes with some hundred megabytes of packages, too much for every run. What every run holds instead is
in `tests/edges/server/test_traces_only.py`, against a far end of our own.
"""

import os
from base64 import b64decode

import pytest

from tests.edges.mlflow.backend import mlflow_server
from tests.parts.process import wait_for
from tests.parts.traces_only import EXPERIMENT, EXPLANATION_HOLDS, agent_before

pytestmark = [
    pytest.mark.net,
    pytest.mark.skipif(
        os.environ.get("TOOLSCORE_TEST_MLFLOW") != "1",
        reason="optional, since it installs an MLflow server of about 650 MB: TOOLSCORE_TEST_MLFLOW=1 runs it",
    ),
]


@pytest.fixture
def mlflow(tmp_path):
    """With the experiment that the page names."""
    with mlflow_server(tmp_path) as one:
        assert one.new_experiment("desk") == EXPERIMENT
        yield one


@pytest.fixture
def agent(tmp_path, mlflow):
    """Its spans go through a server on to MLflow."""
    with agent_before(tmp_path / "server", mlflow.address) as one:
        yield one


def values(pairs):
    """Attributes that hold one value each, by key."""
    return {pair["key"]: next(iter(pair["value"].values())) for pair in pairs}


def is_finding(span):
    """Whether it is a span that tells of a finding; those of scores come when the trace closes."""
    return "toolscore.finding.id" in values(span["attributes"])


def test_a_finding_shows_on_the_span_at_fault_and_below_it(agent, mlflow):
    agent.run("delete_user")
    sent = agent.sent()
    (trace_id,) = {span.trace_id for span in sent.values()}

    def whole():
        spans = mlflow.spans(trace_id.hex())
        return spans if any(map(is_finding, spans)) else None

    told = wait_for(whole, "the trace and its finding in MLflow")
    by_id = {b64decode(span["span_id"]): span for span in told}
    (finding_id,) = [span_id for span_id, span in by_id.items() if is_finding(span)]
    assert sent.keys() < by_id.keys()

    finding = by_id[finding_id]
    at_fault = by_id[b64decode(finding["parent_span_id"])]
    assert (at_fault["name"], finding["name"]) == (
        "execute_tool delete_user",
        "gen_ai.evaluation.result",
    )
    assert finding["start_time_unix_nano"] == finding["end_time_unix_nano"]
    below = values(finding["attributes"])
    assert below["gen_ai.evaluation.name"] == "desk/forbid.1"
    assert below["gen_ai.evaluation.score.label"] == "fail"
    assert EXPLANATION_HOLDS in below["gen_ai.evaluation.explanation"]

    assert [event["name"] for event in at_fault["events"]] == ["asked", "toolscore.forbidden_call"]
    on_it = values(at_fault["events"][-1]["attributes"])
    assert on_it["gen_ai.evaluation.name"] == "desk/forbid.1"
    assert EXPLANATION_HOLDS in on_it["gen_ai.evaluation.explanation"]
