"""The kinds of secrets that contracts describe themselves, gathered for whatever of ours leaves."""

from __future__ import annotations

from collections.abc import Iterable

from toolscore_otel.contracts.contract import Contract
from toolscore_otel.rules.secrets import Secrets
from toolscore_otel.secrets import Scanner


def patterns_of(contracts: Iterable[Contract]) -> list[tuple[tuple[str, str], ...]]:
    """Names and regexes, rule by rule, as the scanners of the rules are given them."""
    return [
        tuple((pattern.name, pattern.regex) for pattern in rule.record.patterns)
        for contract in contracts
        for rule in contract.rules
        if isinstance(rule.record, Secrets) and rule.record.patterns
    ]


def scanner_of(contracts: Iterable[Contract]) -> Scanner:
    """A scanner of every known kind of secret, and of the kinds that these contracts describe themselves."""
    described = {regex: name for rule in patterns_of(contracts) for name, regex in rule}
    names: set[str] = set()
    patterns: list[tuple[str, str]] = []
    for number, (regex, name) in enumerate(described.items()):
        only = name if name not in names else f"{name}-{number}"
        names.add(only)
        patterns.append((only, regex))
    return Scanner(patterns=patterns)
