"""The server as a process: starts, says why it cannot, reloads, drains; and its configuration on the command line."""

import json
import os
import re
import signal
import socket
import subprocess
import sys

import grpc
import httpx
import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from tests.edges.server.otlp_sent import export, failed
from tests.parts.process import Running, wait_for
from toolscore_otel.server.grpc_receiver import METHODS
from toolscore_otel.server.reply import Outcome, Reply, Signal

pytestmark = pytest.mark.net

PROGRAM = [sys.executable, "-m", "toolscore_otel.cli"]
WAIT_S = 60
TOKEN = "some-" + "token"
LISTENERS = """
receivers: {otlp: {protocols: {grpc: {endpoint: "127.0.0.1:0"}, http: {endpoint: "127.0.0.1:0"}}}}
metrics: {prometheus: {endpoint: "127.0.0.1:0"}}
admin: {endpoint: "127.0.0.1:0"}
"""


class Serving(Running):
    """A server process whose log is read as it comes."""

    def __init__(self, log, *arguments):
        super().__init__([*PROGRAM, "serve", "--log", "json", *arguments], log)
        self._past = 0

    def told(self):
        """What it said: the facts of each whole line; of a line that is no record of its log, the text."""
        lines = self.printed().rpartition("\n")[0].splitlines()
        return [json.loads(line) if line.startswith("{") else {"message": line} for line in lines]

    def until(self, message):
        """Wait until it says this, after what was waited for before; returns that line's facts."""

        def look():
            self.must_run()
            for number, one in enumerate(self.told()):
                if number >= self._past and message in one["message"]:
                    self._past = number + 1
                    return one
            return None

        return wait_for(look, f"{message!r} in {self.log}")

    def url(self, name, path=""):
        """Where something of it listens."""
        return f"http://127.0.0.1:{self.port(name)}{path}"

    def port(self, name):
        """The same, the port alone."""
        listening = [one for one in self.told() if one["message"] == "listening"]
        return {one["for"]: one["port"] for one in listening}[name]

    def ends(self, *signals):
        """Send signals, and wait; returns how it ended."""
        for number in signals:
            self.process.send_signal(number)
        return self.process.wait(WAIT_S)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "ops.yaml").write_text("contract: ops\nlanguage: 1\nforbid: [delete_user]\n")
    return tmp_path


@pytest.fixture
def configured(folder):
    """Writes a configuration with free ports; returns its path."""

    def written(text="", listeners=LISTENERS):
        (folder / "server.yaml").write_text("contracts: [ops.yaml]\n" + listeners + text)
        return str(folder / "server.yaml")

    return written


@pytest.fixture
def start(tmp_path):
    """Starts servers, and makes sure that none is left."""
    running: list[Serving] = []

    def started(*arguments):
        running.append(Serving(tmp_path / f"server-{len(running)}.log", *arguments))
        running[-1].until("ready")
        return running[-1]

    yield started
    for one in running:
        one.kill()


def run(*arguments, **environment):
    """Run a command to its end."""
    return subprocess.run(
        [*PROGRAM, *arguments],
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
        env=os.environ | environment,
    )


def call(url, tool):
    """Send one tool span with the SDK's exporter."""
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(f"{url}/v1/traces")))
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool}
    with provider.get_tracer("t").start_as_current_span(f"execute_tool {tool}", attributes=attributes):  # fmt: skip
        pass
    provider.shutdown()


def test_a_forbidden_call_is_found_and_the_end_is_graceful(start, configured, folder):
    server = start("--config", configured("findings: {file: findings.jsonl}"))
    assert httpx.get(server.url("admin", "/readyz")).status_code == 200
    call(server.url("http"), "delete_user")
    metrics = httpx.get(server.url("prometheus", "/metrics")).text
    assert 'toolscore_receiver_requests_total{outcome="ok",signal="traces",transport="http"} 1.0' in metrics  # fmt: skip
    assert server.ends(signal.SIGTERM) == 0
    first, *_, last = (folder / "findings.jsonl").read_text().splitlines()
    assert "`delete_user` was called, which is forbidden" in first
    assert "toolscore.score.id" in last
    assert "stopped" in server.told()[-1]["message"]


def test_bytes_that_are_no_export_are_refused_by_the_whole(start, configured):
    server = start("--config", configured())
    code, _ = failed(f"127.0.0.1:{server.port('grpc')}", b"\xff\xff")
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert export(f"127.0.0.1:{server.port('grpc')}", b"") == b""


def test_inline_acknowledges_what_the_next_hop_acknowledged(start, configured, listen, handle):
    behind = listen()
    hop = f"mode: inline\nnext_hop: {{endpoint: '{behind.grpc}', tls: {{insecure: true}}}}\n"
    server = start("--config", configured(hop))
    at = f"127.0.0.1:{server.port('grpc')}"
    assert export(at, b"", Signal.METRICS) == b""
    signal_, _, headers = handle.got[0]
    assert (signal_, list(METHODS)) == (Signal.METRICS, list(Signal))
    assert re.fullmatch("[0-9a-f]{16}", headers["toolscore-instance"])
    handle.answer = Reply(outcome=Outcome.RETRY, message="busy", retry_after_s=2)
    assert failed(at, b"", Signal.LOGS)[0] is grpc.StatusCode.UNAVAILABLE
    handle.answer = Reply(outcome=Outcome.BAD, message="never")
    assert failed(at, b"", Signal.LOGS)[0] is grpc.StatusCode.FAILED_PRECONDITION
    assert server.ends(signal.SIGINT) == 0


