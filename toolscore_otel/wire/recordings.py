"""Which files belong to one recording."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def recording_name(path: str | Path) -> str:
    """The file name up to its first dot: `refund` for `runs/refund.logs.jsonl`, `.x` for `.x.jsonl`."""
    name = Path(path).name
    return name[:1] + name[1:].partition(".")[0]


def group_recordings(paths: Iterable[str | Path]) -> dict[str, list[Path]]:
    """Recording name -> its files, both in the order in which they were first named."""
    recordings: dict[str, list[Path]] = {}
    for path in paths:
        recordings.setdefault(recording_name(path), []).append(Path(path))
    return recordings
