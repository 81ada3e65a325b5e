"""`toolscore-otel gate` on files: verdicts, exit codes, formats, and the file of baselines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random  # noqa: TID251 - seeded
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest
from click.testing import CliRunner, Result
from msgspec import structs

from toolscore_otel.cli.commands import cli
from toolscore_otel.cli.exits import Exit
from toolscore_otel.errors import ConfigError
from toolscore_otel.model import Span
from toolscore_otel.secrets.samples import make_sample
from toolscore_otel.testing.made import make_span
from toolscore_otel.wire.write_json import to_otlp_json

CONTRACT = """
contract: desk
language: 1
expect:
  - {calls: [{tool: lookup, args: {id: O-1}}]}
"""
FORMATS = ["console", "json", "junit", "markdown"]
RIGHT, WRONG = "lookup", "search"


class Place:
    """A folder with a contract, recordings and a baseline."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.baseline = folder / "gate.json"
        self.ids = Random(7)  # noqa: S311 - no secret
        self.contract(CONTRACT)

    def contract(self, text: str) -> None:
        (self.folder / "desk.yaml").write_text(text)

    def record(
        self, name: str, *tools: str | None, scenario: str = "refund", model: str | None = "m1"
    ) -> str:
        """A recording with one run for each tool that is called first."""
        spans: list[Span] = []
        for tool in tools:
            trace = f"{self.ids.getrandbits(128):032x}"
            root = make_span(
                agent="desk", trace_id=trace, attributes={"toolscore.scenario": scenario}
            )
            chat = {"gen_ai.operation.name": "chat", "gen_ai.request.model": model}
            spans += [root, make_span(parent=root, attributes=dict(chat))]
            if tool is not None:
                spans.append(make_span(tool, {"id": "O-1"}, parent=root, result="x"))
        file = self.folder / name
        file.write_text(json.dumps(to_otlp_json(spans)) + "\n")
        return str(file)

    def gate(self, *words: str) -> Result:
        fixed = ("--contracts", str(self.folder / "desk.yaml"), "--baseline", str(self.baseline))
        return CliRunner().invoke(cli, ["gate", *words, *fixed], standalone_mode=False)

    def accept(self, release: str, *words: str) -> Result:
        return self.gate(*words, "--release", release, "--accept")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def said(result: Result) -> Any:
    return json.loads(result.stdout)


def test_the_first_gate_has_no_baseline_ends_with_0_and_says_so(place):
    file = place.record("a.jsonl", RIGHT)
    result = place.gate(file, "--release", "1")

    assert result.return_value == Exit.PASS
    assert "notice: first gate without a baseline for `desk`, model `m1`" in result.stderr
    assert not place.baseline.exists()
    assert place.gate(file, "--release", "1", "--strict").return_value == Exit.NOT_JUDGED


def test_a_release_that_dropped_fails(place):
    assert place.accept("1", place.record("a.jsonl", *[RIGHT] * 20)).return_value == Exit.PASS
    result = place.gate(place.record("b.jsonl", *[WRONG] * 20), "--release", "2")

    assert result.return_value == Exit.FINDINGS
    assert "failed        right_tool" in result.stdout
    assert "100.0 -> 0.0  drop 100.0" in result.stdout
    assert "Gate of 2: failed. A drop of 2 points is allowed" in result.stdout


def test_an_unchanged_release_with_few_runs_is_inconclusive(place):
    place.accept("1", place.record("a.jsonl", *[RIGHT] * 5))
    file = place.record("b.jsonl", *[RIGHT] * 5)
    result = place.gate(file, "--release", "2")

    assert result.return_value == Exit.PASS
    assert "the gate is inconclusive: these runs are too few" in result.stderr
    assert place.gate(file, "--release", "2", "--strict").return_value == Exit.NOT_JUDGED


def test_a_larger_drop_may_be_allowed_and_passes_even_strictly(place):
    place.contract(CONTRACT + "require: [{tool: '*', min: 0}]\n")
    place.accept("1", place.record("a.jsonl", *[RIGHT] * 60))
    words = (place.record("b.jsonl", *[RIGHT] * 60), "--release", "2", "--strict", "--max-drop")

    assert place.gate(*words, "30").return_value == Exit.PASS
    assert place.gate(*words, "30%").return_value == Exit.PASS
    assert place.gate(*words, "3").return_value == Exit.NOT_JUDGED


