"""No output shows six characters in a row of any secret, of whatever kind, wherever in a trace it stands."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Status, StatusCode

from tests.unit.secrets.labelled import FORMED, secret_of
from toolscore_otel.cli.commands import cli
from toolscore_otel.contracts import Contract
from toolscore_otel.sdk import attach
from toolscore_otel.secrets import KINDS
from toolscore_otel.secrets.samples import make_sample

CONTRACT = {
    "contract": "canary",
    "language": 1,
    "secrets": {"in": ["arguments", "result", "error", "messages"]},
    "forbid": [{"tool": "http", "args": {"q": {"$exists": True}}}],
}
SEED = 77
ROW, HEX_ROW = 6, 12
"""How many characters in a row are looked for: more of hexadecimal ones, of which ids and fingerprints consist by chance."""


def drawn(kind: str) -> set[str]:
    """All rows of six characters of what is random in a sample: not of how all of its kind begin."""
    sample = make_sample(kind, SEED)
    value = sample if kind in FORMED else secret_of(sample)
    other = make_sample(kind, SEED + 1)
    rows = {value[at : at + n] for n in (ROW, HEX_ROW) for at in range(len(value) - n + 1)}
    rows = {row for row in rows if len(row) == HEX_ROW or re.search("[^0-9a-f]", row)}
    return {row for row in rows if row not in other and "-----" not in row}


ROWS = {kind: drawn(kind) for kind in KINDS}


def shown(output: str) -> dict[str, set[str]]:
    """What is to be seen of secrets, by kind."""
    there = {output[at : at + n] for at in range(len(output)) for n in (ROW, HEX_ROW)}
    return {kind: seen for kind, rows in ROWS.items() if (seen := rows & there)}


def attribute(key: str, value: str) -> dict[str, object]:
    return {"key": key, "value": {"stringValue": value}}


def chat(number: int, sample: str) -> dict[str, object]:
    """A model call whose messages hold a secret: in its attributes, as a key too, and in an event."""
    told = [{"role": "user", "content": f"use {sample}"}, {sample: json.dumps({"t": sample})}]
    event = {
        "name": "gen_ai.choice",
        "timeUnixNano": str(number * 10**9 + 7),
        "attributes": [attribute("message", sample)],
    }
    return {
        "traceId": f"{number:032x}",
        "spanId": f"{number + 10**6:016x}",
        "name": "chat",
        "startTimeUnixNano": str(number * 10**9 + 6),
        "endTimeUnixNano": str(number * 10**9 + 8),
        "attributes": [
            attribute("gen_ai.operation.name", "chat"),
            attribute("gen_ai.input.messages", json.dumps(told)),
            attribute("llm.output_messages.0.message.content", sample),
        ],
        "events": [event],
    }


def spans() -> list[dict[str, object]]:
    made: list[dict[str, object]] = []
    for number, kind in enumerate(KINDS, start=1):
        sample = make_sample(kind, SEED)
        attributes = [
            attribute("gen_ai.operation.name", "execute_tool"),
            attribute("gen_ai.tool.name", "http"),
            attribute("gen_ai.tool.call.arguments", json.dumps({"q": sample, sample: 1})),
            attribute("gen_ai.tool.call.result", sample),
        ]
        made.append(
            {
                "traceId": f"{number:032x}",
                "spanId": f"{number:016x}",
                "name": "execute_tool http",
                "startTimeUnixNano": str(number * 10**9),
                "endTimeUnixNano": str(number * 10**9 + 5),
                "attributes": attributes,
                "status": {"code": 2, "message": f"failed with {sample}"},
            }
        )
        made.append(chat(number, sample))
    return made


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("canary")
    recorded, contract = folder / "t.jsonl", folder / "c.json"
    recorded.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans()}]}]}))
    contract.write_text(json.dumps(CONTRACT))
    return str(recorded), str(contract)


COMMANDS = [
    "score {0} --contracts {1} --format json",
    "score {0} --contracts {1}",
    "calls {0} --format jsonl",
    "calls {0}",
    "doctor {0} --contracts {1}",
    "doctor {0} --contracts {1} --format json",
    "secrets {0}",
    "learn {0}",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_shows_nothing_of_a_secret(files: tuple[str, str], command: str) -> None:
    result = CliRunner().invoke(cli, command.format(*files).split(), standalone_mode=False)
    assert result.exception is None
    assert len(result.output) > 100
    assert shown(result.output) == {}


def test_a_span_leaves_the_sdk_without_its_secrets() -> None:
    provider, inner = TracerProvider(), InMemorySpanExporter()
    handle = attach(provider, contracts=[Contract.from_dict(CONTRACT)], exporter=inner)
    tracer = provider.get_tracer("canary")
    for kind in KINDS:
        sample = make_sample(kind, SEED)
        with tracer.start_as_current_span("execute_tool http") as span:
            span.set_attribute("gen_ai.operation.name", "execute_tool")
            span.set_attribute("gen_ai.tool.name", "http")
            span.set_attribute("gen_ai.tool.call.arguments", json.dumps({"q": sample}))
            span.set_attribute("gen_ai.tool.call.result", f"got {sample} back")
            span.add_event("exception", {"exception.message": f"refused: {sample}"})
            span.set_status(Status(StatusCode.ERROR, f"failed: {sample}"))
        with tracer.start_as_current_span("chat") as span:
            span.set_attribute("gen_ai.operation.name", "chat")
            messages = [{"role": "user", "content": sample}]
            span.set_attribute("gen_ai.input.messages", json.dumps(messages))
            span.add_event("gen_ai.choice", {"message": sample})
    provider.force_flush()
    provider.shutdown()
    left = inner.get_finished_spans()
    assert len(left) == 2 * len(KINDS)
    in_messages = [f for f in handle.findings() if f.secret_kind and not f.tool]
    assert {finding.secret_kind for finding in in_messages} == set(KINDS)
    assert shown(repr(handle.findings())) == {}
    assert shown("\n".join(span.to_json() for span in left)) == {}
