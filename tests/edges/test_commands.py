"""The commands, run as a user runs them, in this process."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from toolscore_otel.cli import commands, reading
from toolscore_otel.cli.commands import COMMANDS, cli, loaded
from toolscore_otel.secrets.samples import make_sample

Span = dict[str, object]


def text(value: str) -> dict[str, object]:
    return {"stringValue": value}


def tool_span(number: int, tool: str, **more: str) -> Span:
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool, **more}
    return {
        "traceId": f"{number:032x}",
        "spanId": f"{number:016x}",
        "name": f"execute_tool {tool}",
        "startTimeUnixNano": str(number * 1_000_000_000),
        "endTimeUnixNano": str(number * 1_000_000_000 + 5_000_000),
        "attributes": [{"key": key, "value": text(value)} for key, value in attributes.items()],
    }


Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_spans(name: str, *spans: Span) -> str:
        path = tmp_path / name
        request = {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}
        path.write_text(json.dumps(request) + "\n")
        return str(path)

    return write_spans


@pytest.fixture
def contract(tmp_path: Path) -> str:
    path = tmp_path / "desk.yaml"
    path.write_text(
        "contract: desk\nlanguage: 1\n"
        "tools: {delete_user: {aliases: [drop_user]}, search: {}}\n"
        "forbid: [delete_user]\nlimit: [{tool: search, max: 1}]\n"
    )
    return str(path)


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, words, standalone_mode=False)


def lines(result: Result) -> list[dict[str, object]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_calls_writes_one_object_a_line(write: Write) -> None:
    path = write("a.jsonl", tool_span(1, "search"), tool_span(2, "delete_user"))
    found = lines(run("calls", "--format", "jsonl", path))
    assert [line["tool"] for line in found] == ["search", "delete_user"]
    assert {line["args_state"] for line in found} == {"not_observed"}
    assert "recording" not in found[0]


def test_calls_are_named_by_the_registry_of_a_contract(write: Write, contract: str) -> None:
    path = write("a.jsonl", tool_span(1, "drop_user"))
    (line,) = lines(run("calls", "--format", "jsonl", "--contracts", contract, path))
    assert (line["tool"], line["recorded_name"]) == ("delete_user", "drop_user")


def test_with_each_every_recording_stands_for_itself(write: Write) -> None:
    """Both files hold the same span: as one recording it is one call."""
    paths = write("a.otlp.jsonl", tool_span(1, "x")), write("b.otlp.jsonl", tool_span(1, "x"))
    assert len(lines(run("calls", "--format", "jsonl", *paths))) == 1
    found = lines(run("calls", "--format", "jsonl", "--each", *paths))
    assert [line["recording"] for line in found] == ["a", "b"]


def test_secrets_are_redacted_unless_asked_for_raw(write: Write) -> None:
    secret = make_sample("github_token_classic", 3)
    arguments = json.dumps({"token": secret})
    path = write("a.jsonl", tool_span(1, "push", **{"gen_ai.tool.call.arguments": arguments}))
    for form in ("jsonl", "table"):
        assert secret not in run("calls", "--format", form, path).output
    assert secret in run("calls", "--format", "jsonl", "--raw", path).output


def test_a_secret_in_a_name_is_printed_by_nothing_but_raw(write: Write, contract: str) -> None:
    secret = make_sample("github_token_classic", 3)
    path = write("a.jsonl", tool_span(1, f"delete_user {secret}"))
    told = [
        run("calls", "--format", "jsonl", path).output,
        run("calls", path).output,
        *(
            run("score", path, "--contracts", "pack:loops", "--format", f).output
            for f in ("json", "console")
        ),
    ]
    assert [part for part in told if secret[:12] in part] == []
    assert secret in run("calls", "--format", "jsonl", "--raw", path).output


def test_a_table_is_printed_where_nothing_else_is_asked_for(write: Write) -> None:
    result = run("calls", write("a.jsonl", tool_span(1, "search")))
    assert "search" in result.stdout
    assert "not recorded" in result.stdout


def test_score_writes_one_object(write: Write, contract: str) -> None:
    path = write("a.jsonl", tool_span(1, "delete_user"))
    result = run("score", path, "--contracts", contract, "--format", "json")
    assert result.return_value == 1
    report = json.loads(result.stdout)
    assert [finding["rule"] for finding in report["findings"]] == ["forbid.1"]
    assert report["coverage"]["executed"] == 1
    assert len(report["trajectories"]) == 1


def test_score_takes_every_recording_by_itself(write: Write, contract: str) -> None:
    """One trace id in both: together two searches pass the limit, each alone does not."""
    first, second = tool_span(1, "search"), tool_span(2, "search")
    second["traceId"] = first["traceId"]
    paths = write("a.jsonl", first), write("b.jsonl", second)
    assert run("score", *paths, "--contracts", contract).return_value == 1
    assert run("score", *paths, "--contracts", contract, "--each").return_value == 0


def test_fail_on_says_how_bad_is_too_bad(write: Write, tmp_path: Path) -> None:
    path = tmp_path / "mild.yaml"
    path.write_text("contract: mild\nlanguage: 1\nseverity: warning\nforbid: [x]\n")
    traces = write("a.jsonl", tool_span(1, "x"))
    words = ("score", traces, "--contracts", str(path))
    assert run(*words).return_value == 0
    assert run(*words, "--fail-on", "warning").return_value == 1


def test_calls_that_were_only_asked_for_could_not_be_judged(write: Write, contract: str) -> None:
    """A coding agent's span that does not tell whether the tool ran."""
    span = tool_span(1, "search", tool_name="search")
    span["name"] = "claude_code.tool"
    result = run("score", write("a.jsonl", span), "--contracts", contract)
    assert result.return_value == 3
    assert "1 tool calls were asked for" in " ".join(result.stderr.split())


