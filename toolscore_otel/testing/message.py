"""What a failed assertion says: what was wrong, on which call, and what was called around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from toolscore_otel.contracts import Contract
from toolscore_otel.contracts.secret_patterns import scanner_of
from toolscore_otel.errors import clip
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.model import ContentState, Finding, Json, Label, Stage, Status, ToolCall
from toolscore_otel.secrets import Scanner, redact_json, redact_text

CALLS = 30
"""How many calls are listed; of more, those around what was wrong."""

ARGUMENTS = 60
"""Longest list of arguments that is shown, in characters."""


def message(
    contracts: Sequence[Contract],
    wrong: Sequence[Finding],
    findings: Sequence[Finding],
    calls: Sequence[ToolCall],
    *,
    judged: bool = True,
) -> str:
    """The text of a failed assertion. Secrets are redacted.

    Args:
        contracts: that were held against it.
        wrong: what makes it fail.
        findings: all there are.
        calls: what was called, in order.
        judged: whether there was anything to judge.
    """
    scanner = scanner_of(contracts)
    names = ", ".join(f"`{contract.id}`" for contract in contracts)
    lines = [_headline(names, wrong, calls, judged=judged), ""]
    for finding in wrong:
        lines += _finding(finding)
    if calls:
        lines += [*_calls(calls, wrong, scanner), ""]
    unseen = [f for f in findings if f.label is Label.CANNOT_CHECK and f not in wrong]
    if unseen:
        lines.append("could not be checked")
        lines += [f"  {f.rule}: {f.explanation}" for f in unseen]
    return "\n".join(lines).rstrip()


def _headline(
    names: str, wrong: Sequence[Finding], calls: Sequence[ToolCall], *, judged: bool
) -> str:
    if judged:
        some = "1 finding" if len(wrong) == 1 else f"{len(wrong)} findings"
        return f"{names} does not hold: {some}"
    if not calls:
        return (
            f"{names} was not judged: no tool call, and no span of an agent or a model, was given"
        )
    return f"{names} was not judged: it applies to none of these calls (`applies_to`)"


def _finding(finding: Finding) -> Iterator[str]:
    kind = finding.kind.replace("_", " ")
    label = "  could not be checked" if finding.label is Label.CANNOT_CHECK else ""
    yield f"  {finding.severity.upper()}  {finding.rule}  {kind}{label}"
    yield f"    {finding.explanation}"
    if finding.runbook:
        yield f"    what to do: {finding.runbook}"
    yield ""


def _calls(calls: Sequence[ToolCall], wrong: Sequence[Finding], scanner: Scanner) -> Iterator[str]:
    marks = [_rules_on(call, wrong) for call in calls]
    shown = _shown([bool(mark) for mark in marks])
    texts = {at: _call(calls[at], scanner) for at in shown}
    width = max(len(text) for text in texts.values())
    yield "what was called"
    last = -1
    for at in shown:
        if at != last + 1:
            yield "       ..."
        pointer = ">" if marks[at] else " "
        line = f"{pointer} {at + 1:>4}  {texts[at]:<{width}}  {_outcome(calls[at])}"
        yield f"{line:<{width + 20}}  {marks[at]}".rstrip()
        last = at
    if last != len(calls) - 1:
        yield "       ..."


def _shown(marked: Sequence[bool]) -> list[int]:
    """Which calls are listed: all where they are few, else those near what was wrong, else the first."""
    if len(marked) <= CALLS:
        return list(range(len(marked)))
    near = [at for at in range(len(marked)) if any(marked[max(0, at - 2) : at + 3])] or list(
        range(len(marked))
    )
    return near[:CALLS]


def _rules_on(call: ToolCall, wrong: Sequence[Finding]) -> str:
    rules = [f.rule for f in wrong if _sits_on(f, call)]
    return ", ".join(dict.fromkeys(rules))


def _sits_on(finding: Finding, call: ToolCall) -> bool:
    if finding.call_id is not None or call.call_id is not None:
        same = finding.call_id == call.call_id
    elif finding.span_id is not None:
        same = finding.span_id == call.span_id
    else:
        same = finding.tool is not None and finding.tool in (call.tool, call.recorded_name)
    return same and finding.trace_id == call.trace_id


def _call(call: ToolCall, scanner: Scanner) -> str:
    return f"{redact_text(call.tool, scanner)}({clip(_arguments(call, scanner), ARGUMENTS)})"


def _arguments(call: ToolCall, scanner: Scanner) -> str:
    if call.args_state is not ContentState.OBSERVED:
        text = call.args_text
        return "?" if text is None else redact_text(text, scanner, cut=True)
    args: Json = redact_json(call.args, scanner)
    if is_mapping(args):
        return ", ".join(f"{key}={_json(value)}" for key, value in args.items())
    return _json(args)


def _json(value: Json) -> str:
    return msgspec.json.encode(value).decode()


def _outcome(call: ToolCall) -> str:
    if call.stage is Stage.REQUESTED:
        return "not seen to run"
    status = "?" if call.status is Status.UNKNOWN else call.status.value
    took = "" if call.duration_s is None else f" {call.duration_s:.2f} s"
    return f"{status}{took}"
