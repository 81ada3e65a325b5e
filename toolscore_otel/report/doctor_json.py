"""A diagnosis as one JSON object: what `doctor --format json` writes. What is not known is null."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from toolscore_otel.contracts import Contract
from toolscore_otel.conventions.switches import Switch
from toolscore_otel.engine.checkable import Checkable, Missing
from toolscore_otel.engine.diagnosis import Diagnosis
from toolscore_otel.engine.observed import Fact, Observed
from toolscore_otel.model import Gap, Json
from toolscore_otel.report.doctor_advice import Advice, Turn, advice, turns
from toolscore_otel.report.doctor_words import GAPS
from toolscore_otel.secrets import Scanner, redact_text


def diagnosis_object(
    diagnosis: Diagnosis,
    contracts: Sequence[Contract],
    scanner: Scanner,
    *,
    spans: int,
    logs: int,
) -> dict[str, Json]:
    """A diagnosis as plain data; its keys stand in the docs page "Doctor".

    Args:
        diagnosis: of recorded telemetry.
        contracts: that it was asked of.
        scanner: takes secrets out of the names that telemetry gives.
        spans: how many were read.
        logs: how many log records were read.
    """
    report = diagnosis.report
    built: dict[str, Json] = msgspec.to_builtins(
        {
            "spans": spans,
            "logs": logs,
            "traces": len(report.trajectories),
            "coverage": report.coverage,
            "gaps": {code: GAPS[Gap(code)] for code in report.coverage.gaps},
            "sampled": diagnosis.sampled,
            "instrumentations": [
                _instrumentation(one, advice(one, no_calls=not report.coverage.requested), scanner)
                for one in diagnosis.observed
            ],
            "contracts": [_contract(contract, diagnosis.rules, scanner) for contract in contracts],
        }
    )
    return built


def _instrumentation(one: Observed, found: Advice, scanner: Scanner) -> dict[str, object]:
    return {
        "service": one.origin.service and redact_text(one.origin.service, scanner),
        "scope": redact_text(one.origin.scope, scanner),
        "version": redact_text(one.origin.version, scanner),
        "name": found.known.name if found.known else None,
        "conventions": one.conventions,
        "calls": {
            "requested": one.requested,
            "executed": one.executed,
            "of_other_kinds": one.others,
            "told_better_by_others": one.told,
        },
        "agents": one.agents,
        "models": one.models,
        "beside": {redact_text(scope, scanner): n for scope, n in one.beside.items()},
        "facts": {name: _fact(fact) for name, fact in one.facts.items()},
        "gaps": one.gaps,
        "sampled": one.sampled,
        "switches": [_switch(switch) for switch in found.switches],
        "never": found.never,
        "note": (found.known.note or None) if found.known else None,
    }


def _fact(fact: Fact) -> dict[str, int]:
    return {
        "of": fact.of,
        "observed": fact.observed,
        "truncated": fact.truncated,
        "unparsable": fact.unparsable,
        "not_observed": fact.not_observed,
    }


def _switch(switch: Switch) -> dict[str, object]:
    return {"records": switch.records, "turn": switch.turn, "remark": switch.remark or None}


def _contract(
    contract: Contract, rules: Iterable[Checkable], scanner: Scanner
) -> dict[str, object]:
    return {
        "contract": contract.id,
        "rules": [_rule(rule, scanner) for rule in rules if rule.contract == contract.id],
    }


def _rule(rule: Checkable, scanner: Scanner) -> dict[str, object]:
    return {
        "rule": rule.rule,
        "checkable": rule.answer,
        "unit": rule.unit,
        "of": rule.of,
        "can": rule.can,
        "tried": rule.tried,
        "missing": [_missing(missing, scanner) for missing in rule.missing],
        "unchecked": rule.unchecked,
        "said": rule.said or None,
    }


def _missing(missing: Missing, scanner: Scanner) -> dict[str, object]:
    return {
        "evidence": missing.evidence,
        "count": missing.count,
        "unit": missing.unit,
        "switches": [_turn(turn, scanner) for turn in turns(missing)],
    }


def _turn(turn: Turn, scanner: Scanner) -> dict[str, object]:
    return {
        "scope": redact_text(turn.scope, scanner),
        "version": redact_text(turn.version, scanner),
        "name": turn.name,
        "turn": turn.switch.turn if turn.switch else None,
        "remark": (turn.switch.remark or None) if turn.switch else None,
        "never": turn.never,
    }
