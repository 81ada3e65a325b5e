"""The state's files as a disk, a crash or another process leaves them."""

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.server.state_made import (
    KEY,
    TRACE,
    Inside,
    agent_span,
    contract_of,
    deliver_all,
    findings_of,
    tool_span,
)
from toolscore_otel.errors import StateError
from toolscore_otel.server.state import State
from toolscore_otel.server.state_file import VERSION

RULES = contract_of(forbid=[{"tool": "rm"}])
ROOT = Path(__file__).parents[3]


def written(folder: Path) -> Path:
    """A state with many traces; returns its file."""
    inside = Inside(folder, RULES)
    for number in range(1, 60):
        inside.feed(tool_span(2, "rm", {"text": "x" * 500}, trace=f"{number:032x}"))
    inside.state.close()
    return folder / "state.db"


def test_a_state_can_be_opened_again(tmp_path):
    written(tmp_path)
    inside = Inside(tmp_path, RULES)
    assert (len(inside.judging.engine.open_traces()), inside.said) == (59, [])


def test_the_state_is_readable_by_its_user_alone(tmp_path):
    file = written(tmp_path / "new" / "folder")
    assert (file.parent.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)


def test_a_newer_state_is_left_alone(tmp_path):
    file = written(tmp_path)
    database = sqlite3.connect(file)
    database.execute(f"PRAGMA user_version = {VERSION + 1}")
    database.close()
    before = file.read_bytes()
    with pytest.raises(StateError, match=r"newer version of toolscore-otel .* install that"):
        State(tmp_path, KEY)
    assert before == file.read_bytes()


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_state_that_is_cut_short_is_an_error(tmp_path, share):
    file = written(tmp_path)
    os.truncate(file, int(file.stat().st_size * share))
    with pytest.raises(StateError, match="cut short; put back a copy, or move the file away"):
        State(tmp_path, KEY)


@pytest.mark.parametrize("data", [b"no database", b"SQLite format 3\x00" + b"\x07" * 5000])
def test_what_is_no_database_is_an_error(tmp_path, data):
    (tmp_path / "state.db").write_bytes(data)
    with pytest.raises(StateError, match="put back a copy, or move the file away"):
        State(tmp_path, KEY)


def test_a_database_of_another_program_is_an_error(tmp_path):
    database = sqlite3.connect(tmp_path / "state.db")
    database.execute("CREATE TABLE things (name)")
    database.close()
    with pytest.raises(StateError, match="database of another program"):
        State(tmp_path, KEY)


def test_pages_that_were_overwritten_are_an_error_and_no_crash(tmp_path):
    file = written(tmp_path)
    size = file.stat().st_size
    with file.open("r+b") as stream:
        stream.seek(4096)
        stream.write(b"\xff" * (size - 4096))
    with pytest.raises(StateError, match="put back a copy, or move the file away"):
        Inside(tmp_path, RULES)


def test_one_process_at_a_time(tmp_path):
    first = State(tmp_path, KEY)
    with pytest.raises(StateError, match="in use by another process; stop that one"):
        State(tmp_path, KEY)
    first.close()
    State(tmp_path, KEY).close()


def test_another_process_is_kept_out(tmp_path):
    first = State(tmp_path, KEY)
    code = f"from pathlib import Path; from toolscore_otel.server.state import State; State(Path({str(tmp_path)!r}))"
    other = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT
    )
    first.close()
    assert "in use by another process" in other.stderr


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StateError, match=r"cannot be opened: .*name another `state_dir`"):
        State(tmp_path / "file" / "state", KEY)


def test_a_log_that_was_cut_costs_its_last_commit_alone(tmp_path):
    inside = Inside(tmp_path / "live", RULES)
    inside.feed(tool_span(2, "rm", trace=TRACE))
    inside.feed(tool_span(2, "rm", trace="2".zfill(32)))
    copy = tmp_path / "copy"
    copy.mkdir()
    for file in (tmp_path / "live").iterdir():
        data = file.read_bytes()
        (copy / file.name).write_bytes(data[:-100] if file.suffix.endswith("-wal") else data)
    inside.state.close()
    assert Inside(copy, RULES).judging.engine.open_traces() == (TRACE,)


KILLED = f"""
import os, signal
from pathlib import Path
from tests.unit.server.state_made import *
inside = Inside(Path({{folder!r}}), contract_of(forbid=[{{{{"tool": "rm"}}}}]))
inside.feed(tool_span(2, "rm", parent=1))
late = agent_span(1)
inside.judging.take(late.trace_id, [Arrived(Place.of_span(late), read(late))], inside.now)
os.kill(os.getpid(), signal.{signal.SIGKILL.name})
"""


def test_what_was_acknowledged_outlives_a_kill(tmp_path):
    code = KILLED.format(folder=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", code], check=False, cwd=ROOT)
    assert done.returncode == -signal.SIGKILL
    inside = Inside(tmp_path, RULES)
    assert [found.tool for found in findings_of(deliver_all(inside.state))] == ["rm"]
    inside.feed(agent_span(1))
    assert [finding.agent for finding in inside.said] == ["desk"]
    assert inside.feed(tool_span(2, "rm", parent=1)) == []
