"""The demo over real sockets: SDK, OTLP, server, findings, metrics."""

import re
import subprocess
import sys

import pytest

from tests.edges.test_demo import RULES
from toolscore_otel.cli.demo_replay import fake_token

pytestmark = pytest.mark.net


@pytest.fixture(scope="module")
def output() -> str:
    done = subprocess.run(
        [sys.executable, "-m", "toolscore_otel.cli", "demo", "--live", "--fast"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_header_stands_right_above_the_first_call(output: str) -> None:
    lines = output.splitlines()
    (at,) = [number for number, line in enumerate(lines) if line.split()[-1:] == ["took"]]

    assert re.match(r" *[\d.]+ s support ", lines[at + 1])
    assert "a look inside" in lines[at - 2]


def test_every_finding_reaches_the_backend(output: str) -> None:
    said = set(re.findall(r"(INFO|WARNING|ERROR|CRITICAL)  (\S+)", output))

    assert said == {(severity.value.upper(), rule) for rule, severity, _ in RULES}


def test_every_finding_is_counted_where_prometheus_looks(output: str) -> None:
    counted = re.findall(r'^ +1  \{contract="support-desk", rule="([^"]+)"', output, re.MULTILINE)

    assert sorted(counted) == sorted(rule for rule, _, _ in RULES)


def test_every_call_is_shown_and_no_secret_is(output: str) -> None:
    assert len(re.findall(r"^ *[\d.]+ s \S+ +[✓✗] \w+", output, re.MULTILINE)) == 14
    assert fake_token() not in output
    assert max(len(line) for line in output.splitlines()) <= 80
