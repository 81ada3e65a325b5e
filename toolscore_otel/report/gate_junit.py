"""A gate as JUnit XML: the suites of `score`, and one more per contract and model with a test case for each score.

A score that dropped is a failure, one of which the runs cannot tell is skipped, a comparison that was refused is an error.
"""

from __future__ import annotations

from xml.etree import ElementTree as ET

from toolscore_otel.engine import Report
from toolscore_otel.gate import Comparison, Gate, NotCompared, Verdict
from toolscore_otel.model import Severity
from toolscore_otel.report.gate_words import drop_of, numbers_of, runs_of, why_not
from toolscore_otel.report.junit import suites_of
from toolscore_otel.report.junit_xml import case_of, document, xml_text
from toolscore_otel.report.terminal import plain
from toolscore_otel.secrets import Scanner


def gate_junit(gate: Gate, report: Report, scanner: Scanner, *, fail_on: Severity) -> bytes:
    """A gate as XML in UTF-8, with its declaration.

    Args:
        gate: held.
        report: of the same runs.
        scanner: takes secrets out of the names of trajectories.
        fail_on: severity at and above which a finding fails.
    """
    suites = suites_of(report, scanner, fail_on=fail_on)
    for one in gate.comparisons:
        suite = _suite(one.contract, one.model)
        suites.setdefault(suite, []).append(_compared(suite, one))
    for missing in gate.not_compared:
        suite = _suite(missing.contract, missing.model)
        suites.setdefault(suite, []).append(_missing(suite, missing))
    return document(suites)


def _suite(contract: str, model: str) -> str:
    return f"gate: {contract}, model {model}"


def _compared(suite: str, one: Comparison) -> ET.Element:
    case = case_of(suite, one.score)
    said = xml_text(plain("; ".join(p for p in (numbers_of(one), drop_of(one), runs_of(one)) if p)))
    if one.verdict is Verdict.FAIL:
        ET.SubElement(case, "failure", type="score_dropped", message=said)
    elif one.verdict is Verdict.INCONCLUSIVE:
        ET.SubElement(case, "skipped", message=f"inconclusive: {said}")
    else:
        ET.SubElement(case, "system-out").text = said
    return case


def _missing(suite: str, one: NotCompared) -> ET.Element:
    parts = (f"scenario {one.scenario}" if one.scenario is not None else "", one.score or "")
    case = case_of(suite, ", ".join(part for part in parts if part) or one.why.value)
    said = xml_text(plain(why_not(one)))
    if one.is_refused:
        ET.SubElement(case, "error", type=one.why.value, message=said)
    else:
        ET.SubElement(case, "skipped", message=said)
    return case
