"""Reports made up for what shows them."""

from typing import Any

from toolscore_otel.engine import Report, RuleOutcome
from toolscore_otel.model import Finding, FindingKind, Label, Scope, Severity, Trajectory

TRACE = "826e4fa5971e24679e6268a0ab2e212a"
HOSTILE = "<script>alert(1)</script>\"'&`|*_[x](http://e.x)#1 @me \x00\x1b[31m\ud800\u202e]]>-->"
"""What a name of a tool may hold that somebody wants to be read as something else."""


def found(rule: str, severity: Severity = Severity.ERROR, label: Label = Label.FAIL, **given: Any) -> Finding:  # fmt: skip
    """A finding of the contract `desk`."""
    known: dict[str, Any] = {
        "id": rule,
        "kind": FindingKind.FORBIDDEN_CALL,
        "contract": "desk",
        "explanation": f"what `{rule}` says",
        "trace_id": TRACE,
    } | given
    return Finding(rule=rule, severity=severity, label=label, **known)


def judged(rule: str, label: Label, *findings: str, **given: Any) -> RuleOutcome:
    """How a rule of `desk` came out."""
    known: dict[str, Any] = {"scope": Scope.TRACE, "trajectory": (TRACE, "")} | given
    return RuleOutcome(contract="desk", rule=rule, label=label, findings=findings, **known)


def report_of(*findings: Finding, **given: Any) -> Report:
    """A report of one trace."""
    given.setdefault("trajectories", (Trajectory(trace_id=TRACE),))
    return Report(findings=findings, **given)
