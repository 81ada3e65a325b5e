"""The contract language, sentence by sentence: short runs, and what the engine must find on them (`language/*.yaml`).

An entry of these files is a sentence of the language (`says`), a `contract`, and either `cases`, or `refused`: a regular
expression of the message that refuses the contract. A case is one of the language; these keys are ours, each a mapping
from rule id: `at` (call ids of its failures, null for a trajectory), `findings` (how many fail), and `count`, `severity`
and `shadow` of its finding.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from ruamel.yaml import YAML

from toolscore_otel.contracts import Case, Contract, load_cases
from toolscore_otel.engine import judge_calls
from toolscore_otel.errors import ContractError
from toolscore_otel.model import Finding, Label

FILES = sorted((Path(__file__).parent / "language").glob("*.yaml"))
OURS = ("at", "findings", "count", "severity", "shadow")


class Written(NamedTuple):
    """A case as written, with what it stands in."""

    file: str
    says: str
    contract: dict[str, Any]
    case: dict[str, Any]

    def loaded(self, folder: Path) -> Case:
        """The case, by way of a file of cases."""
        plain = {key: value for key, value in self.case.items() if key not in OURS}
        path = folder / "c.cases.yaml"
        path.write_text(json.dumps([plain]), encoding="utf-8")
        (case,) = load_cases(path)
        return case


def entries() -> Iterator[tuple[str, dict[str, Any]]]:
    for file in FILES:
        for entry in YAML(typ="safe", pure=True).load(file.read_text("utf-8")):
            yield file.stem, entry


CASES = [
    Written(file, entry["says"], entry["contract"], case)
    for file, entry in entries()
    for case in entry.get("cases", ())
]
REFUSED = [(file, entry) for file, entry in entries() if "refused" in entry]


def contract_of(keys: dict[str, Any]) -> Contract:
    return Contract.from_dict({"contract": "c", "language": 1, **keys})


def told(findings: list[Finding], key: str) -> Any:
    """What the findings of one rule say, in the words of a case."""
    fails = [finding for finding in findings if finding.label is Label.FAIL]
    if key == "at":
        return sorted(finding.call_id or "" for finding in fails)
    if key == "findings":
        return len(fails)
    (finding,) = findings
    return getattr(finding, key)


@pytest.mark.parametrize("written", CASES, ids=lambda w: f"{w.file}: {w.says}: {w.case['case']}")
def test_a_case_of_the_language_finds_what_it_says(written: Written, tmp_path: Path) -> None:
    case = written.loaded(tmp_path)
    found = judge_calls(contract_of(written.contract), case.calls)
    fails, unchecked = (
        sorted({finding.rule for finding in found if finding.label is label})
        for label in (Label.FAIL, Label.CANNOT_CHECK)
    )
    assert (sorted(case.fails), sorted(case.cannot_check)) == (fails, unchecked)
    for key in set(OURS) & written.case.keys():
        for rule, expected in written.case[key].items():
            wanted = sorted(one or "" for one in expected) if key == "at" else expected
            assert (key, wanted) == (key, told([f for f in found if f.rule == rule], key))


@pytest.mark.parametrize(("file", "entry"), REFUSED, ids=lambda value: str(value)[:60])
def test_what_the_language_does_not_know_is_refused(file: str, entry: dict[str, Any]) -> None:
    with pytest.raises(ContractError) as caught:
        contract_of(entry["contract"])
    assert re.search(entry["refused"], str(caught.value), re.IGNORECASE)
