"""What `toolscore-otel gate` prints, and how it ends."""

from __future__ import annotations

import subprocess
import sys
from xml.etree.ElementTree import fromstring

import pytest

from tests.edges.gate.desk import CONTRACT, FORMATS, RIGHT, WRONG, said
from toolscore_otel.cli.exits import Exit
from toolscore_otel.secrets.samples import make_sample


@pytest.mark.parametrize("form", FORMATS)
def test_findings_of_other_rules_fail_as_they_do_anywhere(place, form):
    place.contract(CONTRACT + "forbid: [search]\n")
    words = (place.record("a.jsonl", WRONG), "--release", "1", "--format", form)

    result = place.gate(*words)
    assert result.return_value == Exit.FINDINGS
    assert "forbid.1" in result.stdout
    assert place.gate(*words, "--fail-on", "critical").return_value == Exit.PASS


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_ends_alike_and_shows_no_secret(place, form):
    secret = make_sample("github_token_classic", 3)
    scenario = f"half a sign \ud800 {secret}"
    place.accept("1", place.record("a.jsonl", *[RIGHT] * 20, scenario=scenario, model=secret))
    file = place.record("b.jsonl", *[WRONG] * 20, scenario=scenario, model=secret)
    other = place.record("c.jsonl", WRONG, scenario=f"new {secret}", model=secret)
    result = place.gate(file, other, "--release", f"2 {secret}", "--format", form)

    assert result.return_value == Exit.FINDINGS
    assert "REDACTED" in result.stdout
    for text in (result.output, place.baseline.read_text()):
        assert secret[8:20] not in text


def test_json_has_it_all(place):
    place.accept("1", place.record("a.jsonl", *[RIGHT] * 20))
    found = said(place.gate(place.record("b.jsonl", *[WRONG] * 20), "--release", "2", "--format", "json"))  # fmt: skip

    assert list(found) == ["release", "verdict", "max_drop", "max_rise", "told_apart", "level", "level_of_high", "comparisons", "not_compared", "refused", "findings"]  # fmt: skip
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


def test_the_name_of_a_release_is_kept_without_its_secret(place):
    secret = make_sample("github_token_classic", 3)
    words = (place.record("a.jsonl", RIGHT), "--release", f"of {secret}")
    result = place.gate(*words, "--accept")

    assert "Gate of of [REDACTED" in result.stdout
    for text in (result.output, place.baseline.read_text()):
        assert secret[8:20] not in text
    assert "first gate" not in place.gate(*words).stderr
