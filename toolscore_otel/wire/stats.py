"""What was read, and what could not be: counters, never exceptions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, kw_only=True)
class ReadStats:
    """Counters of one or more reads; they only grow.

    Attributes:
        spans: given out.
        logs: log records given out.
        metrics: `resourceMetrics` entries; skipped.
        unreadable: spans, log records, or the lists around them, that have another shape than OTLP's; skipped.
        unreadable_values: attributes, bodies, resources or links that were replaced by nothing: too deep, or of
            another type than their name says.
        bytes_values: values that were bytes in protobuf, and are given out as base64 text.
        repeated_keys: names in protobuf that came more than once in one list; the last value of each is given out.
        lines: of JSON that were read, without blank ones; a document over many lines counts once.
        bytes: of the file as it stands on the disk, so compressed where it is compressed.
    """

    spans: int = 0
    logs: int = 0
    metrics: int = 0
    unreadable: int = 0
    unreadable_values: int = 0
    bytes_values: int = 0
    repeated_keys: int = 0
    lines: int = 0
    bytes: int = 0