def test_contracts_are_reloaded_and_bad_ones_change_nothing(start, configured, folder):
    server = start("--config", configured())
    (folder / "ops.yaml").write_text("contract: ops\nlanguage: 1\nforbid: [[]]\n")
    server.process.send_signal(signal.SIGHUP)
    assert "ops.yaml:3" in server.until("not reloaded, what was there stays in use")["message"]
    assert contracts(server)[0]["rules"] == 1
    (folder / "ops.yaml").write_text("contract: ops\nlanguage: 1\nforbid: [delete_user, drop]\n")
    server.process.send_signal(signal.SIGHUP)
    server.until("reloaded")
    assert contracts(server)[0]["rules"] == 2
    assert server.ends(signal.SIGTERM) == 0


def contracts(server):
    """What its debug page says is in use."""
    return httpx.get(server.url("admin", "/debug/contracts")).json()


def test_what_it_knew_is_there_after_a_restart(start, configured):
    config = configured("state_dir: state\n")
    first = start("--config", config)
    call(first.url("http"), "delete_user")
    instance = httpx.get(first.url("admin", "/healthz")).json()["instance"]
    assert first.ends(signal.SIGTERM) == 0
    second = start("--config", config)
    metrics = httpx.get(second.url("prometheus", "/metrics")).text
    assert re.search(r"toolscore_findings_total\{.*\} 1\.0", metrics)
    (named,) = re.findall(r'target_info\{.*service_instance_id="(\w+)"', metrics)
    assert httpx.get(second.url("admin", "/healthz")).json()["instance"] == named == instance
    assert second.ends(signal.SIGTERM) == 0


def test_a_port_in_use_ends_with_2_and_says_which_and_what_to_do(configured):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        at = f"127.0.0.1:{taken.getsockname()[1]}"
        listeners = LISTENERS.replace('grpc: {endpoint: "127.0.0.1:0"}', f'grpc: {{endpoint: "{at}"}}')  # fmt: skip
        done = run("serve", "--config", configured(listeners=listeners))
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        f"toolscore-otel: `receivers.otlp.protocols.grpc.endpoint`: cannot listen on `{at}`: another program listens there: "
        "stop it, or give another port"
    )


def test_a_mirror_with_defaults_needs_contracts_only(folder):
    done = run("print-config", "--contracts", str(folder / "ops.yaml"), "--format", "json")
    assert done.returncode == 0
    told = json.loads(done.stdout)
    assert (told["mode"], told["contracts"]) == ("mirror", [str(folder / "ops.yaml")])


def test_what_is_printed_is_a_configuration_without_its_secrets(configured, folder):
    text = "secrets: {key: '${env:KEY}'}\nfindings: {as: both}\n"
    done = run("print-config", "--config", configured(text), KEY=TOKEN)
    assert done.returncode == 0
    assert TOKEN not in done.stdout
    assert "key: '[hidden]'" in done.stdout
    assert done.stdout.startswith(f"mode: mirror\ncontracts:\n- {folder / 'ops.yaml'}\n")


def test_a_good_configuration_validates_silently(configured):
    done = run("validate", "--config", configured())
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mode: inlin", "server.yaml:6: mode: `mode` must be one of `mirror`, `inline`, not `inlin`"),
        ("limits: {x: 1}", "server.yaml:6: limits.x: unknown key `x` in `limits`"),
        ("contracts: []", "server.yaml:6: the key `contracts` stands twice in one mapping"),
    ],
)  # fmt: skip
def test_a_bad_configuration_ends_with_2_and_its_reason(configured, text, said):
    done = run("validate", "--config", configured(text))
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_several_problems_are_listed(configured):
    done = run("validate", "--config", configured("mode: inlin\nlimits: {x: 1}\n"))
    assert done.returncode == 2
    assert done.stderr.splitlines()[0] == "toolscore-otel: 2 problems in the configuration:"
    assert len(done.stderr.splitlines()) == 3


def test_a_bad_contract_is_found_by_validating(configured, folder):
    path = configured()
    (folder / "ops.yaml").write_text("contract: ops\nlanguage: 1\nforbid: 5\n")
    done = run("validate", "--config", path)
    assert done.returncode == 2
    first, second = done.stderr.splitlines()
    assert first == "toolscore-otel: 1 problem in the contracts:"
    assert "ops.yaml:3" in second


@pytest.mark.parametrize("arguments", [(), ("--config", "a", "--contracts", "b")])
def test_either_a_configuration_or_contracts_is_named(arguments):
    done = run("serve", *arguments)
    assert done.returncode == 2
    assert "give either --config FILE, or --contracts PATH" in done.stderr


def test_without_its_extra_the_server_says_what_to_install(folder):
    hidden = (
        "import sys; sys.modules['uvicorn'] = None; sys.argv[1:] = ['serve', '--contracts', 'x']; "
    )
    program = hidden + "from toolscore_otel.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=WAIT_S
    )
    assert done.returncode == 2
    assert done.stderr == (
        "toolscore-otel: the server needs an extra that is not installed: pip install 'toolscore-otel[server]'\n"
    )
