"""Configuration files: strict, everything that is wrong at once, and no secret in any output."""

import json
from typing import Any

import msgspec
import pytest

from toolscore_otel.emit import ScoresAs
from toolscore_otel.errors import ConfigError
from toolscore_otel.server.config import (
    Affinity,
    FindingsAs,
    Mode,
    ServerConfig,
    as_data,
    default_config,
    load_config,
)

TOKEN = "very-secret-" + "token"
"""Of no service at all."""


@pytest.fixture
def load(tmp_path):
    """Loads a text as a configuration; `contracts` stands in it already."""

    def loaded(text, **environment):
        file = tmp_path / "server.yaml"
        file.write_text("contracts: [contracts/]\n" + text)
        return load_config(file, environment)

    return loaded


@pytest.fixture
def problems(load):
    """What is wrong with a text: line by line, without the file's folder."""

    def wrong(text, **environment):
        with pytest.raises(ConfigError) as error:
            load(text, **environment)
        return [line.partition("server.yaml:")[2] for line in str(error.value).split("\n")]

    return wrong


def test_contracts_alone_are_a_mirror_with_defaults():
    config: Any = default_config(["contracts/"])
    assert config == ServerConfig(contracts=["contracts/"])
    assert config.mode is Mode.MIRROR
    assert config.receivers.otlp.protocols.grpc.endpoint == "127.0.0.1:14317"
    assert config.receivers.otlp.protocols.http.endpoint == "127.0.0.1:14318"
    assert config.affinity is Affinity.SESSION


def test_no_contract_at_all_is_an_error():
    with pytest.raises(ConfigError, match="contracts: names no contract"):
        default_config([])


def test_every_key_of_the_design_is_read(load):
    config = load("""
mode: inline
receivers:
  otlp:
    protocols:
      grpc: {endpoint: 127.0.0.1:14317, max_recv_msg_size_mib: 32, tls: {cert_file: c, key_file: k, client_ca_file: a}}
      http: {endpoint: 127.0.0.1:14318, max_request_body_size_mib: 16}
    auth: {bearer_tokens: ["${env:TOKEN}"]}
next_hop: {endpoint: 127.0.0.1:15317, protocol: grpc, tls: {insecure: true}, compression: gzip, headers: {}, timeout: 10s}
findings: {otlp: {endpoint: 127.0.0.1:15317, tls: {insecure: true}}, file: findings.jsonl, as: both, scores: metric,
           alertmanager: {url: http://127.0.0.1:9093}, webhook: {url: "https://hooks.example/a"}}
metrics: {prometheus: {endpoint: 127.0.0.1:9464}, otlp: {endpoint: 127.0.0.1:15317, tls: {insecure: true}, interval: 10s}}
admin: {endpoint: 127.0.0.1:14133}
state_dir: /var/lib/toolscore
secrets: {key: "${env:KEY}"}
trajectories: {settle: 2s, idle: 60s, max_age: 1h, lateness: 5s}
sessions: {idle: 24h, max_age: 7d}
affinity: trace
limits: {memory_mib: 512, open_trajectories: 50000, closed_trajectories: 500000, spans_per_trajectory: 50000, in_flight_mib: 256}
""", TOKEN=TOKEN, KEY="k" * 16)  # fmt: skip
    assert config.receivers.otlp.auth.bearer_tokens[0].reveal() == TOKEN
    assert config.findings.as_ is FindingsAs.BOTH
    assert config.findings.scores is ScoresAs.METRIC
    assert config.secrets.key.reveal() == "k" * 16
    assert config.state_dir == "/var/lib/toolscore"


def test_what_a_file_names_stands_beside_it(load, tmp_path):
    config = load("""
findings: {file: out/findings.jsonl}
receivers: {otlp: {protocols: {http: {tls: {cert_file: cert.pem, key_file: /etc/key.pem}}}}}
""")
    assert config.contracts == [str(tmp_path / "contracts")]
    assert config.findings.file == str(tmp_path / "out" / "findings.jsonl")
    assert config.receivers.otlp.protocols.http.tls.cert_file == str(tmp_path / "cert.pem")
    assert config.receivers.otlp.protocols.http.tls.key_file == "/etc/key.pem"


def test_packs_are_no_files(tmp_path):
    file = tmp_path / "server.yaml"
    file.write_text("contracts: ['pack:agents']\n")
    assert load_config(file, {}).contracts == ["pack:agents"]


