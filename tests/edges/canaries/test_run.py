"""`toolscore-otel run` shows nothing of a secret: in no report, line or file; what its program prints is the program's own."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.edges.canaries.canary import CONTRACT, sample, shown
from tests.parts.programs import ROOT
from toolscore_otel.secrets import KINDS

pytestmark = pytest.mark.net

OWN = sample("github_token_classic")
PROGRAM = [sys.executable, "-m", "tests.edges.canaries.leaky", OWN]


def ran(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """The command, with its own folder for temporary files."""
    (folder / "contract.json").write_text(json.dumps(CONTRACT))
    (folder / "temporary").mkdir()
    command = [sys.executable, "-m", "toolscore_otel.cli", "run", "--contracts"]
    return subprocess.run(
        [*command, str(folder / "contract.json"), *options, "--", *PROGRAM],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(folder / "temporary"), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    "options", [["--format", "json", "--scenario", OWN], ["--protocol", "grpc"]], ids=" ".join
)
def test_nothing_of_a_secret_comes_out_but_what_the_program_prints(
    tmp_path: Path, options: list[str]
) -> None:
    """The telemetry is kept as it came, for its owner alone."""
    done = ran(tmp_path, *options)
    assert done.returncode == 1
    assert done.stdout.startswith(f"mine: {OWN}\n")
    assert f"mine too: {OWN}\n" in done.stderr
    ours = (done.stdout + done.stderr).replace(OWN, "", 2)
    assert len(ours) > 1000
    assert shown(ours) == {}

    (kept,) = [file for file in (tmp_path / "temporary").rglob("*") if file.is_file()]
    assert set(shown(kept.read_text())) == set(KINDS)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    assert sorted(file.name for file in tmp_path.iterdir()) == ["contract.json", "temporary"]
