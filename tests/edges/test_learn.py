"""`toolscore-otel learn`, run as a user runs it, in this process."""

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from toolscore_otel.cli.commands import cli
from toolscore_otel.cli.exits import Exit
from toolscore_otel.contracts import load_text


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, ["learn", *words], standalone_mode=False)


def span(trace: int, number: int, **values: str) -> dict[str, Any]:
    """One second of a trace; the first is the root of the others."""
    begin = trace * 100_000_000_000 + number * 1_000_000_000
    return {
        "traceId": f"{trace:032x}",
        "spanId": f"{trace * 100 + number:016x}",
        "parentSpanId": f"{trace * 100:016x}" if number else "",
        "name": "span",
        "startTimeUnixNano": str(begin),
        "endTimeUnixNano": str(begin + 5_000_000),
        "attributes": [
            {"key": f"gen_ai.{key}", "value": {"stringValue": value}}
            for key, value in values.items()
        ],
    }


def call(trace: int, number: int, tool: str, arguments: Any) -> dict[str, Any]:
    values = {"tool.name": tool, "tool.call.arguments": json.dumps(arguments)}
    return span(trace, number, **{"operation.name": "execute_tool"}, **values)


def record(file: Path, traces: int) -> str:
    spans = [
        one
        for trace in range(1, traces + 1)
        for one in (
            span(trace, 0, **{"operation.name": "invoke_agent", "agent.name": "desk"}),
            call(trace, 1, "lookup", {"id": f"O-{trace}"}),
            call(trace, 2, "refund", {"id": f"O-{trace}", "amount": trace}),
        )
    ]
    file.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}) + "\n")
    return str(file)


def test_a_contract_is_written_to_stdout_and_nothing_else(tmp_path: Path) -> None:
    result = run(record(tmp_path / "a.jsonl", 6), "--name", "desk")
    assert (result.return_value, result.stderr) == (Exit.PASS, "")
    (contract,) = load_text(result.stdout)
    assert contract.id == "desk"
    assert "O-1" not in result.stdout
    assert "required: [amount, id]" in result.stdout


def test_how_many_traces_make_a_habit_is_the_users_choice(tmp_path: Path) -> None:
    file = record(tmp_path / "a.jsonl", 3)
    assert "require:" not in run(file).stdout
    assert "require:" not in run(file, "--min-traces", "4").stdout
    found = run(file, "--min-traces", "3").stdout
    assert found.count("ran in 3 of 3 traces") == 2
    assert "- {first: lookup, then: refund}  # so in 3 of 3 traces with the second" in found


def test_the_contract_passes_its_check_on_the_recording_it_comes_from(tmp_path: Path) -> None:
    file = record(tmp_path / "a.jsonl", 6)
    learned = tmp_path / "learned.yaml"
    learned.write_text(run(file, "--each").stdout)
    done = CliRunner().invoke(cli, ["check", str(learned), file], standalone_mode=False)
    assert (done.return_value, done.stderr) == (Exit.PASS, "")


def test_where_there_is_nothing_to_learn_it_says_so(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"resourceSpans": []}\n')
    result = run(str(file))
    assert result.return_value == Exit.NOT_JUDGED
    assert result.stdout == ""
    assert "nothing to learn: no tool call in 0 spans and 0 log records" in result.stderr


@pytest.mark.parametrize("name", ["", "My Desk", "-desk", "Desk"])
def test_a_name_that_no_contract_can_have_is_refused(name: str, tmp_path: Path) -> None:
    result = run(record(tmp_path / "a.jsonl", 1), "--name", name)
    assert isinstance(result.exception, click.BadParameter)


def test_no_trace_at_all_is_no_evidence(tmp_path: Path) -> None:
    result = run(record(tmp_path / "a.jsonl", 1), "--min-traces", "0")
    assert isinstance(result.exception, click.BadParameter)
