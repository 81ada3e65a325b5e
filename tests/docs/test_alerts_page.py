"""What the pages about alerts and the Collector say of the configurations that ship is what stands in them."""

import re
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from ruamel.yaml import YAML

from toolscore_otel.server.config import ServerConfig, seconds
from toolscore_otel.server.sinks.alertmanager import FIRING_S

ROOT = Path(__file__).parent.parent.parent
ALERTS, COLLECTOR = (ROOT / "docs" / "pages" / name for name in ("alerts.md", "collector.md"))


def shipped(name: str) -> Any:
    return YAML(typ="safe").load(ROOT / "collector-config" / name)


MIRROR, INLINE, OURS = (shipped(f"{n}.yaml") for n in ("mirror", "inline", "toolscore.inline"))
COPY, THROUGH = (config["exporters"]["otlp_grpc/toolscore"] for config in (MIRROR, INLINE))
SCRAPING = shipped("prometheus/prometheus.yaml")["global"]
ROUTE = shipped("prometheus/alertmanager.yaml")["route"]
RULES = {
    rule["alert"]: rule
    for group in shipped("prometheus/rules.yaml")["groups"]
    for rule in group["rules"]
}
TIMES = ServerConfig().trajectories
SDK_DELAY_S: float = BatchSpanProcessor._default_schedule_delay_millis() / 1000
SDK_QUEUE = BatchSpanProcessor._default_max_queue_size()


def in_seconds(duration: str) -> float:
    """Of `200ms`, `15s`, `30m`, `4h`."""
    found = re.fullmatch(r"(\d+)(ms|s|m|h)", duration)
    assert found
    factors = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
    return float(found[1]) * factors[found[2]]


def to_a_page(scrape_s: float, evaluation_s: float, wait: str) -> float:
    """From the end of a call to its page, at most."""
    batch_s = in_seconds(MIRROR["processors"]["batch/toolscore"]["timeout"])
    return SDK_DELAY_S + batch_s + scrape_s + evaluation_s + in_seconds(wait)


SCRAPE_S, EVALUATE_S = (in_seconds(SCRAPING[f"{what}_interval"]) for what in ("scrape", "evaluation"))  # fmt: skip
(PAGER,) = [route for route in ROUTE["routes"] if "severity = critical" in route["matchers"]]
BATCH = MIRROR["processors"]["batch/toolscore"]["timeout"].replace("ms", " ms")

SAID = [
    (ALERTS, f"| SDK: batch | `OTEL_BSP_SCHEDULE_DELAY`, {SDK_DELAY_S:.0f} s | {SDK_DELAY_S:.0f} s |"),
    (ALERTS, f"| Collector: batch | {BATCH} |"),
    (ALERTS, f"| Prometheus: scrape | {SCRAPE_S:.0f} s (often 60 s) | {SCRAPE_S:.0f} s (60 s) |"),
    (ALERTS, f"| Prometheus: evaluation | {EVALUATE_S:.0f} s (often 60 s) | {EVALUATE_S:.0f} s (60 s) |"),
    (ALERTS, f"`group_wait` | {in_seconds(ROUTE['group_wait']):.0f} s; {in_seconds(PAGER['group_wait']):.0f} s for pages"),
    (ALERTS, f"**{to_a_page(SCRAPE_S, EVALUATE_S, PAGER['group_wait']):.0f} s** for a page as configured here"),
    (ALERTS, f"{to_a_page(SCRAPE_S, EVALUATE_S, ROUTE['group_wait']):.0f} s with `group_wait: {ROUTE['group_wait']}`"),
    (ALERTS, f"`repeat_interval` ({in_seconds(ROUTE['repeat_interval']) / 3600:.0f} h)"),
    (ALERTS, f"by `lateness` ({seconds(TIMES.lateness):.0f} s)"),
    (ALERTS, f"({seconds(TIMES.settle):.0f} s after its root's end, {seconds(TIMES.idle):.0f} s without one)"),
    (COLLECTOR, f"and a batch of {BATCH} |"),
    (COLLECTOR, f"**`num_consumers: {COPY['sending_queue']['num_consumers']}`** requests are on their way"),
    (COLLECTOR, f"the queue ({COPY['sending_queue']['queue_size']} requests) is full"),
    (COLLECTOR, f"(`timeout: {THROUGH['timeout']}`)"),
    (COLLECTOR, f"(`next_hop.timeout: {OURS['next_hop']['timeout']}`)"),
    (COLLECTOR, f"{THROUGH['sending_queue']['num_consumers']} requests of up to {THROUGH['sending_queue']['batch']['max_size']} spans"),
    (COLLECTOR, f"the SDK's queue ({SDK_QUEUE} spans)"),
]  # fmt: skip


@pytest.mark.parametrize(("page", "said"), SAID, ids=lambda value: getattr(value, "name", value))
def test_a_number_on_a_page_is_that_of_the_configuration(page, said):
    assert said in " ".join(page.read_text().split())


def test_a_page_that_is_evaluated_every_minute_takes_two_and_a_half():
    assert round(to_a_page(60, 60, ROUTE["group_wait"]) / 30) == 5
    assert "two and a half minutes with scrape and evaluation every minute" in ALERTS.read_text()


def test_every_alert_that_ships_stands_in_the_table_and_no_other():
    rows = re.findall(
        r"^\| (`Toolscore\w+`(?:, `Toolscore\w+`)*) \|", ALERTS.read_text(), re.MULTILINE
    )
    assert re.findall(r"\w+", " ".join(rows)) == [*RULES]


def test_other_alerts_that_the_pages_name_ship_too():
    for page in (ALERTS, COLLECTOR):
        assert set(re.findall(r"`(Toolscore[A-Z]\w+)`", page.read_text())) <= RULES.keys()


def test_half_hours_hours_minutes_and_shares_are_those_that_ship():
    assert {RULES[name]["for"] for name in ("ToolscoreCannotCheck", "ToolscoreCoverageLow")} == {"30m"}  # fmt: skip
    assert "fewer than 80 %" in ALERTS.read_text()
    assert RULES["ToolscoreCoverageLow"]["expr"].endswith("< 0.8")
    assert "It fires for an hour after the last one" in ALERTS.read_text()
    assert FIRING_S == 3600
    assert "where toolscore-otel is away for more than a minute" in COLLECTOR.read_text()
    assert in_seconds(COPY["retry_on_failure"]["max_elapsed_time"]) == 60
