"""`toolscore-otel run`, with real programs in Python and JavaScript over real sockets."""

import hashlib
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote

import pytest

from toolscore_otel.cli.run import environment
from toolscore_otel.model import Span
from toolscore_otel.wire import read_file

HERE = Path(__file__).parent / "run"
PYTHON = [sys.executable, str(HERE / "agent.py")]
COMMAND = [sys.executable, "-m", "toolscore_otel.cli", "run"]

pytestmark = pytest.mark.net


@pytest.fixture
def contract(tmp_path: Path) -> Path:
    path = tmp_path / "desk.yaml"
    path.write_text(
        "contract: desk\nlanguage: 1\nforbid:\n  - {tool: delete_user, severity: critical}\n"
    )
    return path


@pytest.fixture(scope="session")
def node_agent() -> list[str]:
    """The JavaScript program, with its packages, which are kept between runs."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        assert not os.environ.get("CI"), "node and npm are missing"
        pytest.skip("node and npm are not installed")
    sources = HERE / "node"
    locked = hashlib.sha256((sources / "package-lock.json").read_bytes()).hexdigest()[:16]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "toolscore-otel" / "node" / locked
    if not (folder / "installed").exists():
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(sources / name, folder)
        subprocess.run([npm, "ci", "--silent", "--no-audit"], cwd=folder, check=True)
        (folder / "installed").touch()
    return [node, str(shutil.copy(sources / "agent.js", folder))]


def ran(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_a_forbidden_call_of_a_python_program_is_found(contract: Path, protocol: str) -> None:
    done = ran(
        "--contracts", str(contract), "--protocol", protocol, "--", *PYTHON, protocol, "0", "search", "delete_user"
    )  # fmt: skip

    assert done.returncode == 1
    assert done.stdout == "the program's own output\n"
    assert "agent `desk` called `delete_user`, which is forbidden" in " ".join(done.stderr.split())
    assert "calls   2 seen to run" in done.stderr


def test_a_forbidden_call_of_a_javascript_program_is_found(
    contract: Path, node_agent: list[str]
) -> None:
    done = ran("--contracts", str(contract), "--", *node_agent)

    assert done.returncode == 1
    assert done.stdout == "the program's own output\n"
    assert "agent `desk` called `delete_user`, which is forbidden" in " ".join(done.stderr.split())


def test_a_program_that_does_nothing_wrong_passes(contract: Path) -> None:
    assert ran("--contracts", str(contract), "--", *PYTHON, "http", "0", "search").returncode == 0


@pytest.mark.parametrize("tool", ["search", "delete_user"])
def test_the_exit_code_of_a_program_that_fails_is_passed_on(contract: Path, tool: str) -> None:
    done = ran("--contracts", str(contract), "--", *PYTHON, "http", "7", tool)

    assert done.returncode == 7
    assert "calls   1 seen to run" in done.stderr


def test_the_report_as_json_stands_on_stdout_behind_what_the_program_printed(
    contract: Path,
) -> None:
    done = ran(
        "--contracts", str(contract), "--format", "json", "--", *PYTHON, "http", "0", "delete_user"
    )
    printed, _, report = done.stdout.partition("\n")

    assert printed == "the program's own output"
    assert [finding["tool"] for finding in json.loads(report)["findings"]] == ["delete_user"]


def test_what_was_caught_is_kept_for_its_owner_alone_and_can_be_scored_again(
    contract: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "kept.jsonl"
    ran(
        "--contracts", str(contract), "--keep", str(kept), "--scenario", "refund, late", "--", *PYTHON, "http", "0", "search"
    )  # fmt: skip
    spans = [item for item in read_file(kept) if isinstance(item, Span)]

    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert [span.name for span in spans] == ["execute_tool", "invoke_agent desk"]
    assert spans[0].resource.attributes["toolscore.scenario"] == "refund, late"


def test_a_file_that_is_there_is_not_overwritten(contract: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    kept.write_text("mine")
    done = ran("--contracts", str(contract), "--keep", str(kept), "--", *PYTHON, "http", "0")

    assert done.returncode == 2
    assert str(kept) in done.stderr
    assert kept.read_text() == "mine"


def test_a_program_without_telemetry_was_not_judged(contract: Path) -> None:
    done = ran("--contracts", str(contract), "--", sys.executable, "-c", "pass")

    assert done.returncode == 3
    assert "no telemetry came" in done.stderr


def test_a_program_that_is_not_there_is_a_mistake_of_usage(contract: Path) -> None:
    done = ran("--contracts", str(contract), "--", "no-such-program")

    assert done.returncode == 2
    assert "`no-such-program` cannot be run" in done.stderr


def test_whoever_ends_the_command_ends_the_program_and_still_has_its_report(
    contract: Path, tmp_path: Path
) -> None:
    ready = tmp_path / "ready"
    waits = f"import pathlib, time; pathlib.Path({str(ready)!r}).touch(); time.sleep(60)"
    running = subprocess.Popen(
        [*COMMAND, "--contracts", str(contract), "--", sys.executable, "-c", waits],
        stderr=subprocess.PIPE,
        text=True,
    )
    give_up = time.monotonic() + 30
    while not ready.exists() and time.monotonic() < give_up:
        time.sleep(0.05)
    running.send_signal(signal.SIGTERM)
    _, told = running.communicate(timeout=30)

    assert running.returncode == 128 + signal.SIGTERM
    assert "no telemetry came" in told


def test_everything_of_an_sdk_is_sent_to_us_and_nothing_elsewhere() -> None:
    given = {
        "PATH": "/bin",
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://elsewhere",
        "OTEL_EXPORTER_OTLP_HEADERS": "authorization=private",
        "OTEL_EXPORTER_OTLP_CERTIFICATE": "/ca.pem",
        "OTEL_EXPORTER_OTLP_LOGS_CLIENT_KEY": "/key.pem",
        "OTEL_EXPORTER_OTLP_METRICS_CLIENT_CERTIFICATE": "/cert.pem",
        "OTEL_TRACES_EXPORTER": "console",
        "OTEL_LOGS_EXPORTER": "none",
        "OTEL_SDK_DISABLED": "true",
        "OTEL_RESOURCE_ATTRIBUTES": "service.name=desk",
    }
    made = environment(given, port=4318, protocol="http", scenario="a b")

    assert made == {
        "PATH": "/bin",
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
        "OTEL_EXPORTER_OTLP_INSECURE": "true",
        "OTEL_TRACES_EXPORTER": "otlp",
        "OTEL_LOGS_EXPORTER": "otlp",
        "OTEL_METRICS_EXPORTER": "none",
        "OTEL_RESOURCE_ATTRIBUTES": f"service.name=desk,toolscore.scenario={quote('a b')}",
    }


def test_metrics_that_a_program_is_told_to_send_stay_as_they_are_told() -> None:
    made = environment(
        {"OTEL_METRICS_EXPORTER": "console"}, port=4317, protocol="grpc", scenario="s"
    )

    assert made["OTEL_METRICS_EXPORTER"] == "console"
    assert made["OTEL_EXPORTER_OTLP_PROTOCOL"] == "grpc"
