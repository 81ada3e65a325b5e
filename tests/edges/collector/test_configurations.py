"""The Collector configurations that ship: they are valid, and cannot lead in a circle."""

import subprocess

import pytest
from ruamel.yaml import YAML

from tests.parts.collector import SHIPPED, start_collector
from tests.parts.process import answers
from toolscore_otel import load
from toolscore_otel.server.config import load_config

CONFIGS = ("mirror.yaml", "inline.yaml")
"""That stand beside a toolscore-otel."""


def shipped(name):
    return YAML(typ="safe").load(SHIPPED / name)


def reached_from(config, receiver):
    """Every exporter that data from a receiver can come to, through whatever connectors."""
    reached: set[str] = set()
    waiting = [receiver]
    while waiting:
        source = waiting.pop()
        for pipeline in config["service"]["pipelines"].values():
            if source in pipeline["receivers"]:
                new = set(pipeline["exporters"]) - reached
                reached |= new
                waiting.extend(new)
    return reached


@pytest.mark.parametrize("name", [*CONFIGS, "router.yaml"])
def test_the_collector_takes_it(otelcol, name):
    command = [str(otelcol), "validate", "--config", str(SHIPPED / name)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("name", CONFIGS)
def test_what_comes_from_us_never_comes_back_to_us(name):
    config = shipped(name)
    assert "otlp_grpc/toolscore" in reached_from(config, "otlp")
    assert reached_from(config, "otlp/toolscore") == {"otlp_grpc/backend"}


@pytest.mark.parametrize("name", CONFIGS)
def test_both_sides_agree_on_the_addresses(name):
    collector, ours = shipped(name), shipped(f"toolscore.{name}")
    received = ours["receivers"]["otlp"]["protocols"]["grpc"]["endpoint"]
    assert received == collector["exporters"]["otlp_grpc/toolscore"]["endpoint"]
    back = collector["receivers"]["otlp/toolscore"]["protocols"]["grpc"]["endpoint"]
    assert back == (ours.get("next_hop") or ours["findings"]["otlp"])["endpoint"]


@pytest.mark.parametrize("name", CONFIGS)
def test_we_take_ours(name):
    config = load_config(SHIPPED / f"toolscore.{name}")
    assert f"{config.mode}.yaml" == name
    assert load(config.contracts)


def test_inline_a_sender_waits_longer_than_we_wait_for_the_next_hop():
    def seconds(text):
        assert text.endswith("s")
        return float(text[:-1])

    sender = shipped("inline.yaml")["exporters"]["otlp_grpc/toolscore"]["timeout"]
    assert seconds(sender) > seconds(shipped("toolscore.inline.yaml")["next_hop"]["timeout"])


def test_inline_nothing_stands_before_the_queue_on_disk_that_answers_too_early():
    config = shipped("inline.yaml")
    used = {
        name
        for one in config["service"]["pipelines"].values()
        for name in one.get("processors", [])
    }
    assert used == {"memory_limiter"}
    assert {exporter["sending_queue"]["storage"] for exporter in config["exporters"].values()} == {
        "file_storage"
    }


@pytest.mark.net
@pytest.mark.parametrize("name", CONFIGS)
def test_it_starts_and_stops_with_nobody_at_the_other_ends(otelcol, start, tmp_path, name):
    nobody = "127.0.0.1:9"
    collector = start_collector(start, otelcol, tmp_path, name, toolscore=nobody, backend=nobody)
    assert answers(f"http://{collector.metrics}/metrics")
    assert collector.running.stop() == 0
    assert "error\t" not in collector.running.printed()