def test_a_protocol_without_settings_has_the_defaults_and_the_other_one_is_off(load):
    protocols = load("receivers:\n  otlp:\n    protocols:\n      http:\n").receivers.otlp.protocols
    assert protocols.grpc is None
    assert protocols.http.endpoint == "127.0.0.1:14318"


@pytest.mark.parametrize("off", ["admin", "metrics.prometheus"])
def test_null_switches_a_listener_off(load, off):
    *above, last = off.split(".")
    text = f"{last}: null" if not above else f"{above[0]}: {{{last}: null}}"
    config = load(text)
    assert (config.admin if off == "admin" else config.metrics.prometheus) is None


def test_everything_that_is_wrong_is_said_at_once_with_line_and_keys(problems):
    assert problems("""mode: mirrored
receivers:
  otlp:
    protocols:
      grpc: {endpont: "127.0.0.1:1"}
trajectories: {settle: 2x}
limits: {in_flight_mib: "64"}
""") == [
        "2: mode: `mode` must be one of `mirror`, `inline`, not `mirrored`; did you mean `mirror`?",
        "6: receivers.otlp.protocols.grpc.endpont: unknown key `endpont` in `grpc`; did you mean `endpoint`?",
        "8: limits.in_flight_mib: `in_flight_mib` must be a whole number, not `64`: leave the quotes out",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("trajectories: {settle: 2x}", "2: trajectories.settle: must be a duration such as `10s`"),
        ("trajectories: {idle: '0'}", "2: trajectories.idle: must be longer than 0"),
        ("limits: {in_flight_mib: 0}", "2: limits.in_flight_mib: must be 1 or more, and is 0"),
        ("admin: {endpoint: here}", "2: admin.endpoint: must be `host:port`"),
        ("admin: {endpoint: '127.0.0.1:70000'}", "2: admin.endpoint: must be `host:port`"),
        ("mode: inline", "2: mode: `inline` needs `next_hop`"),
        ("state_dir: ''", "2: state_dir: is empty"),
        ("secrets: {key: ''}", "2: secrets.key: is empty"),
        ("secrets: {key: 1}", "2: secrets.key: must be a text: put it in quotes"),
        ("findings: {webhook: {url: 'hooks'}}", "2: findings.webhook.url: must begin with"),
        ("findings: {alertmanager: {url: 'ftp://a'}}", "2: findings.alertmanager.url: must be"),
        ("next_hop: {endpoint: 'http://u:p@a:1'}", "2: next_hop.endpoint: must not hold a user"),
        ("next_hop: {endpoint: 'a:0'}", "2: next_hop.endpoint: must name a port other than 0"),
        ("next_hop: {endpoint: 'a:1', tls: {cert_file: c}}", "2: next_hop.tls: `cert_file` and"),
        ("next_hop: {endpoint: 'a:1', tls: {insecure: true, ca_file: c}}", "2: next_hop.tls: `insec"),
        ("receivers: {otlp: {protocols: {}}}", "2: receivers.otlp.protocols: names no protocol"),
        ("receivers: {otlp: {auth: {bearer_tokens: ['']}}}", "2: receivers.otlp.auth.bearer_tokens: ho"),
        ("receivers: {otlp: {protocols: {grpc: {max_recv_msg_size_mib: 2048}}}}", "2: receivers.otlp.pro"),
        ("contracts: []", "2: the key `contracts` stands twice"),
    ],
)  # fmt: skip
def test_values_that_make_no_sense_are_refused(problems, text, said):
    (found,) = problems(text)
    assert found.startswith(said)


@pytest.mark.parametrize(
    "endpoint", ["0.0.0.0:14317", "'[::]:14317'", "10.0.0.1:14317", "box:14317"]
)
def test_listening_beyond_loopback_needs_auth(problems, load, endpoint):
    text = f"receivers: {{otlp: {{protocols: {{grpc: {{endpoint: {endpoint}}}}}, auth: {{%s}}}}}}"
    (found,) = problems(text % "")
    assert "listens beyond loopback, and everybody may send" in found
    assert load(text % "allow_unauthenticated: true")
    assert load(text % f"bearer_tokens: [{TOKEN}]")


def test_client_certificates_are_auth_too(load):
    tls = "{cert_file: c, key_file: k, client_ca_file: a}"
    assert load(
        f"receivers: {{otlp: {{protocols: {{http: {{endpoint: 0.0.0.0:1, tls: {tls}}}}}}}}}"
    )


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "'[::1]", "0.0.0.0"])  # noqa: S104
def test_two_listeners_cannot_share_a_port(problems, host):
    quote = "'" if host.startswith("'") else ""
    (found,) = problems(f"admin: {{endpoint: {host}:14318{quote}}}")
    assert "is taken by `receivers.otlp.protocols.http.endpoint`" in found


