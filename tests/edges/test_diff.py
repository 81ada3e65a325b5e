"""`toolscore-otel diff` on files and folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from toolscore_otel.cli.commands import cli
from toolscore_otel.errors import InputError
from toolscore_otel.model import Span
from toolscore_otel.secrets.samples import make_sample
from toolscore_otel.testing.made import make_span
from toolscore_otel.wire.write_json import to_otlp_json


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, ["diff", *map(str, words)], standalone_mode=False)


def told(*words: object) -> dict[str, dict[str, str]]:
    """Scenario -> kind and tool of each change -> state."""
    result = run(*words, "--format", "json")
    assert result.return_value == 0, result.output
    return {
        one["scenario"]: {f"{d['kind']} {d['tool']}": d["state"] for d in one["differences"]}
        for one in json.loads(result.stdout)["scenarios"]
    }


def write(path: Path, *tools: str, scenario: str | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    root = make_span(agent="desk", took_s=len(tools) or 1, attributes={"toolscore.scenario": scenario} if scenario else None)  # fmt: skip
    spans: list[Span] = [root]
    spans += [make_span(tool, {}, parent=root, start_s=n) for n, tool in enumerate(tools)]
    path.write_text(json.dumps(to_otlp_json(spans)) + "\n")
    return path


def test_two_files_are_compared_whatever_they_are_called(tmp_path):
    old, new = write(tmp_path / "x.jsonl", "a"), write(tmp_path / "y.jsonl", "a", "b")

    assert told(old, new)[""]["tool_appeared b"] == "changed"


def test_files_of_folders_are_compared_by_name_and_several_of_one_name_are_runs(tmp_path):
    write(tmp_path / "old/1/refund.otlp.jsonl", "a")
    write(tmp_path / "old/2/refund.otlp.jsonl", "a", "b")
    write(tmp_path / "old/1/other.jsonl", "a")
    write(tmp_path / "new/refund.jsonl", "a")
    (tmp_path / "new/notes.md").write_text("no recording")
    (tmp_path / "new/.hidden.jsonl").write_text("none either")

    found = told(tmp_path / "old", tmp_path / "new")

    assert found["refund"]["tool_gone b"] == "flaps"
    assert found["other"] == {"scenario None": "not_observed"}


def test_a_scenario_that_a_trace_names_goes_before_its_file(tmp_path):
    old = write(tmp_path / "old.jsonl", "a", scenario="refund")
    write(tmp_path / "new/whatever.jsonl", "b", scenario="refund")

    assert told(old, tmp_path / "new")["refund"]["tool_gone a"] == "changed"


@pytest.mark.parametrize("form", ["console", "markdown"])
def test_it_is_written_for_people_and_no_difference_is_a_failure(tmp_path, form):
    old, new = write(tmp_path / "x.jsonl", "a"), write(tmp_path / "y.jsonl", "a", "new_tool")

    result = run(old, new, "--format", form)

    assert result.return_value == 0
    assert "new_tool" in result.stdout


def test_what_cannot_be_compared_ends_with_3_and_says_why(tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    one = write(tmp_path / "one/a.jsonl", "a")
    write(tmp_path / "two/b.jsonl", "a")

    nothing, apart = run(one, empty), run(tmp_path / "one", tmp_path / "two")

    assert (nothing.return_value, nothing.stdout) == (3, "")
    assert f"no agent, model or tool span in {empty}" in nothing.stderr
    assert (apart.return_value, apart.stdout) == (3, "")
    assert "no scenario is in both" in apart.stderr


def test_a_file_that_is_not_there_is_an_input_error(tmp_path):
    result = run(tmp_path / "missing.jsonl", write(tmp_path / "a.jsonl", "a"))

    assert isinstance(result.exception, InputError)
    assert "missing.jsonl" in str(result.exception)


def test_no_secret_is_shown(tmp_path):
    secret = make_sample("github_token_classic", 3)
    old, new = write(tmp_path / "x.jsonl", "a"), write(tmp_path / "y.jsonl", f"b {secret}", scenario=None)  # fmt: skip

    for form in ("console", "markdown", "json"):
        output = run(old, new, "--format", form).stdout
        assert "REDACTED" in output
        assert secret[:12] not in output
