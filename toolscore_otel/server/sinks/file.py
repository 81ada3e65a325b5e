"""Findings and scores to a file: one OTLP/JSON log export a line, as the Collector's file exporter writes and its receiver reads."""

from __future__ import annotations

import os
from collections.abc import Sequence
from errno import ENOSPC
from pathlib import Path

import msgspec

from toolscore_otel.server.deliveries import Delivery
from toolscore_otel.server.reply import OK, Outcome, Reply
from toolscore_otel.server.sinks.records import log_record_of
from toolscore_otel.wire.write_json import to_otlp_json


class FindingsFile:
    """A file that is appended to. It is opened for each batch, so that it can be moved away at any time.

    Args:
        path: made where there is none, readable by this user only; its folder must be there.
    """

    name = "file"

    def __init__(self, path: Path) -> None:
        self._path = path

    def send(self, deliveries: Sequence[Delivery]) -> Reply:
        """Append one line."""
        line = msgspec.json.encode(to_otlp_json(map(log_record_of, deliveries))) + b"\n"
        try:
            self._append(line)
        except OSError as error:
            reason = (error.strerror or type(error).__name__).lower()
            return Reply(
                outcome=Outcome.RETRY, message=f"`{self._path}` cannot be written: {reason}"
            )
        return OK

    def close(self) -> None:
        """Nothing is open."""

    def _append(self, line: bytes) -> None:
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            end = os.fstat(file).st_size
            if end and os.pread(file, 1, end - 1) != b"\n":
                line = b"\n" + line  # a line that was broken off stays one of its own
            if os.write(file, line) < len(line):
                os.ftruncate(file, end)
                raise OSError(ENOSPC, os.strerror(ENOSPC))
        finally:
            os.close(file)
