"""A finding as a log record of the GenAI conventions: `gen_ai.evaluation.result`.

Pure: what comes out is handed to a logger (`sdk`) or written as bytes (`server`).

Source:
    OpenTelemetry GenAI semantic conventions, "Event: gen_ai.evaluation.result".
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from toolscore_otel.model import ClosedBy, Finding, Label, Severity

EVENT = "gen_ai.evaluation.result"
"""Name of the event."""

AttributeValue = str | int | float | bool

SEVERITY_NUMBERS: Mapping[Severity, int] = {
    Severity.INFO: 9,
    Severity.WARNING: 13,
    Severity.ERROR: 17,
    Severity.CRITICAL: 21,
}
"""Of OTLP."""

_VALUES = {Label.PASS: 1.0, Label.FAIL: 0.0}


class LogEvent(Struct, frozen=True, kw_only=True):
    """A log record that is yet to be written.

    Attributes:
        trace_id: of the span it is parented to, 32 hex digits; empty where there is none.
        span_id: None where the finding is about the trajectory as a whole.
        severity_number: of OTLP: 9, 13, 17 or 21.
        severity_text: the severity's name.
    """

    name: str
    trace_id: str
    span_id: str | None
    severity_number: int
    severity_text: str
    attributes: Mapping[str, AttributeValue]


def log_event(
    finding: Finding, *, contract_hash: str | None = None, closed_by: ClosedBy | None = None
) -> LogEvent:
    """The record of a finding, or of its correction.

    Args:
        finding: in any revision.
        contract_hash: of its contract, where known.
        closed_by: why its trajectory was closed, where the finding was made then.
    """
    severity = Severity.INFO if finding.label is Label.PASS else finding.severity
    return LogEvent(
        name=EVENT,
        trace_id=finding.trace_id,
        span_id=finding.span_id,
        severity_number=SEVERITY_NUMBERS[severity],
        severity_text=severity.upper(),
        attributes=attributes_of(finding, contract_hash=contract_hash, closed_by=closed_by),
    )


def attributes_of(
    finding: Finding, *, contract_hash: str | None = None, closed_by: ClosedBy | None = None
) -> dict[str, AttributeValue]:
    """The attributes that every form of a finding carries; what is not known is left out."""
    known: dict[str, AttributeValue | None] = {
        "gen_ai.evaluation.name": name_of(finding),
        "gen_ai.evaluation.score.label": finding.label.value,
        "gen_ai.evaluation.score.value": _VALUES.get(finding.label),
        "gen_ai.evaluation.explanation": finding.explanation,
        "toolscore.finding.id": finding.id,
        "toolscore.rule.id": finding.rule,
        "toolscore.rule.kind": finding.kind.value,
        "toolscore.severity": finding.severity.value,
        "toolscore.contract.id": finding.contract or None,
        "toolscore.contract.hash": contract_hash,
        "toolscore.contract.version": finding.contract_version,
        "toolscore.runbook": finding.runbook,
        "toolscore.revision": finding.revision,
        "toolscore.count": finding.count,
        "toolscore.shadow": finding.shadow,
        "toolscore.close.reason": closed_by.value if closed_by else None,
        "gen_ai.tool.name": finding.tool,
        "gen_ai.tool.call.id": finding.call_id,
        "gen_ai.agent.name": finding.agent,
        "gen_ai.conversation.id": finding.conversation_id,
        "toolscore.argument.path": finding.path,
        "toolscore.stage": finding.stage.value if finding.stage else None,
        "toolscore.secret.kind": finding.secret_kind,
        "toolscore.secret.fingerprint": finding.fingerprint,
    }
    told = {name: value for name, value in known.items() if value is not None}
    return told | {f"toolscore.label.{key}": value for key, value in finding.labels.items()}


def name_of(finding: Finding) -> str:
    """Contract and rule; the rule alone where no contract stands behind it."""
    return f"{finding.contract}/{finding.rule}" if finding.contract else finding.rule