@pytest.mark.parametrize("endpoint", ["127.0.0.1:14317", "localhost:14317", "'[::1]:14317'"])
@pytest.mark.parametrize(
    "key", ["next_hop: %s", "findings: {otlp: %s}", "metrics: {otlp: %s}"], ids=lambda key: key[:8]
)
def test_nothing_is_sent_to_ourselves(problems, key, endpoint):
    (found,) = problems(key % f"{{endpoint: {endpoint}, tls: {{insecure: true}}}}")
    assert "is our own `receivers.otlp.protocols.grpc.endpoint`" in found


def test_any_free_port_is_no_clash(load):
    assert load(
        "admin: {endpoint: '127.0.0.1:0'}\nmetrics: {prometheus: {endpoint: '127.0.0.1:0'}}"
    )


def test_variables_are_put_in(load):
    config = load(
        'state_dir: ${env:DIR}\nadmin: {endpoint: "127.0.0.1:${PORT}"}\n'
        'limits: {in_flight_mib: "${env:MIB:-32}"}\nsecrets: {key: "a$$b"}\n',
        DIR="/d",
        PORT="7",
    )
    assert config.state_dir == "/d"
    assert config.admin.endpoint == "127.0.0.1:7"
    assert config.limits.in_flight_mib == 32
    assert config.secrets.key.reveal() == "a$b"


def test_a_variable_that_is_not_set_is_an_error(problems):
    (found,) = problems("state_dir: ${env:DIR}")
    assert found == (
        "2: state_dir: the environment variable `DIR` is not set: set it, or give a default as in `${env:DIR:-default}`"
    )


def test_a_reference_in_braces_needs_quotes_and_is_told_so(problems):
    (found,) = problems("limits: {in_flight_mib: ${env:MIB}}")
    assert "`${...}` inside `{}` or `[]` needs quotes" in found


@pytest.mark.parametrize(
    "text",
    [
        "receivers: {otlp: {auth: {bearer_tokens: %s}}}",
        "receivers: {otlp: {auth: %s}}",
        "receivers: {otlp: {auth: {bearer_token: %s}}}",
        "secrets: %s",
        "secrets: {key: [%s]}",
        "findings: {webhook: %s}",
        "findings: {webhook: {url: %s}}",
        "next_hop: {endpoint: 'a:1', headers: %s}",
        "next_hop: {endpoint: 'a:1', headers: {authorization: [%s]}}",
        "mode: '${env:T}'",
        "limits: {in_flight_mib: '${env:T}'}",
        "admin: {endpoint: '${env:T}'}",
        "trajectories: {idle: '${env:T}'}",
        "affinity: 'x${env:T}'",
    ],
)
def test_no_secret_stands_in_an_error(load, text):
    with pytest.raises(ConfigError) as error:
        load(text % TOKEN if "%s" in text else text, T=TOKEN)
    assert TOKEN not in str(error.value)


def test_no_secret_stands_in_what_is_printed(load):
    config = load(
        f"receivers: {{otlp: {{auth: {{bearer_tokens: [{TOKEN}]}}}}}}\n"
        f"secrets: {{key: {TOKEN}}}\n"
        f"next_hop: {{endpoint: 'a:1', headers: {{authorization: Bearer {TOKEN}}}}}\n"
        f"findings: {{webhook: {{url: 'https://hooks.example/{TOKEN}', headers: {{x: {TOKEN}}}}}}}\n"
    )
    shown = json.dumps(as_data(config)) + repr(config) + str(config)
    assert TOKEN not in shown
    assert as_data(config)["next_hop"]["headers"] == {"authorization": "[hidden]"}


def test_what_is_printed_has_every_key_and_default():
    data = as_data(default_config(["c"]))
    assert (data["findings"]["as"], data["findings"]["scores"]) == ("logs", "events")
    assert list(data) == [field.encode_name for field in msgspec.structs.fields(ServerConfig)]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty: a configuration is one mapping"),
        (b"a: 1\n---\nb: 2\n", "holds more than one document"),
        (b"- a\n", "must be a mapping"),
        (b"a: 1\na: 2\n", "stands twice"),
        (b"\xff", "is not UTF-8 text"),
    ],
)
def test_a_file_that_is_no_configuration_is_an_error(tmp_path, content, said):
    file = tmp_path / "server.yaml"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=said):
        load_config(file, {})


def test_a_file_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(ConfigError, match="there is no such file"):
        load_config(tmp_path / "none.yaml", {})
