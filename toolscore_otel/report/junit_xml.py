"""JUnit XML as CI systems read it: suites of test cases, counted; nothing in it that no XML may hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from xml.etree import ElementTree as ET

from toolscore_otel.report.terminal import plain

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Suites = dict[str, list[ET.Element]]
"""Test cases by the name of their suite, after its properties, where it has some."""


def case_of(suite: str, name: str) -> ET.Element:
    """An empty test case, one that passes."""
    return ET.Element("testcase", classname=xml_text(suite), name=xml_text(plain(name)))


def xml_text(text: str) -> str:
    """Text without the signs that no XML may hold."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def document(suites: Mapping[str, Sequence[ET.Element]]) -> bytes:
    """The XML in UTF-8, with its declaration."""
    root = ET.Element("testsuites", {"name": "toolscore-otel", **_counts(suites.values())})
    for name, cases in suites.items():
        suite = ET.SubElement(root, "testsuite", {"name": xml_text(name), **_counts([cases])})
        suite.extend(cases)
    ET.indent(root)
    written: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _counts(suites: Iterable[Sequence[ET.Element]]) -> dict[str, str]:
    cases = [case for suite in suites for case in suite if case.tag == "testcase"]
    kinds = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    return {"tests": str(len(cases))} | {
        name: str(sum(case.find(kind) is not None for case in cases))
        for name, kind in kinds.items()
    }
