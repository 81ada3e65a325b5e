"""What `toolscore-otel gate` refuses to compare, and what it leaves out."""

from __future__ import annotations

import pytest

from tests.edges.gate.desk import CONTRACT, RIGHT, WRONG
from toolscore_otel.cli.exits import Exit
from toolscore_otel.contracts import load
from toolscore_otel.gate import whole_fingerprint_of
from toolscore_otel.gate.expectations import fingerprint_of


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


def test_a_contract_in_shadow_gives_no_scores(place):
    place.contract(CONTRACT + "shadow: true\n")
    result = place.gate(place.record("a.jsonl", RIGHT), "--release", "1")

    assert result.return_value == Exit.NOT_JUDGED
    assert "no run has a score" in result.stderr


FRESH = "  - {when: {scenario: fresh}, calls: [{tool: lookup}]}\n"


@pytest.mark.parametrize(("tool", "ends"), [(RIGHT, Exit.PASS), (WRONG, Exit.FINDINGS)])
def test_a_rule_for_a_new_scenario_blocks_no_other(place, tool, ends):
    place.accept("1", place.record("a.jsonl", *[RIGHT] * 20))
    place.contract(CONTRACT + FRESH + "tools: {lookup: {cost_usd: 0.1}}\n")
    files = place.record("b.jsonl", *[tool] * 20), place.record("c.jsonl", RIGHT, scenario="fresh")
    assert place.gate(*files, "--release", "2").return_value == ends


def test_a_scenario_of_which_something_else_is_expected_is_told_and_the_others_are_judged(place):
    rule = "  - {when: {scenario: other}, calls: [{tool: %s}], order: superset}\n"
    place.contract(CONTRACT + rule % "lookup")
    old = [place.record("a.jsonl", *[RIGHT] * 20), place.record("b.jsonl", RIGHT, scenario="other")]
    place.accept("1", *old)
    place.contract(CONTRACT + rule % "search")
    other = place.record("d.jsonl", RIGHT, scenario="other")
    good = place.gate(place.record("c.jsonl", *[RIGHT] * 20), other, "--release", "2")
    bad = place.gate(place.record("c.jsonl", *[WRONG] * 20), other, "--release", "2")

    assert (good.return_value, bad.return_value) == (Exit.PASS, Exit.FINDINGS)
    assert (
        "notice: not compared, since the contract expects something else of it now: `desk`, model `m1`, scenario `other`"
        in " ".join(good.stderr.split())
    )
    assert place.gate(other, "--release", "2").return_value == Exit.NOT_JUDGED


def test_a_store_with_one_fingerprint_for_the_whole_contract_is_still_compared(place):
    place.accept("1", place.record("a.jsonl", *[RIGHT] * 20))
    (contract,) = load([str(place.folder / "desk.yaml")])
    text = place.baseline.read_text()
    now = fingerprint_of(contract, "refund")
    assert now in text
    place.baseline.write_text(text.replace(now, whole_fingerprint_of(contract)))

    result = place.gate(place.record("b.jsonl", *[WRONG] * 20), "--release", "2")
    assert result.return_value == Exit.FINDINGS


def test_a_release_of_the_same_name_as_the_only_one_is_compared_with_it(place):
    place.accept("main", place.record("a.jsonl", *[RIGHT] * 20))
    result = place.gate(place.record("b.jsonl", *[WRONG] * 20), "--release", "main")

    assert result.return_value == Exit.FINDINGS
    assert "first gate" not in result.stderr
    assert "against main" in result.stdout


def test_a_model_that_is_gone_is_a_notice_however_long_ago_it_was_there(place):
    both = place.record("a.jsonl", RIGHT), place.record("b.jsonl", RIGHT, model="m2")
    place.accept("1", *both)
    place.accept("2", place.record("c.jsonl", RIGHT))
    result = place.gate(place.record("d.jsonl", RIGHT), "--release", "3")

    assert result.return_value == Exit.PASS
    assert (
        "notice: releases before have it, and there is no run of it now: `desk`, model `m2`"
        in " ".join(result.stderr.split())
    )
    assert "release `1` has runs of it, and there is none now" in " ".join(result.stdout.split())
