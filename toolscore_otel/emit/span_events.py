"""A finding as an event on a span, named by its kind."""

from __future__ import annotations

from collections.abc import Mapping

from toolscore_otel.emit.log_events import AttributeValue, attributes_of
from toolscore_otel.model import Finding, FindingKind, Label

NAMES: Mapping[str, str] = {
    FindingKind.FORBIDDEN_CALL: "toolscore.forbidden_call",
    FindingKind.SECRET_EXPOSED: "toolscore.secret_exposed",
    FindingKind.RETRY_LOOP: "toolscore.retry_loop",
    FindingKind.BUDGET_EXCEEDED: "toolscore.budget_exceeded",
    FindingKind.LIMIT_EXCEEDED: "toolscore.limit_exceeded",
    FindingKind.INVALID_ARGUMENTS: "toolscore.invalid_arguments",
}
"""Kind -> event. The other kinds are decided when a trajectory closes, after its spans have gone out."""


def span_event(
    finding: Finding, *, contract_hash: str | None = None
) -> tuple[str, dict[str, AttributeValue]] | None:
    """The name and the attributes of a finding's event.

    Args:
        finding: in any revision.
        contract_hash: of its contract, where known.

    Returns:
        None for a finding that makes no event: one that does not stand at `fail`, or of a kind that is not decided
        while spans go out.
    """
    name = NAMES.get(finding.kind)
    if name is None or finding.label is not Label.FAIL:
        return None
    return name, attributes_of(finding, contract_hash=contract_hash)
