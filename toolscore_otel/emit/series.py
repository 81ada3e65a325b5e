"""Which series of `toolscore.findings` a contract can make, known before anything happens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from toolscore_otel.contracts import Contract
from toolscore_otel.emit.points import Key, key_of
from toolscore_otel.model import Finding, FindingKind, Label, Severity
from toolscore_otel.rules import CLAUSES

KINDS: Mapping[str, tuple[FindingKind, ...]] = {
    "allow_only": (FindingKind.FORBIDDEN_CALL,),
    "forbid": (FindingKind.FORBIDDEN_CALL,),
    "require": (FindingKind.MISSING_CALL, FindingKind.LIMIT_EXCEEDED),
    "limit": (FindingKind.LIMIT_EXCEEDED,),
    "expect": (
        FindingKind.MISSING_CALL,
        FindingKind.UNEXPECTED_CALL,
        FindingKind.WRONG_ARGUMENTS,
        FindingKind.SCORE_BELOW,
        FindingKind.SCORE_ABOVE,
    ),
    "loop": (FindingKind.RETRY_LOOP,),
    "order": (FindingKind.ORDER_VIOLATED,),
    "arguments": (FindingKind.INVALID_ARGUMENTS,),
    "budget": (FindingKind.BUDGET_EXCEEDED,),
    "secrets": (FindingKind.SECRET_EXPOSED,),
}
"""Clause -> kinds of its findings."""

LOWERED = KINDS["loop"]
"""What is only a possible loop is one severity less."""


def series_of(contract: Contract) -> Iterator[Key]:
    """Every series of `toolscore.findings` that this contract can make."""
    clauses = {clause.record: clause.key for clause in CLAUSES}
    for rule in contract.rules:
        record = rule.record
        kinds = KINDS.get(clauses.get(type(record), ""), ())
        severity = record.severity or contract.severity
        lowered = severity.lowered() if kinds == LOWERED else severity
        labels = (Label.FAIL, Label.CANNOT_CHECK)
        shadows = dict.fromkeys((bool(record.shadow), bool(record.shadow) or rule.waived))
        for kind, how_bad, label, shadow in product(
            kinds, dict.fromkeys((severity, lowered)), labels, shadows
        ):
            yield key_of(
                {
                    **contract.labels,
                    "contract": contract.id,
                    "rule": record.id or "",
                    "kind": kind.value,
                    "severity": how_bad.value,
                    "label": label.value,
                    "shadow": shadow,
                }
            )


def series(finding: Finding) -> Key:
    """The series of `toolscore.findings` in which this finding counts."""
    return key_of(
        {
            **finding.labels,
            "contract": finding.contract,
            "rule": finding.rule,
            "kind": finding.kind.value,
            "severity": finding.severity.value,
            "label": finding.label.value,
            "shadow": finding.shadow,
        }
    )


COVERAGE_SERIES = key_of(
    {
        "contract": "",
        "rule": "coverage",
        "kind": FindingKind.COVERAGE_GAP.value,
        "severity": Severity.WARNING.value,
        "label": Label.FAIL.value,
        "shadow": False,
    }
)
"""Of the one rule that needs no contract."""
