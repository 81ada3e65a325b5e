"""A finding as plain data, the same wherever it is written as JSON. What is not known is null."""

from __future__ import annotations

import msgspec

from toolscore_otel.model import Finding, Json

FINDING = (
    "id",
    "rule",
    "kind",
    "severity",
    "contract",
    "scope",
    "trace_id",
    "conversation_id",
    "span_id",
    "call_id",
    "tool",
    "agent",
    "service",
    "environment",
    "path",
    "label",
    "count",
    "first",
    "last",
    "stage",
    "shadow",
    "secret_kind",
    "fingerprint",
    "contract_version",
    "labels",
    "runbook",
    "explanation",
    "revision",
)
"""Keys of a finding, in order."""


def finding_object(finding: Finding) -> dict[str, Json]:
    """A finding in any revision."""
    told = {key: getattr(finding, key) for key in FINDING}
    built: dict[str, Json] = msgspec.to_builtins(told | {"trace_id": finding.trace_id or None})
    return built
