"""A report as JUnit XML, which every CI system shows: one test suite per contract, one test case per rule and trajectory.

A rule fails its test case where a finding of it would end the command with 1; one that could not be checked is skipped. What is
less severe, or in shadow, is told in the output of a test case that passes, so that the XML never says otherwise than the exit
code. Times are left out: a rule has none. The means of a contract's scores are properties of its suite.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from xml.etree import ElementTree as ET

from msgspec import structs

from toolscore_otel.engine import Report, RuleOutcome
from toolscore_otel.model import Finding, Label, Scope, Score, Severity, Trajectory
from toolscore_otel.report.junit_xml import Suites, case_of, document, xml_text
from toolscore_otel.report.redaction import redacted_trajectory
from toolscore_otel.report.scores import means
from toolscore_otel.report.summary import where
from toolscore_otel.report.terminal import plain
from toolscore_otel.secrets import Scanner, redact_text

BESIDE = "coverage"
"""The suite of what no rule of a contract says."""

BROKEN = "broken rules"
"""The suite of rules that raised: they judged nothing there."""


def report_junit(report: Report, scanner: Scanner, *, fail_on: Severity) -> bytes:
    """A report as XML in UTF-8, with its declaration.

    Args:
        report: of an engine.
        scanner: takes secrets out of the names of trajectories.
        fail_on: severity at and above which a finding fails.
    """
    return document(suites_of(report, scanner, fail_on=fail_on))


def suites_of(report: Report, scanner: Scanner, *, fail_on: Severity) -> Suites:
    """The test suites of a report, for `document`; arguments as of `report_junit`."""
    failing = {finding.id for finding in report.failing(fail_on)}
    findings = {finding.id: finding for finding in report.findings}
    names = _Names(report.trajectories, scanner)
    suites: Suites = {}
    for outcome in report.judged:
        said = [findings.pop(one) for one in outcome.findings if one in findings]
        case = case_of(outcome.contract, f"{outcome.rule}: {names.of(outcome)}")
        _tell(case, said, failing, skipped=outcome.label is Label.CANNOT_CHECK)
        suites.setdefault(outcome.contract, []).append(case)
    for finding in findings.values():
        if finding.label is not Label.PASS:
            suite = finding.contract or BESIDE
            case = case_of(suite, f"{finding.rule}: trace {finding.trace_id}")
            _tell(case, [finding], failing, skipped=finding.label is Label.CANNOT_CHECK)
            suites.setdefault(suite, []).append(case)
    for rule, times in report.errors.items():
        case = case_of(BROKEN, rule)
        ET.SubElement(case, "error", message=xml_text(f"raised {times} times"))
        suites.setdefault(BROKEN, []).append(case)
    _add_scores(report.scores, suites)
    return suites


def _add_scores(scores: Iterable[Score], suites: Suites) -> None:
    """The means of a contract's scores, as properties of its suite; a suite without a test case is none."""
    for one in means(scores):
        cases = suites.get(one.contract)
        if one.value is None or not cases:
            continue
        if cases[0].tag != "properties":
            cases.insert(0, ET.Element("properties"))
        told = {"name": xml_text(f"score.{one.name}"), "value": f"{one.value:.6g}"}
        ET.SubElement(cases[0], "property", told)


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


def _tell(
    case: ET.Element, said: Sequence[Finding], failing: Iterable[str], *, skipped: bool
) -> None:
    """Write into a test case what was found."""
    failures = [finding for finding in said if finding.id in failing]
    if failures:
        worst = max(failures, key=lambda finding: finding.severity.rank)
        message = xml_text(plain(worst.explanation))
        failure = ET.SubElement(case, "failure", type=worst.kind.value, message=message)
        failure.text = _text(failures)
    elif skipped:
        unseen = [f for f in said if f.label is Label.CANNOT_CHECK]
        message = xml_text(plain("; ".join(finding.explanation for finding in unseen)))
        ET.SubElement(case, "skipped", message=message)
    rest = [finding for finding in said if finding.id not in failing]
    if rest and not skipped:
        ET.SubElement(case, "system-out").text = _text(rest)


def _text(findings: Sequence[Finding]) -> str:
    return xml_text("\n".join(line for finding in findings for line in _lines(finding)))


def _lines(finding: Finding) -> Iterator[str]:
    shadow = ", in shadow: fails nothing" if finding.shadow else ""
    yield f"{finding.severity}{shadow}: {plain(finding.explanation)}"
    yield "  " + ", ".join(where(finding))
    if finding.runbook:
        yield f"  what to do: {plain(finding.runbook)}"
