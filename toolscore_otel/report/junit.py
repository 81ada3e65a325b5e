"""A report as JUnit XML, which every CI system shows: one test suite per contract, one test case per rule and trajectory.

A rule fails its test case where a finding of it would end the command with 1; one that could not be checked is skipped. What is
less severe, or in shadow, is told in the output of a test case that passes, so that the XML never says otherwise than the exit
code. Times are left out: a rule has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from xml.etree import ElementTree as ET

from msgspec import structs

from toolscore_otel.engine import Report, RuleOutcome
from toolscore_otel.model import Finding, Label, Scope, Severity, Trajectory
from toolscore_otel.report.redaction import redacted_trajectory
from toolscore_otel.report.summary import where
from toolscore_otel.report.terminal import plain
from toolscore_otel.secrets import Scanner, redact_text

BESIDE = "coverage"
"""The suite of what no rule of a contract says."""

BROKEN = "broken rules"
"""The suite of rules that raised: they judged nothing there."""

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Suites = dict[str, list[ET.Element]]


def report_junit(report: Report, scanner: Scanner, *, fail_on: Severity) -> bytes:
    """A report as XML in UTF-8, with its declaration.

    Args:
        report: of an engine.
        scanner: takes secrets out of the names of trajectories.
        fail_on: severity at and above which a finding fails.
    """
    failing = {finding.id for finding in report.failing(fail_on)}
    findings = {finding.id: finding for finding in report.findings}
    names = _Names(report.trajectories, scanner)
    suites: Suites = {}
    for outcome in report.judged:
        said = [findings.pop(one) for one in outcome.findings if one in findings]
        case = _case(outcome.contract, f"{outcome.rule}: {names.of(outcome)}")
        _tell(case, said, failing, skipped=outcome.label is Label.CANNOT_CHECK)
        suites.setdefault(outcome.contract, []).append(case)
    for finding in findings.values():
        if finding.label is not Label.PASS:
            suite = finding.contract or BESIDE
            case = _case(suite, f"{finding.rule}: trace {finding.trace_id}")
            _tell(case, [finding], failing, skipped=finding.label is Label.CANNOT_CHECK)
            suites.setdefault(suite, []).append(case)
    for rule, times in report.errors.items():
        case = _case(BROKEN, rule)
        ET.SubElement(case, "error", message=_xml(f"raised {times} times"))
        suites.setdefault(BROKEN, []).append(case)
    return _document(suites)


class _Names:
    """What trajectories are called in a report: by their scenario, where they have one, and their ids."""

    def __init__(self, trajectories: Iterable[Trajectory], scanner: Scanner) -> None:
        self._scanner = scanner
        self._scenarios = {
            one.trace_id: redacted_trajectory(structs.replace(one, calls=()), scanner).scenario
            for one in trajectories
            if one.scenario
        }

    def of(self, outcome: RuleOutcome) -> str:
        whole, part = outcome.trajectory
        if outcome.scope is Scope.SESSION and not whole:
            service, _, conversation = part.partition("\x1f")
            named = f"conversation {conversation}" + (f" of {service}" if service else "")
            return redact_text(named, self._scanner)
        scenario = self._scenarios.get(whole)
        trace = f"{scenario}, trace {whole}" if scenario else f"trace {whole}"
        return f"{trace}, agent span {part}" if part else trace


def _case(suite: str, name: str) -> ET.Element:
    return ET.Element("testcase", classname=_xml(suite), name=_xml(plain(name)))


def _tell(
    case: ET.Element, said: Sequence[Finding], failing: Iterable[str], *, skipped: bool
) -> None:
    """Write into a test case what was found."""
    failures = [finding for finding in said if finding.id in failing]
    if failures:
        worst = max(failures, key=lambda finding: finding.severity.rank)
        message = _xml(plain(worst.explanation))
        failure = ET.SubElement(case, "failure", type=worst.kind.value, message=message)
        failure.text = _text(failures)
    elif skipped:
        unseen = [f for f in said if f.label is Label.CANNOT_CHECK]
        message = _xml(plain("; ".join(finding.explanation for finding in unseen)))
        ET.SubElement(case, "skipped", message=message)
    rest = [finding for finding in said if finding.id not in failing]
    if rest and not skipped:
        ET.SubElement(case, "system-out").text = _text(rest)


def _text(findings: Sequence[Finding]) -> str:
    return _xml("\n".join(line for finding in findings for line in _lines(finding)))


def _lines(finding: Finding) -> Iterator[str]:
    shadow = ", in shadow: fails nothing" if finding.shadow else ""
    yield f"{finding.severity}{shadow}: {plain(finding.explanation)}"
    yield "  " + ", ".join(where(finding))
    if finding.runbook:
        yield f"  what to do: {plain(finding.runbook)}"


def _xml(text: str) -> str:
    """Text without the signs that no XML may hold."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def _document(suites: Mapping[str, Sequence[ET.Element]]) -> bytes:
    root = ET.Element("testsuites", {"name": "toolscore-otel", **_counts(suites.values())})
    for name, cases in suites.items():
        suite = ET.SubElement(root, "testsuite", {"name": _xml(name), **_counts([cases])})
        suite.extend(cases)
    ET.indent(root)
    written: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _counts(suites: Iterable[Sequence[ET.Element]]) -> dict[str, str]:
    cases = [case for suite in suites for case in suite]
    kinds = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    return {"tests": str(len(cases))} | {
        name: str(sum(case.find(kind) is not None for case in cases))
        for name, kind in kinds.items()
    }
