"""Forks, the end of the interpreter, and what is not installed."""

import multiprocessing
import subprocess
import sys
import textwrap

import pytest
from opentelemetry.sdk.trace import TracerProvider

from toolscore_otel import Contract
from toolscore_otel.sdk import attach

CONTRACT = Contract.from_dict({"contract": "c", "language": 1, "forbid": [{"tool": "rm"}]})
PRELUDE = """
import sys
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import ConsoleMetricExporter, PeriodicExportingMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter
from toolscore_otel import Contract
from toolscore_otel.sdk import attach

contract = Contract.from_dict({"contract": "c", "language": 1, "forbid": ["rm"], "require": ["log_case"]})

def call_tool():
    span = trace.get_tracer("app").start_span("execute_tool rm", attributes={"gen_ai.tool.name": "rm"})
    span.end()
"""


def run(program, *options):
    """Run a program in an interpreter of its own."""
    command = [sys.executable, *options, "-c", textwrap.dedent(PRELUDE) + textwrap.dedent(program)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def call_tool(provider):
    span = provider.get_tracer("app").start_span(
        "execute_tool rm", attributes={"gen_ai.tool.name": "rm"}
    )
    span.end()


def in_child(provider, attached, pipe):
    """What a forked child finds."""
    before = len(attached.findings())
    call_tool(provider)
    provider.force_flush()
    pipe.send((before, len(attached.findings()), attached.counters["spans"]))


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_a_forked_child_starts_anew_and_leaves_the_parents_traces_alone():
    provider = TracerProvider(shutdown_on_exit=False)
    attached = attach(provider, contracts=[CONTRACT])
    call_tool(provider)
    attached._scoring._busy.acquire()  # as another thread would hold it in the moment of the fork
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    child = context.Process(target=in_child, args=(provider, attached, there))
    child.start()
    attached._scoring._busy.release()
    assert here.poll(30)
    assert here.recv() == (0, 1, 1)
    child.join()
    assert len(attached.findings()) == 1
    provider.shutdown()


def test_the_end_of_the_interpreter_closes_what_is_open():
    done = run("""
        provider = TracerProvider()
        trace.set_tracer_provider(provider)
        metrics.set_meter_provider(MeterProvider([PeriodicExportingMetricReader(ConsoleMetricExporter())]))
        attach(contracts=[contract], exporter=ConsoleSpanExporter())
        call_tool()
    """)
    assert done.returncode == 0, done.stderr
    assert '"name": "toolscore.forbidden_call"' in done.stdout
    findings = "".join(done.stdout.split()).partition('"name":"toolscore.findings"')[2]
    assert '"rule":"require.1"' in findings
    assert "Traceback" not in done.stderr


def test_what_only_the_end_could_tell_goes_out_before_the_loggers_are_shut_down():
    done = run("""
        from opentelemetry._logs import get_logger_provider, set_logger_provider
        from opentelemetry.sdk import _logs
        from opentelemetry.sdk._logs import export

        trace.set_tracer_provider(TracerProvider())
        set_logger_provider(_logs.LoggerProvider())
        console = getattr(export, "ConsoleLogRecordExporter", None) or export.ConsoleLogExporter
        processor = export.BatchLogRecordProcessor(console())
        get_logger_provider().add_log_record_processor(processor)
        attach(contracts=[contract])
        call_tool()
    """)
    assert done.returncode == 0, done.stderr
    assert '"toolscore.rule.id": "require.1"' in done.stdout
    assert "Traceback" not in done.stderr


def test_a_program_that_ends_at_once_loses_no_count():
    done = run("""
        metrics.set_meter_provider(MeterProvider([PeriodicExportingMetricReader(ConsoleMetricExporter())]))
        trace.set_tracer_provider(TracerProvider())
        attach(contracts=[contract], settle_ms=0)
        call_tool()
        trace.get_tracer_provider().force_flush()
        sys.stdout.flush()
    """)
    assert done.returncode == 0, done.stderr
    compact = "".join(done.stdout.split())
    calls = compact.partition('"name":"toolscore.tool.calls"')[2].partition('"name":"toolscore')[0]
    assert '"value":1' in calls


def test_a_program_that_never_ends_a_span_ends_all_the_same():
    done = run("""
        trace.set_tracer_provider(TracerProvider())
        attach(contracts=[contract])
        trace.get_tracer("app").start_span("execute_tool rm", attributes={"gen_ai.tool.name": "rm"})
    """)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_missing_sdk_is_said_clearly():
    program = """
    import sys
    sys.modules["opentelemetry.sdk"] = None
    sys.modules["opentelemetry.sdk.trace"] = None
    import toolscore_otel.sdk
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "ImportError: toolscore_otel.sdk needs opentelemetry-sdk 1.36 or later: "
        "pip install 'opentelemetry-sdk>=1.36'"
    )


def test_importing_the_package_loads_no_sdk():
    program = (
        "import sys, toolscore_otel; print(any(m.startswith('opentelemetry') for m in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "False"