def test_only_the_scores_that_are_named_are_judged(place):
    place.accept("1", place.record("a.jsonl", *[RIGHT] * 20))
    words = (place.record("b.jsonl", *[WRONG] * 20), "--release", "2", "--score", "error_rate")

    assert place.gate(*words).return_value == Exit.PASS
    assert place.gate(*words, "--score", "right_tool").return_value == Exit.FINDINGS


def test_a_rise_of_calls_fails_where_one_is_allowed_that_is_smaller(place):
    place.accept("1", place.record("a.jsonl", *[RIGHT] * 10, *[None] * 10))
    words = (place.record("b.jsonl", *[RIGHT] * 20), "--release", "2", "--score", "calls_per_task")

    result = place.gate(*words, "--max-rise", "10%")

    assert result.return_value == Exit.FINDINGS
    assert "failed        calls_per_task" in result.stdout
    assert "0.50 -> 1.00  rise 100.0%" in result.stdout
    assert place.gate(*words, "--max-rise", "500").return_value == Exit.PASS


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (
            ("--score", "right_toll"),
            "no run has a score `right_toll`; there are `argument_exact`, ",
        ),
        (("--score", "calls_per_task"), "say with `--max-rise` how far it may rise"),
        (("--max-rise", "more"), "a rise is `20%`"),
    ],
)
def test_what_cannot_be_judged_as_asked_is_an_error(place, words, error):
    file = place.record("a.jsonl", RIGHT)
    result = place.gate(file, "--release", "1", *words)

    assert isinstance(result.exception, ConfigError)
    assert error in str(result.exception)


def test_no_call_is_right_where_none_is_expected(place):
    place.contract(CONTRACT.replace("[{tool: lookup, args: {id: O-1}}]", "[]"))
    place.accept("1", place.record("a.jsonl", *[None] * 20))
    result = place.gate(
        place.record("b.jsonl", *[WRONG] * 20), "--release", "2", "--format", "json"
    )
    scores = {one["score"]: one for one in said(result)["comparisons"]}

    assert (scores["right_tool"]["old"], scores["right_tool"]["new"]) == (1.0, 0.0)
    assert scores["right_tool"]["verdict"] == "fail"


def test_what_expectations_say_of_single_runs_fails_by_the_scores_alone(place):
    place.accept("1", place.record("a.jsonl", *[RIGHT] * 19, WRONG))
    result = place.gate(place.record("b.jsonl", *[RIGHT] * 19, WRONG), "--release", "2")
    assert result.return_value == Exit.PASS


@pytest.mark.parametrize("form", FORMATS)
def test_findings_of_other_rules_fail_as_they_do_anywhere(place, form):
    place.contract(CONTRACT + "forbid: [search]\n")
    words = (place.record("a.jsonl", WRONG), "--release", "1", "--format", form)

    result = place.gate(*words)
    assert result.return_value == Exit.FINDINGS
    assert "forbid.1" in result.stdout
    assert place.gate(*words, "--fail-on", "critical").return_value == Exit.PASS


def test_other_expectations_are_refused_and_a_comment_is_none(place):
    place.accept("1", place.record("a.jsonl", *[RIGHT] * 20))
    words = (place.record("b.jsonl", *[RIGHT] * 20), "--release", "2")

    place.contract(f"# about refunds\n{CONTRACT}\nversion: '2' # newer\n")
    assert place.gate(*words).return_value == Exit.PASS

    place.contract(CONTRACT.replace("O-1", "O-2"))
    result = place.gate(*words)
    assert result.return_value == Exit.NOT_JUDGED
    assert "could not compare: `desk`, model `m1`: not comparable: the contract expects" in result.stderr  # fmt: skip

    assert place.gate(*words, "--accept").return_value == Exit.NOT_JUDGED
    assert place.gate(place.record("c.jsonl", *[RIGHT] * 20), "--release", "3").return_value == 0


