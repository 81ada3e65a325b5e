"""What cannot be started, or not be used any longer: what is wrong, where, and what to do; and nothing is lost."""

from __future__ import annotations

import shutil
import signal
import socket
import sqlite3
from pathlib import Path

import grpc
import pytest

from tests.edges.server.served import Served, code_of
from tests.parts.process import wait_for
from tests.unit.server.pipeline_made import export, tool
from toolscore_otel.errors import ConfigError
from toolscore_otel.server.circles import refuse_circles
from toolscore_otel.server.config import (
    GrpcReceiver,
    Mode,
    NextHopConfig,
    OtlpReceiver,
    Protocols,
    Receivers,
    ServerConfig,
)
from toolscore_otel.server.secret_text import SecretText
from toolscore_otel.server.state_file import VERSION

pytestmark = pytest.mark.net

CONTRACT = "contract: desk\nlanguage: 1\nforbid: [{tool: delete_user}]\n"
STATE = "state_dir: state\nfindings: {file: findings.jsonl}\n"
PATIENCE_S = 60


@pytest.fixture
def serve(tmp_path):
    """Makes servers, and ends them."""
    made: list[Served] = []

    def of(config: str = "", name: str = "server") -> Served:
        made.append(Served(tmp_path / name, CONTRACT, config))
        return made[-1]

    yield of
    for one in made:
        if hasattr(one, "running"):
            one.kill()


