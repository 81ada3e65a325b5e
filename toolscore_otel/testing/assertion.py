"""`assert_contract`: an assertion about what an agent did."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from toolscore_otel.contracts import Contract, load
from toolscore_otel.engine import judge_calls, score
from toolscore_otel.model import Finding, Label, LogRecord, Severity, Span, ToolCall
from toolscore_otel.testing.message import message
from toolscore_otel.wire.sdk import SdkReader


def assert_contract(
    told: Iterable[Any],
    contract: str | Path | Contract,
    *,
    fail_on: Severity = Severity.ERROR,
    strict: bool = False,
) -> None:
    """Assert that what was done keeps a contract.

    Args:
        told: tool calls in order; or spans and log records, as `read_file` gives them or as the SDK does.
        contract: a contract, a file, a folder, or `pack:NAME`.
        fail_on: findings below this severity, and those in shadow, are no failure.
        strict: what could not be checked is a failure, too.

    Raises:
        AssertionError: with what was wrong, where, and the calls around it. Also where nothing could be judged at all:
            an assertion that looked at nothing would always hold.
        ContractError: the contract cannot be loaded.
        TypeError: neither calls nor spans.
    """
    __tracebackhide__ = True
    contracts = [contract] if isinstance(contract, Contract) else load([contract])
    calls, findings, judged = _judged(list(told), contracts)
    wrong = [finding for finding in findings if _counts(finding, fail_on, strict=strict)]
    if not judged:
        raise AssertionError(message(contracts, (), findings, calls, judged=False))
    if wrong:
        raise AssertionError(message(contracts, wrong, findings, calls))


def _judged(
    told: list[Any], contracts: Sequence[Contract]
) -> tuple[Sequence[ToolCall], Sequence[Finding], bool]:
    """Calls, findings, and whether there was anything to judge."""
    if told and all(isinstance(one, ToolCall) for one in told):
        findings = [finding for c in contracts for finding in judge_calls(c, told)]
        return told, findings, any(c.sees_call(call) for c in contracts for call in told)
    report = score(_telemetry(told), contracts)
    calls = [call for trajectory in report.trajectories for call in trajectory.calls]
    return calls, report.findings, len(report.trajectories) > report.unjudged


def _telemetry(told: Iterable[Any]) -> list[Span | LogRecord]:
    reader = SdkReader()
    found: list[Span | LogRecord] = []
    for one in told:
        if isinstance(one, Span | LogRecord):
            found.append(one)
        elif hasattr(one, "get_span_context"):
            found.append(reader.span(one))
        else:
            raise TypeError(f"neither calls nor spans: {type(one).__name__} among them")
    return found


def _counts(finding: Finding, fail_on: Severity, *, strict: bool) -> bool:
    if finding.label is Label.CANNOT_CHECK:
        return strict and not finding.shadow
    return (
        finding.label is Label.FAIL and not finding.shadow and finding.severity.rank >= fail_on.rank
    )
