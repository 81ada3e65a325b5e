"""Nothing that stands in a file, or in a span of the SDK, raises; what could not be read is counted.

Each input goes all the way: read, understood, joined, held against a contract, printed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings, strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import Span as OfficialSpan
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.trace import SpanContext, Status, StatusCode, TraceFlags

from tests.properties.hostile import (
    ATTRIBUTES,
    BIG,
    CONTENT,
    DEEP,
    HALF,
    KINDS,
    TOO_DEEP,
    VALUES,
    request,
    span,
    spans_with,
    text,
)
from toolscore_otel.assembly import Assembler, Limits
from toolscore_otel.cli.commands import cli
from toolscore_otel.contracts import Contract
from toolscore_otel.engine import Engine, Report
from toolscore_otel.matchers import Answer, JudgedCall, digest, parse
from toolscore_otel.matchers.redacted import UNREADABLE
from toolscore_otel.model import ContentState, Gap, LogRecord, Span, ToolCall, Trajectory
from toolscore_otel.report.calls_json import call_object
from toolscore_otel.report.json_line import json_line
from toolscore_otel.wire import ReadStats, read_bytes
from toolscore_otel.wire.proto_fields import varint
from toolscore_otel.wire.sdk import SdkReader

CONTRACT = Contract.from_dict(
    {
        "contract": "everything",
        "language": 1,
        "tools": {"search": {"cost_usd": 0.4}},
        "allow_only": ["a", {"tool": "search", "args": {"a": {"$gt": 1}}}],
        "forbid": [
            {"tool": "search", "args": {"a": 1}},
            {"tool": "*", "status": "error"},
            {"tool": "*", "agent": "x"},
        ],
        "require": [{"tool": "search", "args": {"q": {"$contains": "x"}}, "min": 2}],
        "limit": [{"tool": "search", "max": 1}],
        "loop": {"same_call": 2, "retry_after_error": 1, "window": 3},
        "budget": [
            {"of": "call", "latency_ms": 2, "cost_usd": 0.5},
            {"of": "trace", "latency_ms": 5, "cost_usd": 1, "tokens": 100, "calls": 2},
        ],
        "secrets": {"in": ["arguments", "result", "error"]},
    }
)


def rebuilt(items: Iterable[Span | LogRecord]) -> list[ToolCall]:
    """The calls, each of which can be printed."""
    assembler = Assembler()
    for item in items:
        assembler.feed(item, now=0)
    return [
        call for trace in assembler.trace_ids() for call in printed(assembler.trajectory(trace))
    ]


def printed(trajectory: Trajectory) -> tuple[ToolCall, ...]:
    for call in trajectory.calls:
        json.loads(json_line(call_object(call)).encode(), parse_constant=refused)
    return trajectory.calls


def refused(word: str) -> None:
    raise AssertionError(f"{word} is no JSON")


def told(items: Iterable[Span | LogRecord]) -> Report:
    """What is reported, without a rule that raised."""
    engine = Engine([CONTRACT])
    for item in items:
        engine.feed(item, 0)
    engine.close()
    report = engine.report()
    assert report.errors == {}
    for trajectory in report.trajectories:
        printed(trajectory)
    return report


def read(data: bytes) -> tuple[list[Span | LogRecord], ReadStats]:
    stats = ReadStats()
    return list(read_bytes(data, stats=stats)), stats


@pytest.mark.parametrize("what", VALUES)
def test_any_value_may_stand_in_any_attribute(what: str) -> None:
    spans = spans_with(VALUES[what])
    items, stats = read(request(spans, service=VALUES[what]))
    assert len(items) == stats.spans == len(spans)
    assert len(rebuilt(items)) > len(ATTRIBUTES)


@pytest.mark.parametrize("what", TOO_DEEP)
def test_what_nests_too_deeply_costs_its_value_and_not_its_span(what: str) -> None:
    spans = spans_with(TOO_DEEP[what], CONTENT)
    items, stats = read(request(spans))
    assert len(items) == len(spans)
    assert stats.unreadable_values == len(spans)
    assert len(rebuilt(items)) > len(CONTENT)


def records_with(value: str) -> bytes:
    """A log record of each event for each attribute, which holds the value, as its body does."""
    cases = ((event, name) for event in EVENTS for name in LOG_ATTRIBUTES)
    return logs(
        f'{{"timeUnixNano":"1","eventName":"{event}","traceId":"{number:032x}",'
        f'"body":{value},"attributes":[{{"key":"{name}","value":{value}}}]}}'
        for number, (event, name) in enumerate(cases, start=1)
    )


def logs(records: Iterable[str]) -> bytes:
    """A line of a file."""
    made = ",".join(records)
    return f'{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{made}]}}]}}]}}'.encode()


@pytest.mark.parametrize("what", VALUES)
def test_any_value_may_stand_in_a_log_record(what: str) -> None:
    items, stats = read(records_with(VALUES[what]))
    assert len(items) == stats.logs == len(EVENTS) * len(LOG_ATTRIBUTES)
    assert all(call.trace_id for call in rebuilt(items))


@pytest.mark.parametrize("what", TOO_DEEP)
def test_what_nests_too_deeply_costs_its_value_and_not_its_record(what: str) -> None:
    items, stats = read(records_with(TOO_DEEP[what]))
    assert len(items) == stats.logs == len(EVENTS) * len(LOG_ATTRIBUTES)
    assert stats.unreadable_values == 2 * len(items)
    assert all(call.trace_id for call in rebuilt(items))


EVENTS = (
    "gen_ai.client.inference.operation.details",
    "gen_ai.choice",
    "gen_ai.tool.message",
    "gen_ai.assistant.message",
    "claude_code.tool_result",
    "tool_result",
    "codex.tool_result",
    "gemini_cli.tool_call",
    "exception",
)
LOG_ATTRIBUTES = (
    "tool_name",
    "function_name",
    "function_args",
    "arguments",
    "call_id",
    "success",
    "duration_ms",
    "gen_ai.tool.name",
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "exception.type",
)


@pytest.mark.parametrize(
    ("value", "state"),
    [
        ('{"q": "' + "x" * 10_000_000 + '"}', ContentState.OBSERVED),
        ('{"q": NaN, "r": "' + "x" * 10_000_000 + '"}', ContentState.OBSERVED),
        ('{"q": "' + "x" * 10_000_000, ContentState.TRUNCATED),
        ("x" * 10_000_000, ContentState.UNPARSABLE),
        ('{"q": ' + BIG + "}", ContentState.OBSERVED),
        ('{"a":' * DEEP + "1" + "}" * DEEP, ContentState.UNPARSABLE),
    ],
    ids=["10 MB", "10 MB and NaN", "10 MB, cut", "10 MB of anything", "401 digits", "5,000 levels"],
)
def test_arguments_of_any_size_are_seen_or_said_not_to_be(value: str, state: ContentState) -> None:
    told_of = {key: text(one) for key, one in KINDS[0].items()}
    items, _ = read(request([span(1, told_of | {"gen_ai.tool.call.arguments": text(value)})]))
    (call,) = rebuilt(items)
    assert call.args_state is state


@pytest.mark.parametrize(
    ("value", "state"),
    [
        ('{"q": "' + "x" * 10_000_000 + '"}', ContentState.OBSERVED),
        ('{"q": "' + "x" * 10_000_000, ContentState.TRUNCATED),
        ('{"q": ' + BIG + "}", ContentState.OBSERVED),
        ('{"a":' * DEEP + "1" + "}" * DEEP, ContentState.UNPARSABLE),
    ],
    ids=["10 MB", "10 MB, cut", "401 digits", "5,000 levels"],
)
def test_arguments_in_a_log_record_may_have_any_size(value: str, state: ContentState) -> None:
    told = {"function_name": "search", "function_args": value}
    attributes = ",".join(
        f'{{"key":"{name}","value":{text(one)}}}' for name, one in told.items()
    )  # fmt: skip
    record = f'"timeUnixNano":"1","traceId":"{1:032x}","eventName":"gemini_cli.tool_call"'
    items, _ = read(logs([f'{{{record},"attributes":[{attributes}]}}']))
    (call,) = rebuilt(items)
    assert (call.tool, call.args_state) == ("search", state)


ODD = {
    "NaN": "[unreadable: NaN]",
    "-Infinity": "[unreadable: -Infinity]",
    "9" * 4_301: "[unreadable: huge number]",
    "-1e999": "[unreadable: huge number]",
    f'"{HALF}x"': "\ufffdx",
}
"""JSON text of what is odd, and what stands for it."""

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-1e9, 1e9) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(
    st.dictionaries(st.text(), plain, max_size=4),
    st.dictionaries(st.sampled_from("abc"), st.sampled_from(sorted(ODD)), min_size=1),
    st.sampled_from(["span", "message"]),
)
def test_one_odd_value_hides_no_other(
    good: dict[str, Any], odd: dict[str, str], where: str
) -> None:
    members = {key: json.dumps(value) for key, value in good.items()} | odd
    args = "{" + ",".join(f"{json.dumps(key)}:{value}" for key, value in members.items()) + "}"
    told_of = {key: text(one) for key, one in KINDS[0].items()}
    if where == "message":
        call_text = f'{{"type":"tool_call","name":"search","arguments":{args}}}'
        messages = f'[{{"role":"assistant","parts":[{call_text}]}}]'
        told_of = {key: text(one) for key, one in KINDS[1].items()}
        told_of["gen_ai.output.messages"] = text(messages)
    else:
        told_of["gen_ai.tool.call.arguments"] = text(args)
        told_of["gen_ai.tool.call.result"] = text(args)
    items, _ = read(request([span(1, told_of)]))
    (call,) = rebuilt(items)
    wanted = good | {key: ODD[value] for key, value in odd.items()}
    assert call.args == wanted
    assert call.result == (wanted if where == "span" else None)
    assert Gap.VALUES_UNREADABLE in call.gaps
    assert digest(call.args) == digest(json.loads(json_line(call_object(call)))["args"])
    for key in (key for key, value in odd.items() if ODD[value] in UNREADABLE):
        for says in ({"$lt": 5}, {"$not": {"$lt": 5}}, {"$type": "number"}, {"$not": 1}):
            assert parse({key: says}).match(JudgedCall(call).args) is Answer.UNKNOWN


times = st.sampled_from(
    ['"0"', '"1"', '"2"', '"5"', "3", '"-5"', '"18446744073709551615"', '"1e9"', "1.5", "null"]
)
ids = st.sampled_from([f'"{number:016x}"' for number in range(1, 6)])
parents = st.one_of(ids, ids, st.sampled_from(['""', "null", '"0000000000000000"']))
statuses = st.sampled_from(
    ["{}", "null", '{"code":2,"message":"\\ud83d"}', '{"code":"x"}', '{"code":99}']
)
span_fields = st.fixed_dictionaries(
    {
        "traceId": st.just(f'"{1:032x}"'),
        "spanId": st.one_of(ids, ids, ids, st.sampled_from(['""', '"zz"', "5", "null"])),
        "parentSpanId": parents,
        "startTimeUnixNano": times,
        "endTimeUnixNano": times,
        "status": statuses,
    }
)
hostile = st.sampled_from(sorted(VALUES)).map(VALUES.__getitem__)
spans = st.builds(
    lambda kind, extra, fields: span(
        1, {key: text(value) for key, value in kind.items()} | extra, **fields
    ),
    st.sampled_from(KINDS),
    st.dictionaries(st.sampled_from(ATTRIBUTES), hostile, max_size=3),
    span_fields,
)


@given(st.lists(spans, min_size=1, max_size=8))
@settings(max_examples=150)
def test_circles_skewed_clocks_and_reused_ids_raise_nothing(made: Sequence[str]) -> None:
    items, stats = read(request(made))
    assert stats.spans + stats.unreadable == len(made)
    report = told(items)
    assert len(report.trajectories) <= 1
    again = told(items[::-1])
    assert repr(again.trajectories) == repr(report.trajectories)  # NaN equals nothing


def test_a_span_of_broken_protobuf_costs_itself_alone() -> None:
    good = OfficialSpan(trace_id=b"\1" * 16, span_id=b"\2" * 8, name="x", start_time_unix_nano=1)
    whole = good.SerializeToString()
    not_utf8 = whole.replace(b"\x01x", b"\x01\xff")
    cut = whole[:-4]
    items, stats = read(in_protobuf([whole, not_utf8, cut, whole]))
    assert (len(items), stats.spans, stats.unreadable) == (2, 2, 2)


def test_protobuf_may_nest_as_deeply_as_it_likes() -> None:
    value = field(1, b"x")  # string_value
    for _ in range(DEEP):
        value = field(5, field(1, value))  # array_value of one
    named = field(1, b"gen_ai.tool.call.arguments") + field(2, value)
    tool = field(1, b"gen_ai.tool.name") + field(2, field(1, b"search"))
    operation = field(1, b"gen_ai.operation.name") + field(2, field(1, b"execute_tool"))
    ids = field(1, b"\1" * 16) + field(2, b"\2" * 8)
    data = in_protobuf([ids + field(9, named) + field(9, tool) + field(9, operation)])
    items, stats = read(data)
    (call,) = rebuilt(items)
    assert (call.tool, call.args_state) == ("search", ContentState.NOT_OBSERVED)
    assert stats.unreadable_values == 1


def field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def in_protobuf(made: Iterable[bytes]) -> bytes:
    return field(1, field(2, b"".join(field(2, one) for one in made)))


class Unspeakable:
    def __repr__(self) -> str:
        raise RuntimeError

    __str__ = __repr__


def nested(depth: int, wrap: Any) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = wrap(value)
    return value


SDK_VALUES: list[Any] = [
    *(None, True, -1, 1.5, float("nan"), float("inf"), 10**400, "\ud83d", '{"a":"\ud83d"}'),
    *("{" * DEEP, b"\xff", bytearray(b"x"), range(3), {1, 2}, Unspeakable(), object()),
    *(nested(50, lambda inner: [inner]), nested(DEEP, lambda inner: [inner])),
    *(nested(50, lambda inner: {"k": inner}), nested(DEEP, lambda inner: (inner,))),
    *({1: 2}, {"a": Unspeakable()}, {"role": "assistant", "tool_calls": [{"id": 1}]}),
    [float("nan"), 10**400, "\ud83d"],
]
sdk_times = st.sampled_from([None, 0, 5, -7, 10**18, 10**30])
sdk_spans = st.builds(
    lambda kind, extra, number, parent, start, end, message: ReadableSpan(
        name=message,
        context=SpanContext(1, number, is_remote=False, trace_flags=TraceFlags(1)),
        parent=None if parent is None else SpanContext(1, parent, is_remote=False),
        attributes={**kind, **extra},
        events=[Event("exception", extra, start)],
        start_time=start,
        end_time=end,
        status=Status(StatusCode.ERROR, message),
        resource=Resource({"service.name": message}),
    ),
    st.sampled_from(KINDS),
    st.dictionaries(st.sampled_from(ATTRIBUTES), st.sampled_from(SDK_VALUES), max_size=4),
    st.integers(1, 5),
    st.one_of(st.none(), st.integers(0, 6)),
    sdk_times,
    sdk_times,
    st.sampled_from(["", "execute_tool search", "\ud83d", "claude_code.tool"]),
)


@given(st.lists(sdk_spans, min_size=1, max_size=6))
@settings(max_examples=150)
def test_spans_of_the_sdk_may_hold_anything(made: Sequence[ReadableSpan]) -> None:
    reader = SdkReader()
    assert len(told(map(reader.span, made)).trajectories) <= 1


SPANS = 2_000
TREES = {
    "flat": lambda number: None,
    "under one span": lambda number: 0 if number else None,
    "a chain": lambda number: number - 1 if number else None,
    "a ring": lambda number: (number + 1) % SPANS,
    "each its own parent": lambda number: number,
    "under one that never comes": lambda number: SPANS + 1,
}


@pytest.mark.parametrize("backwards", [False, True], ids=["in order", "backwards"])
@pytest.mark.parametrize("tree", TREES)
def test_a_trace_may_have_any_shape(tree: str, *, backwards: bool) -> None:
    tool = {key: text(value) for key, value in KINDS[0].items()}
    parents = (TREES[tree](number) for number in range(SPANS))
    made = [
        span(
            number + 1,
            tool | {"gen_ai.tool.call.id": text(f"c{number}")},
            traceId=f'"{1:032x}"',
            parentSpanId='""' if parent is None else f'"{parent + 1:016x}"',
        )
        for number, parent in enumerate(parents)
    ]
    items, _ = read(request(made[::-1] if backwards else made))
    assembler = Assembler(Limits(spans_per_trajectory=SPANS - 500))
    for item in items:
        assembler.feed(item, now=0)
    assert len(assembler.trajectory(f"{1:032x}").calls) == SPANS
    assert assembler.counters["span_limit"] == 500


@pytest.mark.parametrize("command", [("calls",), ("score", "--contracts")])
def test_commands_end_as_they_should_whatever_is_in_the_file(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    recording, contract = tmp_path / "hostile.jsonl", tmp_path / "c.yaml"
    recording.write_bytes(
        b"".join(request(spans_with(value, CONTENT)) for value in VALUES.values())
    )
    contract.write_text("contract: c\nlanguage: 1\nforbid: [search]\n")
    name, *options = command
    words = [name, str(recording), *options, *([str(contract)] if options else [])]
    done = CliRunner().invoke(cli, words, standalone_mode=False)
    assert done.exception is None
    assert done.return_value == (1 if options else 0)
    assert done.stderr == ""
