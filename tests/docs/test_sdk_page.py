"""The page about the SDK lists every setting, and its configuration file works."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from toolscore_otel.sdk import SdkConfig
from toolscore_otel.sdk.config import VARIABLES
from toolscore_otel.sdk.counters import COUNTERS

PAGE = Path(__file__).parent.parent.parent / "docs" / "pages" / "sdk.md"
ROW = re.compile(r"^\| `(\w+)` \| `(TOOLSCORE_\w+)` \| (\S+) \|", re.MULTILINE)


@pytest.fixture(scope="module")
def rows():
    """Setting -> its variable and default as the page has them."""
    return {name: (variable, default) for name, variable, default in ROW.findall(PAGE.read_text())}


def test_every_setting_stands_in_the_table_with_its_variable(rows):
    assert {name: variable for name, (variable, _) in rows.items()} == dict(VARIABLES)


def test_the_defaults_are_those_of_the_code(rows):
    config = SdkConfig()
    numbers = {name: default for name, (_, default) in rows.items() if default.isdigit()}
    assert {name: int(default) for name, default in numbers.items()} == {
        name: getattr(config, name) for name in numbers
    }
    assert len(numbers) == len(VARIABLES) - 5


def test_every_counter_stands_in_its_table():
    rows = re.findall(r"^\| `(\w+)` \| ([^|`][^|]*) \|$", PAGE.read_text(), re.MULTILINE)
    assert {name: told for name, told in rows if name in COUNTERS} == COUNTERS


PROGRAM = """
from opentelemetry import trace
from opentelemetry.configuration import configure_sdk, load_config_file

configure_sdk(load_config_file("otel.yaml"))
tracer = trace.get_tracer("app")
with tracer.start_as_current_span("execute_tool", attributes={"gen_ai.tool.name": "delete_user"}):
    pass
trace.get_tracer_provider().shutdown()
"""


def test_the_configuration_file_is_taken_and_its_spans_are_scored(tmp_path):
    """As it stands on the page, but for the exporter behind ours."""
    (shown,) = re.findall(
        r"^```yaml\n(file_format.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL
    )
    (tmp_path / "otel.yaml").write_text(shown.replace("exporter: otlp", "exporter: console"))
    (tmp_path / "contracts").mkdir()
    (tmp_path / "contracts" / "ops.yaml").write_text(
        "contract: ops\nlanguage: 1\nforbid: [delete_user]\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=tmp_path,
        env={key: value for key, value in os.environ.items() if not key.startswith("OTEL_")},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "toolscore.forbidden_call" in done.stdout, done.stderr
