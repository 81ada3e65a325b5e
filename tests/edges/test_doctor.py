"""`doctor`, run as a user runs it, in this process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.edges.test_commands import tool_span
from toolscore_otel.cli.commands import cli
from toolscore_otel.cli.exits import Exit

CONTRACT = "contract: desk\nlanguage: 1\nforbid: [{tool: search, args: {q: x}}]\n"


@pytest.fixture
def traces(tmp_path: Path) -> str:
    return written(tmp_path / "a.jsonl", tool_span(1, "search"))


@pytest.fixture
def contract(tmp_path: Path) -> str:
    path = tmp_path / "desk.yaml"
    path.write_text(CONTRACT)
    return str(path)


def written(path: Path, *spans: dict[str, Any]) -> str:
    path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}))
    return str(path)


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, ["doctor", *words], standalone_mode=False)


def test_it_says_what_is_observed_and_ends_with_0_though_much_is_missing(traces: str) -> None:
    result = run(traces)
    assert result.return_value is Exit.PASS
    assert "1 tool call, of which 1 seen to run (100%)" in result.stdout
    assert "args_not_observed" in result.stdout
    assert result.stderr == ""


def test_with_contracts_each_rule_is_answered(traces: str, contract: str) -> None:
    result = run(traces, "--contracts", contract)
    assert result.return_value is Exit.PASS
    assert "Contract desk: 0 of 1 rule can be checked" in result.stdout


def test_as_json_it_writes_one_object(traces: str, contract: str) -> None:
    built = json.loads(run(traces, "--contracts", contract, "--format", "json").stdout)
    assert (built["spans"], built["logs"], built["traces"]) == (1, 0, 1)
    assert built["contracts"][0]["rules"][0]["checkable"] == "no"


def test_several_files_are_looked_at_together(traces: str, tmp_path: Path) -> None:
    more = written(tmp_path / "b.jsonl", tool_span(2, "lookup"))
    assert json.loads(run(traces, more, "--format", "json").stdout)["traces"] == 2


@pytest.mark.parametrize("form", ["table", "json"])
def test_without_a_single_trajectory_it_ends_with_3_and_says_why(form: str, tmp_path: Path) -> None:
    plain = tool_span(1, "x") | {"attributes": [], "name": "GET /"}
    result = run(written(tmp_path / "a.jsonl", plain), "--format", form)
    assert result.return_value is Exit.NOT_JUDGED
    assert "no agent, model or tool span in 1 spans and 0 log records" in result.stderr
    assert result.stdout == "" or json.loads(result.stdout)["traces"] == 0


def test_it_then_names_who_wrote_what_is_there(tmp_path: Path) -> None:
    scopes = [
        {
            "scope": {"name": f"lib{n}"},
            "spans": [tool_span(n, "x") | {"attributes": [], "name": "GET"}],
        }
        for n in range(1, 8)
    ]
    (tmp_path / "a.jsonl").write_text(json.dumps({"resourceSpans": [{"scopeSpans": scopes}]}))
    said = run(str(tmp_path / "a.jsonl")).stderr
    assert "What is here was written by lib1, lib2, lib3, lib4, lib5 and others. Check" in said


def test_input_that_cannot_be_read_is_an_error_and_no_diagnosis(tmp_path: Path) -> None:
    broken = tmp_path / "a.jsonl"
    broken.write_text("{")
    for path in (broken, tmp_path / "missing.jsonl"):
        result = run(str(path))
        assert result.exception is not None
        assert result.stdout == ""


def test_a_contract_that_cannot_be_read_is_one_too(traces: str, tmp_path: Path) -> None:
    assert run(traces, "--contracts", str(tmp_path / "missing.yaml")).exception is not None


def test_the_help_teaches_by_examples() -> None:
    help_text = run("--help").stdout
    assert "toolscore-otel doctor traces.jsonl" in help_text
    assert "name the switch to turn" in help_text
