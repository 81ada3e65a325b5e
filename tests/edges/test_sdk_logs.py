"""Log records of a real application, through real exporters and a real socket, without the secrets in them."""

import os
import subprocess
import sys
from typing import Any

import pytest
from opentelemetry._logs import LogRecord
from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter as OverGrpc
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter as OverHttp
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk.trace import TracerProvider

from tests.parts.sink import Sink
from toolscore_otel import Contract
from toolscore_otel.sdk import attach
from toolscore_otel.secrets.samples import make_sample

pytestmark = pytest.mark.net

SECRET = make_sample("github_token_classic", 3)
CONTRACT = {"contract": "c", "language": 1, "secrets": {"in": ["arguments"]}}


@pytest.fixture
def sink():
    far = Sink()
    yield far
    far.die()


@pytest.fixture(params=["grpc", "http"])
def exporter(request, sink):
    if request.param == "grpc":
        return OverGrpc(endpoint=f"http://{sink.grpc}", insecure=True)
    return OverHttp(endpoint=f"http://{sink.http}/v1/logs")


def test_no_byte_of_a_secret_reaches_the_far_end(sink, exporter):
    spans = TracerProvider(shutdown_on_exit=False)
    logs = LoggerProvider(shutdown_on_exit=False)
    contract = Contract.from_dict(CONTRACT)
    attach(spans, contracts=[contract], log_exporter=exporter, logger_provider=logs)
    logger = logs.get_logger("app")
    with spans.get_tracer("app").start_as_current_span("execute_tool fetch"):
        body: Any = {"tried": [{"with": SECRET}, {SECRET: 1}], "n": 3}
        logger.emit(LogRecord(body=body, attributes={"k": f"x {SECRET}", "n": 2}))
        logger.emit(LogRecord(body="nothing here", attributes={"n": 1}))
    assert logs.force_flush()
    spans.shutdown()
    logs.shutdown()
    told = {record.body.WhichOneof("value"): record for record in sink.logs()}
    assert SECRET.encode() not in b"".join(export.data for export in sink.exports)
    values = {pair.key: pair.value for pair in told["kvlist_value"].attributes}
    assert values["n"].int_value == 2
    assert values["k"].string_value == "x [REDACTED:github_token_classic]"
    assert told["string_value"].body.string_value == "nothing here"


PROGRAM = """
from opentelemetry import trace
from opentelemetry._logs import LogRecord, get_logger
from opentelemetry.sdk._configuration import _OTelSDKConfigurator
from toolscore_otel.secrets.samples import make_sample
from toolscore_otel.sdk.hooks import post_instrument

_OTelSDKConfigurator().configure()
post_instrument()
secret = make_sample("github_token_classic", 3)
with trace.get_tracer("app").start_as_current_span("execute_tool fetch"):
    get_logger("app").emit(LogRecord(body="with " + secret))
"""


def test_without_code_the_environment_puts_it_before_the_exporter_of_log_records(tmp_path, sink):
    """As an installed package says it: an entry point of the group `opentelemetry_logs_exporter`."""
    info = tmp_path / "named-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: named\nVersion: 1\n")
    (info / "entry_points.txt").write_text(
        "[opentelemetry_logs_exporter]\ntoolscore = toolscore_otel.sdk.hooks:ConfiguredLogExporter\n"
    )
    (tmp_path / "c.yaml").write_text("contract: c\nlanguage: 1\nsecrets: {action: redact}\n")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={
            **{key: value for key, value in os.environ.items() if not key.startswith("OTEL_")},
            "PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}",
            "OTEL_TRACES_EXPORTER": "none",
            "OTEL_METRICS_EXPORTER": "none",
            "OTEL_LOGS_EXPORTER": "toolscore",
            "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://{sink.http}",
            "TOOLSCORE_CONTRACTS": str(tmp_path / "c.yaml"),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    bodies = [told for r in sink.logs() if (told := r.body.string_value)]  # findings have none
    assert bodies == ["with [REDACTED:github_token_classic]"]
