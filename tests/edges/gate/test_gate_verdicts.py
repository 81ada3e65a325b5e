"""`toolscore-otel gate` on files: what fails, passes and is left open."""

from __future__ import annotations

import json

import pytest
from msgspec import structs

from tests.edges.gate.desk import CONTRACT, RIGHT, WRONG, said
from toolscore_otel.cli.exits import Exit
from toolscore_otel.errors import ConfigError
from toolscore_otel.model import Span
from toolscore_otel.testing.made import make_span
from toolscore_otel.wire.write_json import to_otlp_json


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
    assert "the gate is inconclusive: no drop seen; 228 runs of each side" in result.stderr
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
