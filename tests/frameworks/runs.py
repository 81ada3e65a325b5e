"""A page's program, run once: its spans as they arrived, what it printed, and what really happened."""

from __future__ import annotations

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.frameworks.page import PROGRAM, Command, Page
from toolscore_otel import Report, Span, ToolCall, read_file, score
from toolscore_otel.model import CallKind, Stage

DRIVER = Path(__file__).parent / "scripts" / "drive.py"
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
NO_KEYS = {"ANTHROPIC_API_KEY": "none", "GOOGLE_API_KEY": "none", "OPENAI_API_KEY": "none"}
KEPT = ("LANG", "LC_ALL", "PATH", "TMPDIR")
"""Of our own environment. Proxies and OTEL_* settings of the machine must not reach a framework."""


@dataclass(frozen=True)
class Ran:
    """One call as the tool itself saw it.

    Attributes:
        result: None where it failed.
        error: None where it did not.
        found: the rules that stood broken when it ran, by the package attached in the same process.
    """

    tool: str
    args: dict[str, Any]
    at_ns: int
    result: str | None
    error: str | None
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
        token: a fake credential among arguments and results.
        raw: the telemetry as text.
        redacted: the same as our exporter hands it on, where a contract redacts secrets.
        printed: by the program.
        findings: of the package attached in the same process, as text.
    """

    spans: tuple[Span, ...]
    ran: tuple[Ran, ...]
    found: dict[str, str]
    errors: int
    refused: tuple[str, ...]
    texts: dict[str, str]
    token: str
    raw: str
    redacted: str
    printed: str
    findings: str

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


def run(python: Path, page: Page, command: Command, folder: Path) -> Run:
    """Run a page's program in an environment of its own, by one of the page's commands."""
    folder.mkdir()
    for name, text in page.files.items():
        (folder / name).write_text(text)
    kept = {key: os.environ[key] for key in KEPT if key in os.environ}
    done = subprocess.run(
        [python, DRIVER, PROGRAM],
        cwd=folder,
        env=kept
        | {"HOME": str(folder), "PYTHONPATH": str(ROOT), "OTEL_SERVICE_NAME": "support-desk"}
        | NO_REPORTS_TO_VENDORS
        | NO_KEYS
        | command.variables,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads((folder / "truth.json").read_text())
    ran = tuple(Ran(**one) for one in told["ran"])
    assert len(ran) == 3, f"cut short: {done.stdout}{done.stderr}"
    _, deleted, failed = ran
    return Run(
        spans=tuple(one for one in read_file(folder / "spans.jsonl") if isinstance(one, Span)),
        ran=ran,
        found=told["found"],
        errors=told["errors"],
        refused=tuple(told["refused"]),
        texts=told["texts"]
        | {
            "arguments": deleted.args["reason"],
            "results": deleted.result,
            "error text": failed.error,
        },
        token=told["token"],
        raw=(folder / "spans.jsonl").read_text(),
        redacted=(folder / "redacted.jsonl").read_text(),
        printed=done.stdout,
        findings=told["findings"],
    )


def run_all(python: Path, page: Page, folder: Path) -> dict[str, Run]:
    """The runs by each command of a page, at once, by the words for the commands."""
    with ThreadPoolExecutor() as pool:
        started = {
            word: pool.submit(run, python, page, command, folder / str(number))
            for number, (word, command) in enumerate(page.commands.items())
        }
        return {word: future.result() for word, future in started.items()}
