"""`toolscore-otel check`, run as a user runs it, in this process."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from toolscore_otel.cli.commands import cli

HEAD = "contract: desk\nlanguage: 1\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in which the test stands, so that messages hold short paths."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, ["check", *words], standalone_mode=False)


def write(folder: Path, contract: str, cases: str | None = None, name: str = "desk") -> None:
    (folder / f"{name}.yaml").write_text(contract)
    if cases is not None:
        (folder / f"{name}.cases.yaml").write_text(cases)


def record(folder: Path, *tools: str) -> str:
    spans = [
        {
            "traceId": f"{number:032x}",
            "spanId": f"{number:016x}",
            "name": f"execute_tool {tool}",
            "startTimeUnixNano": str(number * 1_000_000_000),
            "endTimeUnixNano": str(number * 1_000_000_000 + 5_000_000),
            "attributes": [
                {"key": key, "value": {"stringValue": value}}
                for key, value in (
                    ("gen_ai.operation.name", "execute_tool"),
                    ("gen_ai.tool.name", tool),
                )
            ],
        }
        for number, tool in enumerate(tools, start=1)
    ]
    request = {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}
    (folder / "run.jsonl").write_text(json.dumps(request) + "\n")
    return "run.jsonl"


WAIVED = HEAD + "forbid: [x]\nwaive:\n  - {rule: forbid.1, tool: x, owner: ops, until: %s}\n"


def test_a_waiver_past_its_end_fails_the_check_and_says_where_it_stands(folder: Path) -> None:
    write(folder, WAIVED % "2020-01-01", "- {case: a, calls: [x], fails: [forbid.1]}\n")
    result = run("desk.yaml")
    assert result.return_value == 1
    assert result.stderr == (
        "desk.yaml:5: the waiver of `forbid.1` by `ops` ended on 2020-01-01: "
        "renew it, or take it out\n"
    )


def test_an_inherited_waiver_past_its_end_is_said_once(folder: Path) -> None:
    write(folder, WAIVED % "2020-01-01")
    write(folder, "contract: own\nlanguage: 1\nextends: desk.yaml\n", name="own")
    result = run(".")
    assert result.return_value == 1
    assert result.stderr.count("ended on 2020-01-01") == 1


def test_a_case_lists_what_fails_in_shadow_for_a_waiver_that_holds(folder: Path) -> None:
    write(folder, WAIVED % "2099-12-31", "- {case: a, calls: [x], fails: [forbid.1]}\n")
    assert run("desk.yaml").return_value == 0
    write(folder, WAIVED % "2099-12-31", "- {case: a, calls: [x]}\n")
    result = run("desk.yaml")
    assert (result.return_value, result.stderr.splitlines()[0]) == (
        1,
        "desk.cases.yaml:1: case `a`: no rule should fail, `forbid.1` did",
    )


def test_a_rule_of_several_contracts_in_one_file_is_called_by_both_names(folder: Path) -> None:
    two = HEAD + "forbid: [x, z]\n---\ncontract: other\nlanguage: 1\nforbid: [y]\n"
    write(folder, two, "- {case: a, calls: [y], fails: [other/forbid.1]}\n")
    assert run("desk.yaml").return_value == 0
    write(folder, two, "- {case: a, calls: [z, y], fails: [forbid.2, forbid.1]}\n")
    result = run("desk.yaml")
    assert result.return_value == 1
    assert "`forbid.1` may be `desk/forbid.1` and `other/forbid.1`" in result.stderr
    write(folder, two, "- {case: a, calls: [y], fails: [desk/forbid.1]}\n")
    assert run("desk.yaml").return_value == 1


def test_a_rule_that_held_on_a_call_that_it_is_about_was_matched(folder: Path) -> None:
    write(
        folder,
        HEAD + "limit: [{tool: x, max: 3}, {tool: y, max: 3}]\n",
        "- {case: a, calls: [x]}\n",
    )
    result = run("desk.yaml")
    assert (result.return_value, result.stderr) == (
        0,
        "warning: desk.yaml: no case and no recording matched `limit.2`\n",
    )


def test_with_recordings_names_that_are_near_are_told(folder: Path) -> None:
    write(
        folder,
        HEAD + "tools: {lookup_ordr: {}, refund: {}}\nforbid: [lookup_ordr]\nrequire: [refund]\n",
    )
    result = run("desk.yaml", record(folder, "lookup_order", "refund", "search"))
    assert result.return_value == 0
    assert result.stderr.splitlines() == [
        "warning: desk.yaml: no case and no recording matched `forbid.1` (recorded is `lookup_order`)",
        "warning: desk.yaml: no recorded call is of `lookup_ordr` (recorded is `lookup_order`)",
        "warning: desk.yaml: recorded, and mentioned nowhere: `lookup_order`, `search`",
    ]


def test_a_scenario_of_a_case_is_that_of_its_trace(folder: Path) -> None:
    write(
        folder,
        HEAD + "expect: [{when: {scenario: refund}, calls: [refund]}]\n",
        "- {case: other, calls: [{tool: x, scenario: other}]}\n"
        "- {case: lacking, calls: [{tool: x, scenario: refund}], fails: [expect.1]}\n"
        "- {case: fine, calls: [{tool: refund, scenario: refund}]}\n",
    )
    assert (run("desk.yaml").return_value, run("desk.yaml").stderr) == (0, "")


@pytest.mark.parametrize(
    ("more", "is_said"),
    [("", True), (", action: hash", True), (", action: flag", False), (", shadow: true", False)],
)
def test_who_allows_a_secret_is_told_that_it_is_taken_out_of_spans_all_the_same(
    folder: Path, more: str, *, is_said: bool
) -> None:
    write(folder, HEAD + f"forbid: [x]\nsecrets: {{allow: [{{tool: http_get}}]{more}}}\n")
    result = run("desk.yaml")
    assert result.return_value == 0
    assert ("takes it out all the same" in result.output) is is_said


def test_without_allow_nothing_is_said_of_it(folder: Path) -> None:
    write(folder, HEAD + "secrets: {}\n")
    assert "all the same" not in run("desk.yaml").output
