"""What users of other tools reported of scoring calls from telemetry, and what is right (`reports_of_others/*.yaml`).

The data is ours and small: the shape of the telemetry is that of the report under `source`, the words are not. An entry
holds `spans`, of them the `calls` that were made, and what a `contract` says of them: `fails`, `cannot_check`, `scores`, and
the words with which it `explains` a failure. Times are milliseconds; an attribute that is a mapping or a list stands in the
telemetry as JSON text.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner
from ruamel.yaml import YAML

from toolscore_otel.cli.commands import cli

FOLDER = Path(__file__).parent / "reports_of_others"
BEGIN_NS = 1_767_225_600_000_000_000
NS_PER_MS = 1_000_000
CODES = {"ok": 1, "error": 2}


class Told(NamedTuple):
    """What the commands say of one report."""

    calls: list[dict[str, Any]]
    score: dict[str, Any]


def entries() -> Iterator[dict[str, Any]]:
    for file in sorted(FOLDER.glob("*.yaml")):
        yield from YAML(typ="safe", pure=True).load(file.read_text("utf-8"))


ENTRIES = list(entries())


def said(value: Any) -> str:
    entry: dict[str, str] = value
    return entry["says"]


def _attributes(written: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in written.items()]


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    return {"stringValue": value if isinstance(value, str) else json.dumps(value)}


def _span(written: dict[str, Any]) -> dict[str, Any]:
    begin = BEGIN_NS + written.get("at", 0) * NS_PER_MS
    return {
        "traceId": f"{written.get('trace', 1):032x}",
        "spanId": f"{written['id']:016x}",
        "parentSpanId": f"{written['parent']:016x}" if "parent" in written else "",
        "name": written["name"],
        "startTimeUnixNano": str(begin),
        "endTimeUnixNano": str(begin + written.get("took", 100) * NS_PER_MS),
        "attributes": _attributes(written.get("attributes", {})),
        "droppedAttributesCount": written.get("dropped", 0),
        "status": {"code": CODES[written["status"]]} if "status" in written else {},
        "events": [
            {
                "name": name,
                "timeUnixNano": str(begin),
                "attributes": _attributes(attributes),
            }
            for name, attributes in written.get("events", {}).items()
        ],
    }


def _line(written: dict[str, Any]) -> str:
    scope = {"scope": {"name": written.get("scope", "app")}, "spans": [_span(written)]}
    resource = {"attributes": _attributes({"service.name": "desk"})}
    return json.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]})


def told(entry: dict[str, Any], folder: Path) -> Told:
    """Ask both commands."""
    lines = [_line(span) for span in entry["spans"]]
    traces, contract = folder / "traces.jsonl", folder / "c.yaml"
    traces.write_text("\n".join(lines) + "\n", encoding="utf-8")
    rules = json.dumps({"contract": "c", "language": 1, **entry["contract"]})
    contract.write_text(rules, encoding="utf-8")
    given = ["--contracts", str(contract), "--format"]
    calls = CliRunner().invoke(cli, ["calls", str(traces), *given, "jsonl"])
    score = CliRunner().invoke(cli, ["score", str(traces), *given, "json"])
    return Told([json.loads(line) for line in calls.stdout.splitlines()], json.loads(score.stdout))


@pytest.mark.parametrize("entry", ENTRIES, ids=said)
def test_the_calls_are_those_that_were_made(entry: dict[str, Any], tmp_path: Path) -> None:
    found = told(entry, tmp_path).calls
    wanted: list[dict[str, Any]] = entry["calls"]
    assert wanted == [
        {key: call[key] for key in expected}
        for call, expected in zip(found, wanted, strict=len(found) == len(wanted))
    ]
    assert len(wanted) == len(found)


@pytest.mark.parametrize("entry", ENTRIES, ids=said)
def test_the_findings_are_right(entry: dict[str, Any], tmp_path: Path) -> None:
    found = [one for one in told(entry, tmp_path).score["findings"] if one["contract"]]
    for label in ("fail", "cannot_check"):
        rules = {one["rule"] for one in found if one["label"] == label}
        assert set(entry.get("fails" if label == "fail" else label, [])) == rules


@pytest.mark.parametrize("entry", [one for one in ENTRIES if "scores" in one], ids=said)
def test_the_scores_are_right(entry: dict[str, Any], tmp_path: Path) -> None:
    scores = {one["name"]: one["value"] for one in told(entry, tmp_path).score["scores"]}
    assert entry["scores"] == {name: scores[name] for name in entry["scores"]}


@pytest.mark.parametrize("entry", [one for one in ENTRIES if "explains" in one], ids=said)
def test_a_failure_is_explained(entry: dict[str, Any], tmp_path: Path) -> None:
    texts = {one["rule"]: one["explanation"] for one in told(entry, tmp_path).score["findings"]}
    for rule, words in entry["explains"].items():
        assert [word for word in words if word in texts[rule]] == words


@pytest.mark.parametrize("entry", ENTRIES, ids=said)
def test_every_report_can_be_looked_up(entry: dict[str, Any]) -> None:
    assert entry["source"].startswith("https://github.com/")


def test_every_report_is_another_one() -> None:
    assert len(ENTRIES) == len({entry["source"] for entry in ENTRIES})
    assert len(ENTRIES) == len({entry["says"] for entry in ENTRIES})
    assert len(ENTRIES) >= 22