def test_check_runs_a_recording_as_a_case(write: Write, contract: str) -> None:
    write("deleted.jsonl", tool_span(1, "delete_user"))
    beside = Path(contract).with_suffix(".cases.yaml")
    beside.write_text(
        "- {case: recorded, spans: deleted.jsonl, fails: [forbid.1]}\n"
        "- {case: many, calls: [search, search], fails: [limit.1]}\n"
    )
    result = run("check", contract)
    assert (result.return_value, result.stderr) == (0, "")


def test_check_names_rules_that_nothing_matched_and_tools_that_nothing_called(
    write: Write, contract: str
) -> None:
    result = run("check", contract, write("a.jsonl", tool_span(1, "delete_user")))
    said = " ".join(result.stderr.split())
    assert "no case and no recording matched `limit.1`" in said
    assert "no recorded call is of `search`" in said
    assert result.return_value == 0


def test_a_case_that_should_not_be_checkable_and_is_differs(contract: str) -> None:
    beside = Path(contract).with_suffix(".cases.yaml")
    beside.write_text("- {case: fine, calls: [x], cannot_check: [forbid.1]}\n")
    result = run("check", contract)
    assert result.return_value == 1
    assert "`forbid.1` should be `cannot_check`, no rule did" in " ".join(result.stderr.split())


def test_schema_and_version_print_themselves() -> None:
    assert json.loads(run("schema").stdout)["$schema"].startswith("https://json-schema.org")
    assert run("version").stdout.startswith("toolscore-otel 0.")


def test_help_lists_the_demo_first() -> None:
    out = run("--help").stdout
    assert out.index("  demo") < out.index("  calls") < out.index("  version")


@pytest.mark.parametrize("name", [None, *COMMANDS])
def test_help_fits_into_80_columns(name: str | None) -> None:
    shown = run(*([] if name is None else [name]), "--help").stdout.splitlines()
    assert [line for line in shown if len(line) > 80] == []


def test_the_list_of_commands_cuts_nothing_off() -> None:
    listed = run("--help").stdout.partition("Commands:")[2]
    assert re.findall(r"^  (\S+)", listed, re.MULTILINE)[: len(COMMANDS)] == list(COMMANDS)
    assert "..." not in listed


def test_the_list_of_commands_says_what_each_says_of_itself() -> None:
    assert {name: loaded(name).get_short_help_str(80) for name in COMMANDS} == COMMANDS
    assert [loaded(name).name for name in COMMANDS] == list(COMMANDS)


def test_help_shows_the_default_of_every_choice() -> None:
    for command in map(loaded, COMMANDS):
        for option in command.params:
            if isinstance(option.type, click.Choice):
                shown = run(command.name or "", "--help").stdout
                assert f"default: {option.default}]" in " ".join(shown.split()), option


class Terminal:
    """Standard error of a person, for the progress bar."""

    def __init__(self) -> None:
        self.written = ""

    def write(self, more: str) -> int:
        self.written += more
        return len(more)

    def flush(self) -> None:
        """Nothing waits."""

    def isatty(self) -> bool:
        return True


def test_long_input_shows_its_progress_to_a_person(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "WORTH_SHOWING", 1)
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    path = write("a.jsonl", tool_span(1, "x"))
    reader = reading.Reader([path, "-"])
    with reader.progress():
        assert len(list(reader.read([Path(path)]))) == 1
    assert "reading" in terminal.written


def test_an_interruption_ends_without_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: object) -> None:
        raise click.exceptions.Abort

    monkeypatch.setattr(commands, "cli", fail)
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with pytest.raises(SystemExit) as ended:
        commands.run()
    assert ended.value.code == 130
    assert terminal.written == "toolscore-otel: interrupted\n"


def test_a_case_that_names_no_rule_of_the_contract_differs(contract: str) -> None:
    beside = Path(contract).with_suffix(".cases.yaml")
    beside.write_text("- {case: typo, calls: [delete_user], fails: [forbid.2]}\n")
    result = run("check", contract)
    assert result.return_value == 1
    assert "unknown rule `forbid.2`; did you mean `forbid.1`?" in result.stderr


def test_cases_without_their_contract_are_warned_of(contract: str) -> None:
    folder = Path(contract).parent
    (folder / "dusk.cases.yaml").write_text("- {case: lost, calls: [delete_user]}\n")
    (folder / "desk.cases.yaml").write_text("- {case: fine, calls: [x]}\n")
    result = run("check", str(folder))
    assert "dusk.cases.yaml: no contract stands beside these cases" in result.stderr
    assert "desk.cases.yaml" not in result.stderr
