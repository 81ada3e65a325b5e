"""Recordings of canaries, in every form, and a contract that looks everywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.edges.canaries import planted
from tests.edges.canaries.canary import CONTRACT
from tests.parts.fixtures import otelcol, start
from toolscore_otel.wire.json_to_proto import json_to_proto

__all__ = ["otelcol", "start"]


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with them."""
    folder = tmp_path_factory.mktemp("canary")
    spans, logs = (json.dumps(request) for request in planted.requests())
    (folder / "made.jsonl").write_text(f"{spans}\n{logs}\n")
    (folder / "whole.json").write_text(spans)
    (folder / "traces.pb").write_bytes(json_to_proto(spans.encode(), "traces"))
    (folder / "logs.pb").write_bytes(json_to_proto(logs.encode(), "logs"))
    recorded = [json.dumps(one) for lines in planted.recorded().values() for one in lines]
    (folder / "recorded.jsonl").write_text("\n".join(recorded))
    (folder / "contract.json").write_text(json.dumps(CONTRACT))
    return folder
