"""Recordings of a desk, a contract and a baseline in a folder, and the command on them."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random  # noqa: TID251 - seeded
from typing import Any

from click.testing import CliRunner, Result

from toolscore_otel.cli.commands import cli
from toolscore_otel.model import Span
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


def said(result: Result) -> Any:
    return json.loads(result.stdout)


def places(file: Path) -> set[tuple[str, ...]]:
    return {
        (release["release"], entry["model"], entry["scenario"], run["run"])
        for release in json.loads(file.read_text())["releases"]
        for entry in release["entries"]
        for run in entry["runs"]
    }
