"""One framework, run once: its spans as they arrived, and what really happened."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolscore_otel import Report, Span, ToolCall, read_file, score
from toolscore_otel.model import CallKind, Stage

SCRIPTS = Path(__file__).parent / "scripts"
ROOT = Path(__file__).parent.parent.parent

NO_REPORTS_TO_VENDORS = {
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_DISABLE_VERSION_CHECK": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "DO_NOT_TRACK": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_OFFLINE": "1",
    "LANGSMITH_TRACING": "false",
}
KEPT = ("LANG", "LC_ALL", "PATH", "TMPDIR")
"""Of our own environment. Proxies and OTEL_* settings of the machine must not reach a framework."""


@dataclass(frozen=True)
class Ran:
    """One call as the tool itself saw it.

    Attributes:
        result: None where it failed.
        found: the rules that stood broken when it ran, by the package attached in the same process.
    """

    tool: str
    args: dict[str, Any]
    at_ns: int
    result: str | None
    found: list[str]


@dataclass(frozen=True)
class Run:
    """What one run left.

    Attributes:
        spans: in order of arrival.
        ran: in order.
        found: rule -> label in the end, by the package attached in the same process.
        errors: what went wrong inside it, and was kept from the application.
        refused: hosts beyond this machine that it tried to reach.
        texts: what must not leave a careful house, by what it is: instructions, question, arguments, results, error text.
        raw: the telemetry as text.
    """

    spans: tuple[Span, ...]
    ran: tuple[Ran, ...]
    found: dict[str, str]
    errors: int
    refused: tuple[str, ...]
    texts: dict[str, str]
    raw: str

    @property
    def report(self) -> Report:
        """All spans, held against nothing."""
        return score(self.spans, ())

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls of tools that ran, rebuilt, over all traces in order."""
        found = (call for trajectory in self.report.trajectories for call in trajectory.calls)
        return tuple(
            call
            for call in sorted(found, key=lambda call: call.start_ns or 0)
            if call.kind is CallKind.TOOL and call.stage is Stage.EXECUTED
        )


def run(python: Path, name: str, variables: Mapping[str, str], folder: Path) -> Run:
    """Run a framework's script in an environment of its own, with these variables."""
    folder.mkdir()
    spans, truth = folder / "spans.jsonl", folder / "truth.json"
    kept = {key: os.environ[key] for key in KEPT if key in os.environ}
    done = subprocess.run(
        [python, SCRIPTS / f"run_{name}.py", spans, truth],
        cwd=folder,
        env=kept
        | {"HOME": str(folder), "PYTHONPATH": str(ROOT)}
        | NO_REPORTS_TO_VENDORS
        | dict(variables),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(truth.read_text())
    assert len(told["ran"]) == 3, f"cut short by {told['ended_by']}: {done.stderr}"
    return Run(
        spans=tuple(span for span in read_file(spans) if isinstance(span, Span)),
        ran=tuple(Ran(**one) for one in told["ran"]),
        found=told["found"],
        errors=told["errors"],
        refused=tuple(told["refused"]),
        texts=told["texts"],
        raw=spans.read_text(),
    )
