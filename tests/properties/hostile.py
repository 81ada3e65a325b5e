"""Telemetry that no instrumentation should write, and some do."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from toolscore_otel.conventions import attributes as names, coding_agents

DEEP = 5_000
"""Levels: past what Python recurses into, and past what protobuf does."""

BIG = "9" * 401
"""Digits of an integer that fits nowhere; past 4,300 Python reads it no more."""

HALF = r"\ud83d"
"""Half of an emoji, as JSON writes it."""


def text(value: str) -> str:
    """An `AnyValue` of a text."""
    return json.dumps({"stringValue": value})


def in_lists(depth: int) -> str:
    return '{"arrayValue":{"values":[' * depth + text("x") + "]}}" * depth


def in_objects(depth: int) -> str:
    opening = '{"kvlistValue":{"values":[{"key":"content","value":'
    return opening * depth + text("x") + "}]}}" * depth


MESSAGE = {
    "role": "assistant",
    "tool_calls": [{"id": 5, "function": {"name": ["x"], "arguments": float("nan")}}],
}

VALUES: Mapping[str, str] = {
    "a truth": '{"boolValue":true}',
    "a number": '{"intValue":"-5"}',
    "the greatest number": '{"intValue":"9223372036854775807"}',
    "a number of 401 digits": f'{{"intValue":{BIG}}}',
    "401 digits as text": text(BIG),
    "401 digits in an object": text(f'{{"a": {BIG}}}'),
    "5,000 digits in an object": text(f'{{"a": {"9" * 5_000}}}'),
    "a huge amount": '{"doubleValue":1e300}',
    "no number": '{"doubleValue":"NaN"}',
    "no number, bare": '{"doubleValue":NaN}',
    "infinity": '{"doubleValue":-Infinity}',
    "no number in an object": text('{"a": NaN, "b": Infinity}'),
    "half an emoji": f'{{"stringValue":"{HALF}"}}',
    "half an emoji in an object": f'{{"stringValue":"{{\\"a\\": \\"{HALF}\\"}}"}}',
    "half an emoji, escaped twice": text(f'{{"a": "{HALF}"}}'),
    "half an emoji, NaN, a huge number and a good one": text(
        f'{{"a": "{HALF}", "b": [NaN, {"9" * 5_000}], "c": 1}}'
    ),
    "a Python literal of these": text("{'a': '\\ud83d', 'b': [nan, -inf], 'c': 1}"),
    "NaN in an object of its own sort": '{"kvlistValue":{"values":[{"key":"a","value":{"doubleValue":"NaN"}},{"key":"c","value":{"intValue":"1"}}]}}',
    "messages in bytes": '{"bytesValue":"77u/W3sicm9sZSI6ImFzc2lzdGFudCIsInRvb2xfY2FsbHMiOls1XX1d"}',
    "messages line by line": text(
        '{"role": "user"}\n{"role": "assistant", "tool_calls": [NaN]}\n{"x'
    ),
    "messages in an object": text('{"input": {"messages": [{"role": "tool", "content": NaN}]}}'),
    "a text that says that it was cut": text("all of it [truncated]"),
    "half an emoji as a key": f'{{"kvlistValue":{{"values":[{{"key":"{HALF}","value":null}}]}}}}',
    "50 levels of text": text('{"a":' * 50 + "1" + "}" * 50),
    "5,000 levels of text": text('{"a":' * DEEP + "1" + "}" * DEEP),
    "5,000 levels that are never closed": text('{"a":[' * DEEP),
    "50 lists": in_lists(50),
    "50 objects": in_objects(50),
    "bytes": '{"bytesValue":"/w=="}',
    "nothing": "null",
    "no value": "{}",
    "a text that is none": '{"stringValue":5}',
    "an empty text": text(""),
    "a zero character": text("\0"),
    "an empty list": '{"arrayValue":{}}',
    "a list of nothing": '{"arrayValue":{"values":[null,{}]}}',
    "an empty object": '{"kvlistValue":{}}',
    "odd messages": text(json.dumps([MESSAGE])),
}
"""What it is -> an `AnyValue` in JSON, as it stands in a file."""

TOO_DEEP: Mapping[str, str] = {"5,000 lists": in_lists(DEEP), "5,000 objects": in_objects(DEEP)}

KINDS: tuple[Mapping[str, str], ...] = (
    {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"},
    {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4o-mini"},
    {"gen_ai.operation.name": "invoke_agent"},
    {"openinference.span.kind": "TOOL"},
    {"openinference.span.kind": "LLM"},
    {},
)
"""What a span is besides."""


TOGETHER = {"traceId": f'"{1:032x}"'}


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple | frozenset):
        for item in value:
            yield from _texts_in(item)


ATTRIBUTES = sorted(
    {
        one
        for name, value in (vars(names) | vars(coding_agents)).items()
        if name.isupper()
        for one in _texts_in(value)
    }
)
"""Every name that a reader looks at."""

CONTENT = tuple(
    name for name in ATTRIBUTES if name.endswith(("arguments", "result", "messages", "value"))
)


def span(number: int, attributes: Mapping[str, str], **fields: str) -> str:
    """A span in OTLP/JSON.

    Args:
        number: its id, and its trace's.
        attributes: name -> `AnyValue` in JSON.
        fields: of the span, as JSON.
    """
    pairs = ",".join(f'{{"key":{json.dumps(key)},"value":{value}}}' for key, value in attributes.items())  # fmt: skip
    known = {
        "traceId": f'"{number:032x}"',
        "spanId": f'"{number:016x}"',
        "name": '"x"',
        "startTimeUnixNano": '"1"',
        "endTimeUnixNano": '"2"',
        "attributes": f"[{pairs}]",
    }
    return "{" + ",".join(f'"{key}":{value}' for key, value in (known | fields).items()) + "}"


def request(spans: Iterable[str], service: str = '{"stringValue":"s"}') -> bytes:
    """A line of a file."""
    resource = f'{{"attributes":[{{"key":"service.name","value":{service}}}]}}'
    line = f'{{"resourceSpans":[{{"resource":{resource},"scopeSpans":[{{"spans":[{",".join(spans)}]}}]}}]}}\n'
    return line.encode()


def spans_with(value: str, attributes: Iterable[str] = ATTRIBUTES) -> list[str]:
    """A span of each kind for each attribute, which holds the value; all of one trace."""
    cases = [(kind, name) for kind in KINDS for name in attributes]
    return [
        span(number, {key: text(told) for key, told in kind.items()} | {name: value}, **TOGETHER)
        for number, (kind, name) in enumerate(cases, start=1)
    ]
