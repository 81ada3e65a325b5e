"""The alert rules that ship: they are valid, they fire when they should, and they name what we emit."""

import re
import subprocess
from functools import partial

import httpx
import pytest
from ruamel.yaml import YAML

from tests.parts.agent import Agent
from tests.parts.alerting import CONFIGS
from tests.parts.collector import SHIPPED, start_collector
from tests.parts.process import wait_for
from tests.parts.scraping import series
from tests.parts.server import start_server
from toolscore_otel import load
from toolscore_otel.emit import telemetry
from toolscore_otel.server.prometheus import label_of, name_of

OURS = re.compile(r"\btoolscore_\w+")
SELECTOR = re.compile(r"(?P<metric>\b[a-z]\w*)?\{(?P<labels>[^{}]*)\}")
LABEL = re.compile(r"(\w+)\s*(?:=~|!~|!=|=)")
BY_SCRAPING = {"job", "instance", "__name__"}
COLLECTORS = {
    "otelcol_exporter_enqueue_failed_spans",
    "otelcol_exporter_send_failed_spans",
    "otelcol_exporter_queue_size",
    "otelcol_exporter_queue_capacity",
}
"""Of the Collector's own metrics, what the rules look at."""


def rules():
    groups = YAML(typ="safe").load(CONFIGS / "rules.yaml")["groups"]
    return [rule for group in groups for rule in group["rules"]]


def told():
    """Prometheus name -> labels it has, of everything that we emit."""
    names = {}
    for name, metric in telemetry().metrics.items():
        if metric.stability == "reserved":
            continue
        family = name_of(name, metric)
        suffixes = {
            "counter": ["_total"],
            "gauge": [""],
            "histogram": ["_bucket", "_sum", "_count"],
        }
        for suffix in suffixes[metric.instrument]:
            names[family + suffix] = {label_of(label) for label in metric.attributes}
    return names


def of_ours(expression):
    """The metrics of ours that an expression names."""
    return set(OURS.findall(expression))


def run(*command):
    done = subprocess.run(command, cwd=CONFIGS, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_prometheus_takes_its_configuration_and_the_rules(promtool):
    code, printed = run(promtool, "check", "config", "prometheus.yaml")
    assert code == 0, printed


def test_the_rules_fire_when_they_should(promtool):
    code, printed = run(promtool, "test", "rules", "rules.test.yaml")
    assert code == 0, printed


def test_every_rule_has_a_test_that_sees_it_fire():
    text = (CONFIGS / "rules.test.yaml").read_text()
    assert [rule["alert"] for rule in rules() if rule["alert"] not in text] == []


def test_the_alertmanager_takes_its_configuration(amtool):
    code, printed = run(amtool, "check-config", "alertmanager.yaml")
    assert code == 0, printed


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule["alert"])
def test_a_rule_names_metrics_that_we_emit(rule):
    named = of_ours(rule["expr"])
    assert named <= told().keys()
    assert named or set(re.findall(r"otelcol_\w+", rule["expr"])) <= COLLECTORS or "up{" in rule["expr"]  # fmt: skip


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule["alert"])
def test_a_rule_names_labels_that_its_metric_has(rule):
    for metric, labels in SELECTOR.findall(rule["expr"]):
        if metric.startswith("toolscore_"):
            assert set(LABEL.findall(labels)) <= told()[metric] | BY_SCRAPING


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule["alert"])
def test_an_annotation_shows_labels_that_the_alert_has(rule):
    """Those of the metric, less what the expression takes away."""
    shown = set(re.findall(r"\$labels\.(\w+)", str(rule["annotations"])))
    metrics = of_ours(rule["expr"]) or {None}
    away = set(re.split(r",\s*", ",".join(re.findall(r"without \(([^)]*)\)", rule["expr"]))))
    for metric in metrics:
        assert shown <= (told().get(metric, set()) | BY_SCRAPING) - away


def test_each_alert_is_named_once_and_says_what_it_is_and_what_to_do():
    names = [rule["alert"] for rule in rules()]
    assert len(names) == len(set(names))
    assert [rule["alert"] for rule in rules() if not {"summary", "description"} <= rule["annotations"].keys()] == []  # fmt: skip


def test_what_a_finding_alerts_with_leads_to_its_trace():
    of_findings = [rule for rule in rules() if 'label="fail"' in rule["expr"]]
    assert len(of_findings) == 3
    assert [rule["alert"] for rule in of_findings if not {"trace", "search"} <= rule["annotations"].keys()] == []  # fmt: skip


def test_the_example_contract_bears_the_label_that_is_routed_by():
    (contract,) = load([SHIPPED / "contracts" / "payments.yaml"])
    routes = YAML(typ="safe").load(CONFIGS / "alertmanager.yaml")["route"]["routes"]
    assert contract.labels == {"team": "payments"}
    assert all("team = payments" in route["matchers"] for route in routes)


@pytest.mark.net
def test_a_real_server_shows_what_the_rules_name(start, tmp_path, sink):
    server = start_server(start, tmp_path, "toolscore.mirror.yaml", next_hop=sink.grpc)
    shown = httpx.get(f"http://{server.metrics}/metrics").text
    named = {name for rule in rules() for name in of_ours(rule["expr"])}
    assert {name for name in named if f"# TYPE {name} " not in shown} == {
        "toolscore_coverage_ratio",  # of closed trajectories
        "toolscore_next_hop_failed_total",  # inline only
        "toolscore_rule_errors_total",  # from the first on, and then from 0
    }


@pytest.mark.net
def test_a_real_collector_counts_under_these_names(otelcol, start, tmp_path, sink):
    """Towards nobody, with a queue of one: copies that fail, and copies that find no place."""
    collector = start_collector(
        start,
        otelcol,
        tmp_path,
        "mirror.yaml",
        toolscore="127.0.0.1:9",
        backend=sink.grpc,
        changes={
            "queue_size: 2000": "queue_size: 1",
            "num_consumers: 4": "num_consumers: 1",
            "send_batch_size: 512, send_batch_max_size: 2048": "send_batch_size: 1, send_batch_max_size: 1",
            "initial_interval: 1s, max_interval: 10s, max_elapsed_time: 60s": "initial_interval: 10ms, max_interval: 10ms, max_elapsed_time: 50ms",
        },
    )
    agent = Agent(collector.grpc)
    agent.run(times=20)
    agent.close()
    for name in sorted(COLLECTORS):
        look = partial(series, collector.metrics, name, exporter="otlp_grpc/toolscore")
        wait_for(look, name)