def test_a_scenario_of_another_name_is_refused(place):
    place.accept("1", place.record("a.jsonl", RIGHT))
    result = place.gate(place.record("b.jsonl", RIGHT, scenario="other"), "--release", "2")
    assert result.return_value == Exit.NOT_JUDGED
    assert "no scenario is on both" in result.stderr


def test_nan_in_the_baseline_is_refused(place):
    place.accept("1", place.record("a.jsonl", RIGHT))
    text = place.baseline.read_text()
    place.baseline.write_text(text.replace('"right_tool": 1.0', '"right_tool": NaN'))
    result = place.gate(place.record("b.jsonl", RIGHT), "--release", "2")

    assert result.return_value == Exit.NOT_JUDGED
    assert "score `right_tool`: not comparable: a score is NaN" in result.stderr


def test_1_goes_before_3(place):
    place.accept("1", place.record("a.jsonl", *[RIGHT] * 20))
    text = place.baseline.read_text()
    place.baseline.write_text(text.replace('"right_args": 1.0', '"right_args": NaN'))
    result = place.gate(place.record("b.jsonl", *[WRONG] * 20), "--release", "2")
    assert result.return_value == Exit.FINDINGS


def test_no_run_is_nothing_to_judge_and_nothing_to_accept(place):
    empty = place.folder / "empty.jsonl"
    empty.write_text(json.dumps(to_otlp_json([make_span()])))
    result = place.accept("1", str(empty))

    assert result.return_value == Exit.NOT_JUDGED
    assert "could not judge: no agent, model or tool span" in result.stderr
    assert not place.baseline.exists()


def test_a_conversation_counts_for_the_trace_that_it_began_with(place):
    place.contract("contract: desk\nlanguage: 1\nscope: session\nforbid: [shell]\n")
    talk = {"gen_ai.conversation.id": "c1"}
    spans = [make_span(RIGHT, {}, start_s=n, attributes=dict(talk)) for n in range(2)]
    file = place.folder / "a.jsonl"
    file.write_text(json.dumps(to_otlp_json(spans)))

    assert place.accept("1", str(file)).return_value == Exit.PASS
    assert {run for *_, run in places(place.baseline)} == {spans[0].trace_id}


def test_a_contract_in_shadow_gives_no_scores(place):
    place.contract(CONTRACT + "shadow: true\n")
    result = place.gate(place.record("a.jsonl", RIGHT), "--release", "1")

    assert result.return_value == Exit.NOT_JUDGED
    assert "no run has a score" in result.stderr


def test_rules_that_could_not_be_checked_count_with_strict(place):
    place.contract(CONTRACT + "forbid: [{tool: lookup, result: {$contains: y}}]\n")
    root = make_span(agent="desk", attributes={"toolscore.scenario": "refund"})
    file = place.folder / "a.jsonl"

    def write(count: int) -> str:
        spans: list[Span] = []
        for n in range(count):
            trace = f"{place.ids.getrandbits(128):032x}"
            top = structs.replace(root, trace_id=trace, span_id=f"{n + 1:016x}")
            spans += [top, make_span("lookup", {"id": "O-1"}, parent=top)]
        file.write_text(json.dumps(to_otlp_json(spans)))
        return str(file)

    place.accept("1", write(60))
    words = (write(60), "--release", "2", "--max-drop", "50")
    assert place.gate(*words).return_value == Exit.PASS
    result = place.gate(*words, "--strict")
    assert result.return_value == Exit.NOT_JUDGED
    assert "rules could not be checked" in result.stderr


def places(file: Path) -> set[tuple[str, ...]]:
    return {
        (release["release"], entry["model"], entry["scenario"], run["run"])
        for release in json.loads(file.read_text())["releases"]
        for entry in release["entries"]
        for run in entry["runs"]
    }


