"""One forbidden call, and whoever is on duty for that team gets to know of it, with the trace."""

import time

import httpx
import pytest

from tests.parts.agent import Agent
from tests.parts.alerting import start_prometheus
from tests.parts.ports import free_address
from tests.parts.process import wait_for
from tests.parts.server import start_server

pytestmark = pytest.mark.net

FINDINGS = "  otlp: {endpoint: 127.0.0.1:15317, tls: {insecure: true}}"
"""Where findings go, in toolscore.mirror.yaml."""
ANOTHER_RULE = """
contract: accounts
language: 1
labels: {team: payments}
forbid:
  - {tool: delete_user, severity: critical}
  - {tool: merge_users, severity: critical}
"""
LABELS = {"contract": "payments", "rule": "forbid.1", "severity": "critical", "team": "payments"}


def forbidden_call(address, tool="delete_user"):
    """Make one, and give its trace id and when it had ended."""
    agent = Agent(address)
    agent.run("lookup_order", times=3)
    agent.run(tool)
    at_s = time.monotonic()
    sent = agent.sent()
    agent.close()
    (span,) = [one for one in sent.values() if one.name == f"execute_tool {tool}"]
    return span.trace_id.hex(), at_s


def call_about(webhook, text):
    """The first call of the webhook that holds a text."""
    return wait_for(
        lambda: next((one for one in webhook.calls if text in str(one.body)), None),
        f"a call about {text}",
    )


@pytest.fixture
def server(start, tmp_path, sink):
    """Findings go to the far end, metrics are scraped."""
    return start_server(start, tmp_path, "toolscore.mirror.yaml", next_hop=sink.grpc)


@pytest.fixture
def sending(start, tmp_path):
    """Starts a server whose findings go straight to where a key of `findings` says."""

    def to(findings):
        return start_server(
            start,
            tmp_path,
            "toolscore.mirror.yaml",
            next_hop=free_address(),
            changes={FINDINGS: f"  {findings}"},
        )

    return to


@pytest.fixture
def scraper(prometheus, start, tmp_path, manager, server):
    """A Prometheus that scrapes the server."""
    return start_prometheus(
        start, prometheus, tmp_path, alertmanager=manager, toolscore=server.metrics
    )


def test_over_prometheus_to_the_team_of_the_contract(server, scraper, webhook, measured):
    trace_id, at_s = forbidden_call(server.grpc)
    call = call_about(webhook, "ToolscoreForbiddenCall")
    measured("from the forbidden call to the page, over Prometheus", call.at_s - at_s)

    assert call.path == "/payments-pager"
    (alert,) = call.body["alerts"]
    expected = {"alertname": "ToolscoreForbiddenCall", **LABELS}
    assert {key: alert["labels"].get(key) for key in expected} == expected
    link = httpx.URL(alert["annotations"]["trace"])
    assert link.path == "/api/v1/query_exemplars"
    here = link.copy_with(host="127.0.0.1", port=int(scraper.rpartition(":")[2]))
    exemplars = [one for series in httpx.get(here).json()["data"] for one in series["exemplars"]]
    assert [one["labels"]["trace_id"] for one in exemplars] == [trace_id]
    assert {one.path for one in webhook.calls} == {"/payments-pager"}


def test_straight_to_an_alertmanager(sending, manager, webhook, measured):
    server = sending(f"alertmanager: {{url: http://{manager}}}")
    trace_id, at_s = forbidden_call(server.grpc)
    call = call_about(webhook, "forbid.1")
    measured("from the forbidden call to the page, straight to the Alertmanager", call.at_s - at_s)

    assert call.path == "/payments-pager"
    (alert,) = [one for one in call.body["alerts"] if one["status"] == "firing"]
    expected = {"alertname": "ToolscoreForbiddenCall", "tool": "delete_user", **LABELS}
    assert {key: alert["labels"].get(key) for key in expected} == expected
    assert alert["annotations"]["trace_id"] == trace_id
    assert alert["annotations"]["agent"] == "desk"


def test_a_second_broken_rule_pages_at_once_and_does_not_wait_for_its_group(
    sending, tmp_path, manager, webhook
):
    (tmp_path / "contracts").mkdir()
    (tmp_path / "contracts" / "accounts.yaml").write_text(ANOTHER_RULE)
    server = sending(f"alertmanager: {{url: http://{manager}}}")
    for rule, tool in {"accounts/forbid.1": "delete_user", "accounts/forbid.2": "merge_users"}.items():  # fmt: skip
        forbidden_call(server.grpc, tool)
        call = call_about(webhook, rule)
        assert call.path == "/payments-pager"
        assert {alert["labels"]["tool"] for alert in call.body["alerts"]} == {tool}


def test_straight_to_a_webhook(sending, webhook, measured):
    server = sending(f"webhook: {{url: http://{webhook.address}/hook}}")
    trace_id, at_s = forbidden_call(server.grpc)
    call = call_about(webhook, "forbid.1")
    measured("from the forbidden call to the webhook", call.at_s - at_s)
    assert call.path == "/hook"
    findings = [one for one in call.body["findings"] if one["rule"] == "forbid.1"]
    assert {one["trace_id"] for one in findings} == {trace_id}
    assert [one["labels"] for one in findings] == [{"team": "payments"}] * len(findings)
