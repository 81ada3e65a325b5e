"""Findings say no secret, wherever it stands, and whole or not at all."""

from collections.abc import Sequence

import pytest

from toolscore_otel.contracts import Contract
from toolscore_otel.engine import Engine, judge_calls
from toolscore_otel.model import Finding, ToolCall
from toolscore_otel.secrets import Scanner
from toolscore_otel.secrets.kinds import KINDS
from toolscore_otel.secrets.samples import make_sample


def contract(**keys) -> Contract:
    return Contract.from_dict({"contract": "c", "language": 1, "forbid": ["*"], **keys})


def parts(secret: str, length: int = 12) -> set[str]:
    return {secret[at : at + length] for at in range(len(secret) - length + 1)}


def seen_in(findings: Sequence[Finding], secret: str) -> set[str]:
    told = repr(findings)
    return {part for part in parts(secret) if part in told}


@pytest.mark.parametrize("before", ["", "x" * 30 + " ", "x " * 50])
@pytest.mark.parametrize("kind", KINDS)
def test_a_secret_in_a_name_is_in_no_finding(kind, before):
    text = make_sample(kind, 1)
    (hit, *_) = Scanner().scan_text(text)
    call = ToolCall(tool=before + text, agent=before + text, call_id=text, service=text)
    findings = judge_calls(contract(), [call])

    assert len(findings) == 1
    assert "REDACTED" in (findings[0].tool or "")
    assert seen_in(findings, text[hit.start : hit.end]) == set()


def test_what_one_contract_describes_is_a_secret_in_the_findings_of_all(tool):
    badge = "BADGE-" + "7" * 60
    patterns = [{"name": "badge", "regex": "BADGE-[0-9]{60}"}]
    describes = contract(contract="other", forbid=["never"], secrets={"patterns": patterns})
    said = Engine([contract(), describes]).feed(tool("a", "x " * 25 + badge), 0)

    assert [finding.contract for finding in said] == ["c"]
    assert "7" * 12 not in repr(said)
    assert "REDACTED:badge" in said[0].explanation


def test_a_long_name_is_cut_and_what_stands_behind_it_is_not():
    rule = {"tool": "*", "reason": "nobody may"}
    (finding,) = judge_calls(contract(forbid=[rule]), [ToolCall(tool="long" * 100)])

    assert finding.explanation.endswith("` was called, which is forbidden: nobody may")
    assert len(finding.explanation) < 200
    assert finding.tool == "long" * 100


def test_a_name_without_a_secret_stays_as_it_is():
    call = ToolCall(tool="search", agent="desk", call_id="call_1")
    (finding,) = judge_calls(contract(), [call])

    assert (finding.tool, finding.agent, finding.call_id) == ("search", "desk", "call_1")


def test_an_engine_that_was_prepared_compiles_nothing_for_its_first_finding(tool, monkeypatch):
    engine = Engine([contract()])
    engine.prepare()

    def compiled(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("toolscore_otel.secrets.scanner.compiled", compiled)
    assert len(engine.feed(tool("x"), 0)) == 1
