"""What a command loads before it does anything: whoever asks for help, or looks at one file, waits for nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.edges.test_commands import tool_span

SLOW = {
    "genai_prices": "prices of model calls",
    "google": "protobuf files",
    "grpc": "servers",
    "httpx2": "prices of model calls",
    "hyperscan": "much text",
    "jsonschema_rs": "contracts",
    "opentelemetry": "applications and servers",
    "rich": "tables",
    "ruamel": "contracts",
    "starlette": "servers",
    "uvicorn": "servers",
}
"""Libraries that take their time, and what they are for."""

JUDGING = {"toolscore_otel.contracts", "toolscore_otel.rules", "toolscore_otel.engine"}
"""Parts of our own that do."""


def loaded_by(code: str) -> set[str]:
    """Those of them that a program has loaded at its end."""
    told = "print('', *sys.modules, sep='\\n')"
    program = f"import sys\ntry:\n    {code}\nexcept SystemExit:\n    pass\n{told}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    modules = done.stdout.decode().splitlines()
    return {name for name in modules if name in SLOW or name in JUDGING}


def by_command(*words: str) -> set[str]:
    return loaded_by(
        f"from toolscore_otel.cli import main; sys.argv = ['toolscore-otel', *{words!r}]; main()"
    )


@pytest.fixture
def recording(tmp_path: Path) -> str:
    """A file with one tool call and no model call."""
    path = tmp_path / "t.jsonl"
    spans = [{"scopeSpans": [{"spans": [tool_span(1, "search")]}]}]
    path.write_text(json.dumps({"resourceSpans": spans}))
    return str(path)


def test_the_package_loads_nothing_until_something_of_it_is_asked_for():
    assert loaded_by("import toolscore_otel") == set()


def test_help_loads_no_command():
    assert by_command("--help") == set()


def test_calls_loads_what_rebuilds_them(recording):
    assert by_command("calls", "--format", "jsonl", recording) == set()


def test_a_table_is_all_that_rich_is_loaded_for(recording):
    assert by_command("calls", recording) == {"rich"}


def test_contracts_are_loaded_where_they_are_given(recording):
    found = by_command("calls", "--format", "jsonl", "--contracts", "pack:loops", recording)
    assert found >= {"ruamel", "toolscore_otel.contracts"}


def test_everything_that_the_package_gives_is_there():
    program = "import toolscore_otel as t\nfor n in t.__all__: assert n in dir(t); getattr(t, n)"
    subprocess.run([sys.executable, "-c", program], check=True)
