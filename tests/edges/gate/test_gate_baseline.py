"""The file of baselines: what is accepted into it, and how it is written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.edges.gate.desk import RIGHT, WRONG, places
from toolscore_otel.cli.exits import Exit
from toolscore_otel.errors import ConfigError
from toolscore_otel.testing.made import make_span
from toolscore_otel.wire.write_json import to_otlp_json


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
