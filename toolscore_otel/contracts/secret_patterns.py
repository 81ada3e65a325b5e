"""The kinds of secrets that contracts describe themselves, gathered for whatever of ours leaves."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import structs

from toolscore_otel.contracts.contract import Contract
from toolscore_otel.rules.secrets import Secrets
from toolscore_otel.secrets import Scanner
from toolscore_otel.secrets.patterns import OwnPattern


def patterns_of(contracts: Iterable[Contract]) -> list[tuple[OwnPattern, ...]]:
    """Rule by rule, as the scanners of the rules are given them."""
    return [
        own
        for contract in contracts
        for rule in contract.rules
        if isinstance(rule.record, Secrets) and (own := rule.record.own_patterns())
    ]


def scanner_of(contracts: Iterable[Contract]) -> Scanner:
    """A scanner of every known kind of secret, and of the kinds that these contracts describe themselves."""
    described = {
        structs.replace(own, name=""): own.name for r in patterns_of(contracts) for own in r
    }
    names: set[str] = set()
    patterns: list[OwnPattern] = []
    for number, (own, name) in enumerate(described.items()):
        only = name if name not in names else f"{name[:56]}-{number}"
        names.add(only)
        patterns.append(structs.replace(own, name=only))
    return Scanner(patterns=patterns)
