"""Every contract that ships is proved by the cases beside it."""

from pathlib import Path

import pytest

from toolscore_otel import contracts
from toolscore_otel.contracts import Case, Contract, cases_beside, load, load_cases
from toolscore_otel.engine import judge_calls
from toolscore_otel.model import Label

PACKAGE = Path(contracts.__file__).parent.parent
FILES = sorted(PACKAGE.rglob("*.cases.yaml"))
PROVED = [
    (contract, case)
    for file in FILES
    for contract in load([file.with_name(file.name.replace(".cases", ""))])
    for case in load_cases(file)
]


def name(value: Contract | Case) -> str:
    """What a test is called by."""
    return value.id if isinstance(value, Contract) else value.name


def test_every_pack_has_cases() -> None:
    packs = [path for path in (PACKAGE / "contracts" / "packs").glob("*.yaml") if path not in FILES]
    assert packs
    assert [path.name for path in packs if cases_beside(path) is None] == []


@pytest.mark.parametrize(("contract", "case"), PROVED, ids=name)
def test_a_case_finds_what_it_says_and_nothing_else(contract: Contract, case: Case) -> None:
    findings = judge_calls(contract, case.calls)
    found = {
        label: {finding.rule for finding in findings if finding.label is label} for label in Label
    }
    assert {
        Label.FAIL: set(case.fails),
        Label.CANNOT_CHECK: set(case.cannot_check),
        Label.PASS: set(),
    } == found


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_rule_fails_in_some_case(file: Path) -> None:
    rules = {
        rule.record.id
        for contract in load([file.with_name(file.name.replace(".cases", ""))])
        for rule in contract.rules
    }
    assert rules == {rule for case in load_cases(file) for rule in case.fails}