def test_one_run_never_deletes_what_it_does_not_have(place):
    place.accept("1", place.record("a.jsonl", RIGHT), place.record("b.jsonl", RIGHT, scenario="x"))
    before = places(place.baseline)
    place.accept("2", place.record("c.jsonl", RIGHT, model="m2"))
    place.accept("1", place.record("d.jsonl", WRONG))

    assert before < places(place.baseline)
    assert len(places(place.baseline)) == 4
    assert json.loads(place.baseline.read_text())["version"] == 1


def test_accepting_the_same_files_again_in_another_order_changes_nothing(place):
    files = [place.record(f"{n}.jsonl", RIGHT, WRONG, scenario=f"s{n % 2}") for n in range(4)]
    place.accept("1", *files)
    once = place.baseline.read_text()
    place.accept("1", *reversed(files))
    assert place.baseline.read_text() == once


def test_with_each_a_recording_is_a_scenario_unless_its_traces_name_one(place):
    def plain(name: str) -> str:
        root = make_span(agent="desk", trace_id=f"{place.ids.getrandbits(128):032x}")
        file = place.folder / name
        file.write_text(json.dumps(to_otlp_json([root, make_span(RIGHT, {}, parent=root)])))
        return str(file)

    place.accept("1", plain("one.otlp.jsonl"), plain("two.jsonl"), "--each")
    assert {place_of[2] for place_of in places(place.baseline)} == {"one", "two"}


def test_a_trace_that_several_recordings_tell_of_is_one_run(place):
    file = place.record("a.jsonl", RIGHT, RIGHT)
    copy = place.folder / "b.jsonl"
    copy.write_text(Path(file).read_text())
    result = place.accept("1", file, str(copy), "--each")

    assert "2 of 4 runs have the trace id of another one" in result.stderr
    assert len(places(place.baseline)) == 2


def test_a_baseline_that_is_none_is_the_operators_error(place):
    place.baseline.write_text("{}")
    file = place.record("a.jsonl", RIGHT)
    assert isinstance(place.gate(file, "--release", "1").exception, ConfigError)
    place.baseline.unlink()
    place.baseline.mkdir()
    assert "cannot read the baseline" in str(place.gate(file, "--release", "1").exception)


def test_a_baseline_that_cannot_be_written_is_an_error_and_leaves_nothing_behind(place):
    (place.folder / "file").write_text("")
    place.baseline = place.folder / "file" / "gate.json"
    result = place.accept("1", place.record("a.jsonl", RIGHT))
    assert "the baseline" in str(result.exception)


def test_a_write_that_fails_midway_leaves_the_old_baseline(place, monkeypatch):
    place.accept("1", place.record("a.jsonl", RIGHT))
    before = place.baseline.read_text()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    result = place.accept("2", place.record("b.jsonl", RIGHT))
    assert "cannot write the baseline" in str(result.exception)
    assert place.baseline.read_text() == before
    assert not list(place.folder.glob(".gate*"))


def test_a_baseline_in_a_folder_that_is_not_there_yet_and_behind_a_link(place):
    real = place.folder / "kept" / "deep" / "gate.json"
    place.baseline.symlink_to(real)
    place.accept("1", place.record("a.jsonl", RIGHT))
    assert place.baseline.is_symlink()
    assert len(places(real)) == 1


def test_of_several_that_accept_at_once_each_keeps_what_the_others_wrote(place):
    program = [sys.executable, "-m", "toolscore_otel.cli", "gate", "--accept"]
    words = ["--contracts", str(place.folder / "desk.yaml"), "--baseline", str(place.baseline)]
    files = [place.record(f"{n}.jsonl", RIGHT, scenario=f"s{n}") for n in range(4)]
    running = [subprocess.Popen([*program, *words, "--release", "1", file]) for file in files]

    assert [process.wait() for process in running] == [0] * 4
    assert {scenario for _, _, scenario, _ in places(place.baseline)} == {"s0", "s1", "s2", "s3"}


