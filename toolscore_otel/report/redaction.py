"""Calls without their secrets: what every output of ours shows."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import structs

from toolscore_otel.contracts import Contract
from toolscore_otel.model import ContentState, ToolCall
from toolscore_otel.rules.secrets import Secrets
from toolscore_otel.secrets import Scanner, redact_json, redact_text


def scanner_of(contracts: Iterable[Contract]) -> Scanner:
    """A scanner of every known kind of secret, and of the kinds that these contracts describe themselves."""
    described = {
        pattern.regex: pattern.name
        for contract in contracts
        for rule in contract.rules
        if isinstance(rule.record, Secrets)
        for pattern in rule.record.patterns
    }
    names: set[str] = set()
    patterns: list[tuple[str, str]] = []
    for number, (regex, name) in enumerate(described.items()):
        only = name if name not in names else f"{name}-{number}"
        names.add(only)
        patterns.append((only, regex))
    return Scanner(patterns=patterns)


def redacted(call: ToolCall, scanner: Scanner) -> ToolCall:
    """The same call with every secret replaced by `[REDACTED:kind]`."""
    changes: dict[str, object] = {}
    if call.args_state is ContentState.OBSERVED:
        changes["args"] = redact_json(call.args, scanner)
    if call.result_state is ContentState.OBSERVED:
        changes["result"] = redact_json(call.result, scanner)
    for name, state in (
        ("args_text", call.args_state),
        ("result_text", call.result_state),
        ("error_message", None),
    ):
        if (text := getattr(call, name)) is not None:
            changes[name] = redact_text(text, scanner, cut=state is ContentState.TRUNCATED)
    return structs.replace(call, **changes)
