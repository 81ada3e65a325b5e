"""Whatever telemetry holds, it leaves without its secrets, and is otherwise what it was: protobuf and the SDK's objects."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, strategies as st
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.trace import Link, SpanContext, Status as SdkStatus, StatusCode

from toolscore_otel.contracts import Contract
from toolscore_otel.sdk.redaction import Redaction
from toolscore_otel.secrets import Cleaner, Fingerprints, Measure, Scanner
from toolscore_otel.secrets.samples import make_sample
from toolscore_otel.wire.editing import without_secrets
from toolscore_otel.wire.log_editing import edited_log

SECRETS = tuple(make_sample(kind, 9) for kind in ("github_token_classic", "jwt", "npm_token"))
TEXTS = st.text('ab {}[]"\\é\n', max_size=12)
LEAKY = st.builds(lambda before, one, after: f"{before} {one} {after}", TEXTS, st.sampled_from(SECRETS), TEXTS)  # fmt: skip
STRINGS = TEXTS | LEAKY | st.sampled_from(SECRETS)
PLAIN = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | STRINGS
NESTED = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(STRINGS, inner, max_size=3),
    max_leaves=6,
)
JSON_TEXTS = NESTED.map(json.dumps)
VALUES = NESTED | JSON_TEXTS | st.binary(max_size=9)
ATTRIBUTES = st.lists(st.tuples(TEXTS | st.sampled_from(SECRETS), VALUES), max_size=4)
ACTIONS = st.sampled_from(["redact", "hash", "drop"])


def any_value(value: Any) -> AnyValue:
    match value:
        case bool():
            return AnyValue(bool_value=value)
        case int():
            return AnyValue(int_value=value)
        case float():
            return AnyValue(double_value=value)
        case bytes():
            return AnyValue(bytes_value=value)
        case list():
            return AnyValue(array_value=ArrayValue(values=map(any_value, value)))
        case dict():
            return AnyValue(kvlist_value=KeyValueList(values=pairs(value.items())))
        case _:
            return AnyValue(string_value=value)


def pairs(attributes: Any) -> list[KeyValue]:
    return [KeyValue(key=key, value=any_value(value)) for key, value in attributes]


def cleaner(action: Any) -> Cleaner:
    return Cleaner([Measure(Scanner(), action)], Fingerprints(b"key"))


def holds(data: Any) -> bool:
    """Whether a secret stands there, as it is or in JSON."""
    shown = data if isinstance(data, bytes) else repr(data).encode()
    return any(secret.encode() in shown for secret in SECRETS)


def same_but_for_secrets(before: list[KeyValue], after: list[KeyValue]) -> None:
    """What held no secret is there, byte by byte and in its order."""
    wanted = [raw for one in before if not holds(raw := one.SerializeToString(deterministic=True))]
    left = iter(one.SerializeToString(deterministic=True) for one in after)
    assert all(any(raw == other for other in left) for raw in wanted)


@given(ATTRIBUTES, ATTRIBUTES, STRINGS, STRINGS, ACTIONS)
def test_a_span_in_protobuf(attributes, inner, name, status, action):
    span = Span(
        name=name,
        trace_id=b"t" * 16,
        attributes=pairs(attributes),
        events=[Span.Event(name=name, attributes=pairs(inner))],
        links=[Span.Link(attributes=pairs(inner))],
        status=Status(code=Status.STATUS_CODE_ERROR, message=status),
    )
    raw = span.SerializeToString(deterministic=True)
    clean = without_secrets(raw, cleaner(action))
    assert not holds(clean)
    assert without_secrets(clean, cleaner(action)) is clean
    if not holds(raw):
        assert clean is raw
    told = Span.FromString(clean)
    assert told.trace_id == span.trace_id
    same_but_for_secrets(list(span.attributes), list(told.attributes))
    same_but_for_secrets(list(span.events[0].attributes), list(told.events[0].attributes))
    same_but_for_secrets(list(span.links[0].attributes), list(told.links[0].attributes))


@given(ATTRIBUTES, VALUES, STRINGS, ACTIONS)
def test_a_log_record_in_protobuf(attributes, body, name, action):
    record = LogRecord(
        span_id=b"s" * 8, event_name=name, body=any_value(body), attributes=pairs(attributes)
    )
    raw = record.SerializeToString(deterministic=True)
    clean = edited_log(raw, cleaner(action))
    assert not holds(clean)
    assert edited_log(clean, cleaner(action)) is clean
    if not holds(raw):
        assert clean is raw
    told = LogRecord.FromString(clean)
    assert told.span_id == record.span_id
    same_but_for_secrets(list(record.attributes), list(told.attributes))


@given(st.dictionaries(TEXTS, JSON_TEXTS, max_size=3), ACTIONS)
def test_json_in_an_attribute_stays_json(attributes, action):
    raw = Span(attributes=pairs(attributes.items())).SerializeToString()
    for pair in Span.FromString(without_secrets(raw, cleaner(action))).attributes:
        json.loads(pair.value.string_value)


def redaction(action: str) -> Redaction:
    clause = {"action": action}
    contract = Contract.from_dict({"contract": "c", "language": 1, "secrets": clause})
    return Redaction([contract], "key")


@given(ATTRIBUTES, ATTRIBUTES, STRINGS, STRINGS, ACTIONS)
def test_a_span_of_the_sdk(attributes, inner, name, status, action):
    context = SpanContext(1, 2, is_remote=False)
    span = ReadableSpan(
        name=name,
        context=context,
        attributes={"gen_ai.tool.name": "x", **dict(attributes)},
        events=[Event(name, dict(inner), 1)],
        links=[Link(context, dict(inner))],
        status=SdkStatus(StatusCode.ERROR, status),
    )
    clean = redaction(action).clean(span)
    told: list[Any] = [clean.name, dict(clean.attributes or {}), clean.status.description]
    told += [(event.name, dict(event.attributes or {})) for event in clean.events]
    told += [dict(link.attributes or {}) for link in clean.links]
    assert not holds(told)
    assert redaction(action).clean(clean) is clean
    for key, value in (span.attributes or {}).items():
        if not holds([key, value]):
            assert (clean.attributes or {})[key] is value
