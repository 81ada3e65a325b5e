"""What the page about gates says of numbers is what the code says, and its workflow does what it shows."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import parse

import pytest
from ruamel.yaml import YAML

from tests.docs.refund_runs import FOLDER, recording
from tests.docs.test_examples import EXAMPLES, ROOT, blocks, folder, run
from toolscore_otel.gate import ERROR, Allowed, runs_needed, ties_to_pass
from toolscore_otel.gate.choice import CHOICE_SCORES
from toolscore_otel.gate.interval import drop_from

__all__ = ["folder"]

PAGE = ROOT / "docs" / "pages" / "gate.md"
TEXT = PAGE.read_text()
ROW = re.compile(r"^\| (\d+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$", re.MULTILINE)
PASSING = re.compile(r"^\| (\d+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$", re.MULTILINE)
CREDIT = "https://agentwranglers.se/playbook/agents-as-users/tool-choice-evals/tool-choice-gate"
ACCEPT = "toolscore-otel gate recordings/1.0.jsonl.gz --contracts refunds.yaml --baseline gate.json --release 1.0 --accept"  # fmt: skip


def test_the_table_of_runs_is_what_the_code_says():
    rows = [[int(cell.replace(",", "")) for cell in row] for row in ROW.findall(TEXT)]
    assert [row[0] for row in rows] == [5, 10, 20, 30, 50]
    assert [row[1:] for row in rows] == [
        [runs_needed(drop / 100, share=0.9, scores=scores) for scores in (1, 4, 12)]
        for drop, *_ in rows
    ]


def test_the_table_of_runs_that_pass_is_what_the_code_says():
    rows = [[int(cell.replace(",", "")) for cell in row] for row in PASSING.findall(TEXT)]
    assert [row[0] for row in rows] == [1, 2, 5, 10, 20]
    for points, alike, *others in rows:
        allowed = points / 100
        assert alike == ties_to_pass(allowed, 1 - ERROR)
        for share, runs in zip((0.99, 0.95, 0.9), others, strict=True):
            enough, fewer = (
                drop_from(share, share, runs=n, level=1 - ERROR) for n in (runs, runs - 1)
            )
            assert enough.high <= allowed < fewer.high


def test_the_default_that_the_page_names_is_the_default():
    assert f"`{Allowed()}` (the default)" in TEXT


def test_credit_is_given_with_a_link_on_the_page_and_in_the_code():
    assert f'<a href="{CREDIT}">Agent' in TEXT
    assert CREDIT in (ROOT / "toolscore_otel" / "gate" / "choice.py").read_text()
    assert all(f"| `{name}` |" in TEXT for name in CHOICE_SCORES)


@pytest.mark.parametrize("release", ["1.0", "1.1", "1.2"])
def test_the_recordings_of_the_page_are_those_that_the_tests_make(release):
    assert gzip.decompress((FOLDER / f"{release}.jsonl.gz").read_bytes()) == recording(release)
    assert FOLDER.parent == EXAMPLES


def steps(job: str) -> list[dict[str, Any]]:
    """The steps of the workflow with this job."""
    workflows = [YAML(typ="safe").load(block.text) for block in blocks(PAGE, TEXT, "yaml")]
    (found,) = [one["jobs"][job]["steps"] for one in workflows if job in one["jobs"]]
    return list(found)


def act(job: str, where: Path, *, recorded: str, **variables: str) -> dict[str, int]:
    """Run the steps as the runner does, and give back how each ended; what installs the package is not run."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path} | variables
    codes: dict[str, int] = {}
    for step in steps(job):
        failed = any(codes.values())
        if "run" not in step or step["run"].startswith("pip install"):
            continue
        if failed and step.get("if") != "always()":
            continue
        line = step["run"].replace("1.1.jsonl", f"{recorded}.jsonl")
        done = subprocess.run(["bash", "-e", "-c", line], cwd=where, env=environment, check=False)
        codes[step["name"]] = done.returncode
    return codes


@pytest.mark.parametrize(("recorded", "code"), [("1.1", 0), ("1.2", 1)])
def test_the_workflow_runs_as_shown(folder, recorded, code):
    assert run(ACCEPT, folder)[0] == 0
    summary = str(folder / "summary.md")
    codes = act("gate", folder, recorded=recorded, GITHUB_SHA="5d3c1ab", GITHUB_STEP_SUMMARY=summary)  # fmt: skip

    assert codes == {"Run and record the scenarios": 0, "Gate": code, "Summary": code}
    suites = parse(folder / "gate.xml").getroot()  # noqa: S314 - our own
    assert (suites.get("failures") != "0") is bool(code)
    assert (folder / "summary.md").read_text().startswith("### Gate of 5d3c1ab:")


def git(where: Path, *words: str) -> str:
    words = ("-c", "user.name=a", "-c", "user.email=a@example.com", *words)
    return subprocess.run(["git", *words], cwd=where, check=True, capture_output=True, text=True).stdout  # fmt: skip


@pytest.mark.parametrize(("recorded", "code", "releases"), [("1.1", 0, 2), ("1.2", 1, 1)])
def test_the_workflow_of_a_release_accepts_and_pushes_only_what_did_not_fail(
    folder, tmp_path, recorded, code, releases
):
    assert run(ACCEPT, folder)[0] == 0
    git(tmp_path, "init", "--bare", "-b", "main", "far.git")
    git(folder, "init", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "all")
    git(folder, "push", "-u", str(tmp_path / "far.git"), "main")

    codes = act("accept", folder, recorded=recorded, GITHUB_REF_NAME=recorded)

    assert codes == {"Run and record the scenarios": 0, "Accept": code} | ({} if code else {"Keep": 0})  # fmt: skip
    kept = json.loads(git(tmp_path / "far.git", "show", "main:gate.json"))
    assert [one["release"] for one in kept["releases"]] == ["1.0", recorded][:releases]


@pytest.mark.parametrize("job", ["gate", "accept"])
def test_the_workflows_install_what_the_command_needs(job):
    assert "pip install 'toolscore-otel[cli]'" in [step.get("run") for step in steps(job)]


def test_the_workflow_keeps_what_it_wrote():
    (upload,) = [step for step in steps("gate") if "upload-artifact" in step.get("uses", "")]
    assert upload["with"]["path"] == "gate.xml"