def test_the_right_tool_is_compared_where_no_argument_was_recorded(place):
    file = place.folder / "a.jsonl"

    def write(tool: str) -> str:
        spans: list[Span] = []
        for _ in range(20):
            root = make_span(
                agent="desk",
                trace_id=f"{place.ids.getrandbits(128):032x}",
                attributes={"toolscore.scenario": "refund"},
            )
            spans += [root, make_span(tool, parent=root)]
        file.write_text(json.dumps(to_otlp_json(spans)))
        return str(file)

    assert place.accept("1", write(RIGHT)).return_value == Exit.PASS
    result = place.gate(write(WRONG), "--release", "2")
    assert result.return_value == Exit.FINDINGS
    assert "failed        right_tool" in result.stdout


@pytest.mark.parametrize("drop", ["x", "-1", "200"])
def test_a_drop_that_is_none_is_an_error(place, drop):
    result = place.gate(place.record("a.jsonl", RIGHT), "--release", "1", "--max-drop", drop)
    assert isinstance(result.exception, ConfigError)


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_ends_alike_and_shows_no_secret(place, form):
    secret = make_sample("github_token_classic", 3)
    scenario = f"half a sign \ud800 {secret}"
    place.accept("1", place.record("a.jsonl", *[RIGHT] * 20, scenario=scenario, model=secret))
    file = place.record("b.jsonl", *[WRONG] * 20, scenario=scenario, model=secret)
    other = place.record("c.jsonl", WRONG, scenario=f"new {secret}", model=secret)
    result = place.gate(file, other, "--release", "2", "--format", form)

    assert result.return_value == Exit.FINDINGS
    assert "REDACTED" in result.stdout
    for text in (result.output, place.baseline.read_text()):
        assert secret[8:20] not in text


def test_json_has_it_all(place):
    place.accept("1", place.record("a.jsonl", *[RIGHT] * 20))
    found = said(place.gate(place.record("b.jsonl", *[WRONG] * 20), "--release", "2", "--format", "json"))  # fmt: skip

    assert list(found) == ["release", "verdict", "max_drop", "max_rise", "told_apart", "level", "comparisons", "not_compared", "refused", "findings"]  # fmt: skip
    assert (found["release"], found["verdict"], found["max_drop"]) == ("2", "fail", "2")
    (one,) = [one for one in found["comparisons"] if one["score"] == "right_args"]
    assert (one["old"], one["new"], one["drop"], one["runs"]) == (1.0, 0.0, 1.0, [20, 20])


def test_junit_counts_as_the_gate_does(place):
    place.accept("1", place.record("a.jsonl", *[RIGHT] * 20))
    place.baseline.write_text(
        place.baseline.read_text().replace('"hard_fail": 0.0', '"hard_fail": 1e999')
    )
    files = (
        place.record("b.jsonl", *[WRONG] * 20),
        place.record("c.jsonl", RIGHT, scenario="new"),
    )
    result = place.gate(*files, "--release", "2", "--format", "junit")
    root = fromstring(result.stdout_bytes)  # noqa: S314 - our own
    (suite,) = [one for one in root if one.get("name") == "gate: desk, model m1"]
    ends = {case.get("name"): [child.tag for child in case] for case in suite}

    assert ends["right_tool"] == ["failure"]
    assert ends["error_rate"] == ["skipped"]
    assert ends["calls_per_task"] == ["system-out"]
    assert ends["hard_fail"] == ["error"]
    assert ends["scenario new"] == ["skipped"]
    assert root.get("failures") == str(sum(tags == ["failure"] for tags in ends.values()))
    assert root.get("errors") == "1"


@pytest.mark.parametrize(("tool", "code"), [(RIGHT, 0), (WRONG, 1)])
def test_the_program_ends_with_these_codes(place, tool, code):
    place.accept("1", place.record("a.jsonl", *[RIGHT] * 20))
    words = ["gate", place.record("b.jsonl", *[tool] * 20), "--release", "2"]
    words += ["--contracts", str(place.folder / "desk.yaml"), "--baseline", str(place.baseline)]
    program = [sys.executable, "-m", "toolscore_otel.cli"]

    done = subprocess.run([*program, *words], check=False, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    if tool == RIGHT:
        place.baseline.write_text("{")
        broken = subprocess.run([*program, *words], check=False, capture_output=True, text=True)
        assert broken.returncode == Exit.USAGE
        assert "is no JSON" in broken.stderr
