"""The readers against recordings of real frameworks, with what really ran beside them.

A reader may say less than the truth, and must not say anything else. Joining several spans of one call is not its work,
so what is compared is every single reading: its arguments are among those that the tool was called with (or the model
asked for), and it does not call all failures of a tool a success.
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from toolscore_otel.conventions import CONVENTIONS, read, read_log
from toolscore_otel.conventions.reading import CallReading, Layer, SpanReading
from toolscore_otel.model import CallKind, ContentState, LogRecord, Span, Status
from toolscore_otel.wire import read_file

FRAMEWORKS = Path(__file__).parent / "frameworks"
FOLDERS = sorted(path.name for path in FRAMEWORKS.iterdir())
ONE_OF_ITS_KIND = {
    "logfire", "haystack", "langfuse", "genkit", "gemini_cli", "codex", "opencode", "claude_code",
    "mastra", "voltagent", "laminar", "agentops", "netra", "honeyhive", "braintrust",
}  # fmt: skip
FAILS_ONLY_DEEPER = "openai-agents-mcp__"  # an MCP error is a good result to the framework's span


def scenarios(folder: str) -> Iterator[tuple[str, dict[str, Any], list[Span | LogRecord]]]:
    """Name, truth, and spans and log records of every recording of a folder."""
    truth = json.loads((FRAMEWORKS / folder / "truth.json").read_text())
    for name, scenario in truth["scenarios"].items():
        paths = sorted((FRAMEWORKS / folder).glob(f"{name}.*.jsonl*"))
        if paths:
            yield name, scenario, [item for path in paths for item in read_file(path)]


def said_by(item: Span | LogRecord) -> SpanReading | None:
    return read(item) if isinstance(item, Span) else read_log(item)


def calls_in(spans: Iterable[Span | LogRecord]) -> Iterator[CallReading]:
    """All readings of calls of the user's tools."""
    for span in spans:
        reading = said_by(span)
        yield from (
            call for call in (reading.calls if reading else ()) if call.kind is CallKind.TOOL
        )


def bare(name: str | None) -> str:
    """A tool's name without what frameworks put before it."""
    return re.sub(r"^(?:mcp__[^_]+__|tools-)", "", name or "")


def plain(value: Any) -> Any:
    """JSON inside text decoded, whole floats as integers: what a tool got, however it was written down."""
    if isinstance(value, str) and value.strip()[:1] in {"{", "["}:
        try:
            return plain(json.loads(value))
        except ValueError:
            return value
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def asked_and_run(scenario: dict[str, Any], name: str) -> list[dict[str, Any]]:
    keys = (
        "calls",
        "requested_by_model",
        "model_requested",
        "framework_tool_calls",
        "not_executed",
    )
    items = [item for key in keys for item in scenario.get(key) or [] if isinstance(item, dict)]
    return [
        item
        for item in items
        if bare(name) in {bare(item.get("name")), bare(item.get("wire_name"))}
    ]


@pytest.mark.parametrize("folder", FOLDERS)
def test_observed_arguments_are_those_of_the_tool(folder: str) -> None:
    wrong = [
        (name, call.name, call.args.value)
        for name, scenario, spans in scenarios(folder)
        for call in calls_in(spans)
        if call.name is not None and call.args.state is ContentState.OBSERVED
        if (known := asked_and_run(scenario, call.name))
        if plain(call.args.value) not in [plain(item.get("args")) for item in known]
    ]
    assert wrong == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_failure_is_called_a_success_nor_the_reverse(folder: str) -> None:
    wrong = [
        (name, call.name, str(call.status))
        for name, scenario, spans in scenarios(folder)
        if "error_as_result" not in name
        for call in calls_in(spans)
        if (ran := [item for item in scenario["calls"] if bare(item["name"]) == bare(call.name)])
        if contradicts(call, ran, len(asked_and_run(scenario, call.name or "")))
        if not (folder.startswith(FAILS_ONLY_DEEPER) and call.layer is Layer.FRAMEWORK)
    ]
    assert wrong == []


def contradicts(call: CallReading, ran: list[dict[str, Any]], known: int) -> bool:
    """Whether a reading's status differs from that of every call of its tool (of its call, where the id tells)."""
    same_id = [item for item in ran if call.call_id and item.get("call_id") == call.call_id]
    failed = {bool(item["error"]) or item.get("status") == "error" for item in same_id or ran}
    if call.status is Status.OK:
        return failed == {True}
    some_were_turned_down = not same_id and known > 2 * len(ran)
    return call.status is Status.ERROR and failed == {False} and not some_were_turned_down


@pytest.mark.parametrize("folder", [name for name in FOLDERS if not name.startswith("adk-java")])
def test_no_content_is_no_empty_content(folder: str) -> None:
    empty = [
        (name, call.name)
        for name, scenario, spans in scenarios(folder)
        for call in calls_in(spans)
        if call.args.value == {} and asked_and_run(scenario, call.name or "")
        if {} not in [item.get("args") for item in asked_and_run(scenario, call.name or "")]
    ]
    assert empty == []


def test_every_convention_has_recordings_of_two_producers() -> None:
    producers: dict[str, set[str]] = {convention: set() for convention in CONVENTIONS}
    for folder in FOLDERS:
        for _, _, spans in scenarios(folder):
            for span in spans:
                reading = said_by(span)
                parts = (*reading.calls, reading.agent, reading.model) if reading else ()
                for part in parts:
                    if part is not None:
                        producers[part.convention].add(folder)
    few = {name for name, folders in producers.items() if len(folders) < 2}
    assert few <= ONE_OF_ITS_KIND
    assert all(producers.values())
