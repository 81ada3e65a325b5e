"""A bug of ours as it may stand in a log: its kind and its place. Its text may hold what senders sent."""

from __future__ import annotations

import traceback
from pathlib import Path


def told(error: BaseException) -> str:
    """The kind of an error, with file and line of where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" in {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{where}"
