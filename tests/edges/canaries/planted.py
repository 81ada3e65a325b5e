"""Telemetry with a canary wherever one may stand: made by hand, a trace for each kind, and recorded by real frameworks."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tests.corpus.recordings import FOLDERS, FRAMEWORKS, files_of
from tests.edges.canaries.canary import Turns, sample
from toolscore_otel.conventions.prompt_names import SAYS_NOTHING
from toolscore_otel.secrets import KINDS

Json = dict[str, Any]

_HOLDS_CONTENT = re.compile(
    "argument|input|output|result|response|content|message|prompt|value|error|text|body|exception"
)
_WORDS = frozenset({"execute_tool", "invoke_agent", "chat"})


def text(key: str, value: str) -> Json:
    return {"key": key, "value": {"stringValue": value}}


def told(attributes: Mapping[str, str]) -> list[Json]:
    return [text(key, value) for key, value in attributes.items()]


def span(number: int, at: int, name: str, attributes: Mapping[str, str], **more: Any) -> Json:
    """The span AT of trace NUMBER, a second long."""
    return {
        "traceId": f"{number:032x}",
        "spanId": f"{number:08x}{at:08x}",
        "parentSpanId": "" if at == 1 else f"{number:08x}{1:08x}",
        "name": name,
        "startTimeUnixNano": str((number * 10 + at) * 10**9),
        "endTimeUnixNano": str((number * 10 + at + 1) * 10**9),
        "attributes": told(attributes),
        **more,
    }


def trace(number: int, canary: str) -> list[Json]:
    """An agent that asks a model, which asks for a tool, which fails: the canary stands in every place there is."""
    said = [{"role": "user", "content": f"use {canary}"}, {canary: json.dumps({"t": canary})}]
    told_why = {"exception.message": f"no {canary}", "exception.stacktrace": f"at x:\n{canary}\n"}
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "http"}
    return [
        span(number, 1, "invoke_agent", {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "desk", "more": canary}),
        span(
            number, 2, "chat",
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.input.messages": json.dumps(said),
                "llm.output_messages.0.message.content": canary,
            },
            events=[{"name": "gen_ai.choice", "timeUnixNano": "7", "attributes": [text("message", canary)]}],
            status={"code": 2, "message": f"refused {canary}"},
        ),
        span(
            number, 3, f"execute_tool http {canary}",
            {**tool, "gen_ai.tool.call.arguments": json.dumps({"q": canary, canary: 1}), "gen_ai.tool.call.result": canary},
            status={"code": 2, "message": f"failed with {canary}"},
            events=[
                {"name": "exception", "timeUnixNano": "8", "attributes": told(told_why)},
                {"name": f"at {canary}", "timeUnixNano": "9", "attributes": [text("a", canary)]},
            ],
            links=[{"traceId": "f" * 32, "spanId": "e" * 16, "attributes": [text("l", canary)]}],
        ),
        span(
            number, 4, "execute_tool http",
            {**tool, "gen_ai.tool.call.arguments": f"no json {canary}", "gen_ai.tool.call.id": f"c {canary}", "error.type": f"E {canary}", "k": canary, canary: "k"},
        ),
        span(number, 5, "execute_tool x", {**tool, "gen_ai.tool.name": f"run {canary}", "gen_ai.agent.name": f"a {canary}"}),
    ]  # fmt: skip


def records(number: int, canary: str) -> list[Json]:
    """Log records of that trace."""
    at = {"traceId": f"{number:032x}", "timeUnixNano": "1"}
    return [
        {**at, "spanId": f"{number:08x}{2:08x}", "eventName": "gen_ai.user.message", "body": _value({"content": canary})},
        {**at, "spanId": f"{number:08x}{3:08x}", "eventName": f"at {canary}", "body": _value({"a": [canary, {canary: 1}]}), "attributes": [text("a", canary)]},
        {**at, "spanId": f"{number:08x}{3:08x}", "body": _value(f"got {canary}")},
    ]  # fmt: skip


def requests() -> tuple[Json, Json]:
    """Spans and log records of all kinds, each in one OTLP JSON request."""
    kinds = list(enumerate(KINDS, start=1))
    spans = [one for number, kind in kinds for one in trace(number, sample(kind))]
    logs = [one for number, kind in kinds for one in records(number, sample(kind))]
    return (
        {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]},
        {"resourceLogs": [{"scopeLogs": [{"logRecords": logs}]}]},
    )


@cache
def recorded() -> Mapping[str, tuple[Json, ...]]:
    """A recording of each framework, with a canary in everything that it tells of arguments, results, errors and messages."""
    turns = Turns()
    return {
        folder: tuple(
            _planted(json.loads(line), turns)
            for path in next(iter(files_of(folder).values()))
            for line in _lines(path)
        )
        for folder in FOLDERS[::6]
        if any((FRAMEWORKS / folder).glob("*.jsonl*"))
    }


def _lines(path: Path) -> Iterator[str]:
    data = path.read_bytes()
    whole = gzip.decompress(data) if path.suffix == ".gz" else data
    return (line for line in whole.decode().splitlines() if line.strip())


def _value(value: Any) -> Json:
    match value:
        case str():
            return {"stringValue": value}
        case int():
            return {"intValue": str(value)}
        case list():
            return {"arrayValue": {"values": [_value(one) for one in value]}}
        case _:
            pairs = [{"key": key, "value": _value(one)} for key, one in value.items()]
            return {"kvlistValue": {"values": pairs}}


def _planted(part: Any, turns: Turns, name: str = "") -> Any:
    """A part of a request with canaries in its texts.

    Args:
        part: any JSON of OTLP.
        turns: where they come from.
        name: what it stands under: an attribute's, or a field's.
    """
    if isinstance(part, list):
        return [_planted(one, turns, name) for one in part]
    if not isinstance(part, dict):
        return part
    if "key" in part and "value" in part:
        return {**part, "value": _planted(part["value"], turns, part["key"])}
    return {
        key: _text_with(value, turns)
        if key in ("stringValue", "message") and isinstance(value, str) and _is_content(name or key, value)
        else value
        if key in ("resource", "scope", "traceId", "spanId", "parentSpanId")
        else _planted(value, turns, key if key in ("body", "status") else name)
        for key, value in part.items()
    }  # fmt: skip


def _is_content(name: str, value: str) -> bool:
    if value in _WORDS or name.rpartition(".")[2] in SAYS_NOTHING:
        return False
    return " " in value or value[:1] in ("{", "[") or bool(_HOLDS_CONTENT.search(name.lower()))


def _text_with(value: str, turns: Turns) -> str:
    if value[:1] not in ("{", "["):
        return f"{value} {turns()}"
    try:
        inner = json.loads(value)
    except ValueError:
        return f"{value} {turns()}"
    return json.dumps(_leaves_with(inner, turns))


def _leaves_with(inner: Any, turns: Turns) -> Any:
    if isinstance(inner, list):
        return [_leaves_with(one, turns) for one in inner]
    if isinstance(inner, dict):
        return {
            key: one if key in SAYS_NOTHING and isinstance(one, str) else _leaves_with(one, turns)
            for key, one in inner.items()
        }
    return _text_with(inner, turns) if isinstance(inner, str) else inner