def refused(server: Served) -> str:
    """What a server says that does not start."""
    server.begin()
    code = server.running.process.wait(PATIENCE_S)
    assert code == 2, server.running.printed()
    assert "Traceback" not in server.running.printed()
    return server.running.printed().splitlines()[-1]


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("limts: {}\n", "server.yaml:5: limts: unknown key `limts`"),
        ("state_dir: contract.yaml\n", "the state in `contract.yaml` cannot be opened"),
        ("mode: inline\nnext_hop: {endpoint: 'x:1', tls: {ca_file: none.pem}}\n", "`none.pem` cannot be read"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(serve, config, said):
    assert said in refused(serve(config))


def test_a_certificate_that_is_missing_is_named(serve):
    server = serve()
    text = (server.folder / "server.yaml").read_text()
    tls = f"'{server.grpc}', tls: {{cert_file: none.pem, key_file: none.key}}"
    (server.folder / "server.yaml").write_text(text.replace(f"'{server.grpc}'", tls))
    said = refused(server)
    assert "the certificate file `none.pem` cannot be read: no such file or directory" in said


@pytest.mark.parametrize("which", ["grpc", "prometheus"])
def test_a_port_in_use_is_said_with_its_key(serve, which):
    server = serve()
    host, _, port = getattr(server, which).removeprefix("http://").partition(":")
    with socket.create_server((host, int(port))):
        said = refused(server)
    assert f"{which}.endpoint`: cannot listen on" in said
    assert "another program listens there: stop it, or give another port" in said


def fill(server: Served, tools: int = 5) -> None:
    """Send some calls, and end."""
    server.start()
    with grpc.insecure_channel(server.grpc) as channel:
        for number in range(1, tools + 1):
            data = export(tool(number, "delete_user", trace=f"{number:032x}"))
            assert code_of(channel, data) is grpc.StatusCode.OK
    assert server.running.stop() == 0


def newer(file: Path) -> None:
    database = sqlite3.connect(file)
    database.execute(f"PRAGMA user_version = {VERSION + 1}")
    database.close()


def random_bytes(file: Path) -> None:
    file.write_bytes(bytes(range(256)) * 40)


def cut(file: Path) -> None:
    with file.open("r+b") as stream:
        stream.truncate(file.stat().st_size // 2)


def test_a_state_that_cannot_be_used_is_left_as_it_is(serve):
    server = serve(STATE)
    fill(server)
    file = server.folder / "state" / "state.db"
    shutil.copy(file, kept := server.folder / "kept.db")
    for spoil, said in (
        (
            newer,
            "written by a newer version of toolscore-otel (format 2, this one knows 1); install",
        ),
        (random_bytes, "put back a copy, or move the file away to begin anew"),
        (cut, "it is cut short; put back a copy"),
    ):
        spoil(file)
        before = file.read_bytes()
        assert said in refused(server)
        assert file.read_bytes() == before
        shutil.copy(kept, file)
    server.start()
    assert server.counted("toolscore_findings_total") == 5


def test_a_state_is_of_one_server_at_a_time(serve):
    first = serve(STATE)
    first.start()
    second = serve(f"state_dir: {first.folder / 'state'}\n", "second")
    said = refused(second)
    assert "in use by another process; stop that one, or give each server a `state_dir` of its own" in said  # fmt: skip
    with grpc.insecure_channel(first.grpc) as channel:
        assert code_of(channel, export(tool(1))) is grpc.StatusCode.OK


def gone(file: Path) -> None:
    file.unlink()


def folder(file: Path) -> None:
    file.mkdir()


def binary(file: Path) -> None:
    file.rmdir()
    file.write_bytes(bytes(range(256)))


def wrong(file: Path) -> None:
    file.write_text(CONTRACT.replace("forbid", "forbit"))


def test_contracts_that_become_bad_are_not_used(serve):
    server = serve(STATE)
    server.start()
    said = ""
    for number, spoil in enumerate((gone, folder, binary, wrong), start=1):
        spoil(server.folder / "contract.yaml")
        server.running.process.send_signal(signal.SIGHUP)
        wait_for(lambda: server.running.printed().count("not reloaded") == number, "the reload")  # noqa: B023
        said = server.running.printed().splitlines()[-1]
        assert "contract.yaml" in said
        assert "what was there stays in use" in said
    with grpc.insecure_channel(server.grpc) as channel:
        assert code_of(channel, export(tool(1, "delete_user"))) is grpc.StatusCode.OK
    wait_for(lambda: server.counted("toolscore_findings_total") == 1, "its finding")
    assert server.running.stop() == 0


def test_metrics_are_of_the_same_server_after_a_restart_where_its_state_is_kept(serve):
    server = serve(STATE)
    names = []
    for _ in range(2):
        server.start()
        (labels,) = [dict(found) for _, found in server.series("target")]
        names.append(labels["service_instance_id"])
        assert server.running.stop() == 0
    assert names[0] == names[1]
    shutil.rmtree(server.folder / "state")
    server.start()
    (labels,) = [dict(found) for _, found in server.series("target")]
    assert labels["service_instance_id"] != names[0]


def inline_to(endpoint: str, at: str = "127.0.0.1:14317") -> ServerConfig:
    """A server that sends somewhere."""
    protocols = Protocols(grpc=GrpcReceiver(endpoint=at), http=None)
    return ServerConfig(
        contracts=["x.yaml"],
        mode=Mode.INLINE,
        receivers=Receivers(otlp=OtlpReceiver(protocols=protocols)),
        next_hop=NextHopConfig(endpoint=endpoint),
    )


@pytest.mark.parametrize(
    "endpoint",
    [
        "127.0.0.1:14317", "127.1:14317", "2130706433:14317", "0:14317", "localhost:14317", "[::ffff:127.0.0.1]:14317",
        "http://127.0.0.1:14317/x",
    ],
)  # fmt: skip
def test_whatever_is_ourselves_is_no_next_hop(endpoint):
    with pytest.raises(ConfigError, match=r"`next_hop\.endpoint`: .* is our own `receivers\.otlp\.protocols\.grpc\.endpoint`.*come around for ever; name"):  # fmt: skip
        refuse_circles(inline_to(endpoint))


def test_every_name_of_this_machine_is_ourselves_to_who_listens_everywhere():
    with pytest.raises(ConfigError, match="come around for ever"):
        refuse_circles(inline_to("127.0.0.1:14317", "0.0.0.0:14317"))


@pytest.mark.parametrize("endpoint", ["127.0.0.1:14318", "192.0.2.1:14317", "no-such-host.invalid:14317"])  # fmt: skip
def test_other_servers_are_next_hops(endpoint):
    refuse_circles(inline_to(endpoint))
    refuse_circles(inline_to(endpoint, "0.0.0.0:14317"))


def test_a_server_that_is_its_own_next_hop_does_not_start(serve):
    server = serve()
    own = server.grpc.replace("127.0.0.1", "127.1")
    server.configure(f"mode: inline\nnext_hop: {{endpoint: '{own}', tls: {{insecure: true}}}}\n")
    assert "is our own" in refused(server)


def test_a_circle_through_another_server_is_found_by_the_first_request(serve):
    first, second = serve(), serve(name="second")
    for one, other in ((first, second), (second, first)):
        to = f"{{endpoint: '{other.grpc}', tls: {{insecure: true}}}}"
        one.configure(f"mode: inline\nnext_hop: {to}\nfindings: {{file: findings.jsonl}}\n")
        one.start()
    with grpc.insecure_channel(first.grpc) as channel:
        assert code_of(channel, export(tool(1))) is grpc.StatusCode.FAILED_PRECONDITION
    assert "`next_hop`, or a pipeline behind it, leads back here" in first.running.printed()


def test_a_token_that_is_no_text_is_one_all_the_same():
    token = SecretText("a-\udcff-token")
    assert not token.matches("another")
    assert token.matches("a-\udcff-token")
