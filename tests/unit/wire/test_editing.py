"""Findings written on serialised spans, and secrets taken out of them."""

import json
from typing import Any

import pytest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from toolscore_otel.secrets import KINDS, Cleaner, Fingerprints, Measure, Scanner
from toolscore_otel.secrets.samples import make_sample
from toolscore_otel.wire.editing import (
    UNREADABLE,
    may_change,
    with_events,
    withheld,
    without_secrets,
)
from toolscore_otel.wire.fields import Unreadable
from toolscore_otel.wire.passing import PassingSpan, TracesRequest
from toolscore_otel.wire.proto_fields import varint

KIND = "aws_access_key_id"
SECRET = make_sample(KIND, 1)
MARK = f"[REDACTED:{KIND}]"
UNKNOWN = b"\xd2\x3e\x03new"  # field 1002, which no version of OTLP has


def cleaner(*actions: Any, **scanner: Any) -> Cleaner:
    measures = [Measure(Scanner(**scanner), action) for action in actions or ("redact",)]
    return Cleaner(measures, Fingerprints(b"key"))


def pair(key: str, value: Any) -> KeyValue:
    return KeyValue(key=key, value=any_value(value))


def any_value(value: Any) -> AnyValue:
    match value:
        case str():
            return AnyValue(string_value=value)
        case bytes():
            return AnyValue(bytes_value=value)
        case bool():
            return AnyValue(bool_value=value)
        case int():
            return AnyValue(int_value=value)
        case float():
            return AnyValue(double_value=value)
        case list():
            return AnyValue(array_value=ArrayValue(values=[any_value(entry) for entry in value]))
        case dict():
            pairs = [pair(key, entry) for key, entry in value.items()]
            return AnyValue(kvlist_value=KeyValueList(values=pairs))
        case _:
            return AnyValue()


def span(**fields: Any) -> Span:
    known: dict[str, Any] = {
        "trace_id": b"t" * 16,
        "span_id": b"s" * 8,
        "name": "execute_tool fetch",
        "attributes": [pair("gen_ai.tool.name", "fetch")],
    }
    return Span(**(known | fields))


def attribute(key: str, value: Any) -> Span:
    return span(attributes=[pair("gen_ai.tool.name", "fetch"), pair(key, value)])


def clean(message: Span, by: Cleaner | None = None) -> Span:
    return Span.FromString(without_secrets(message.SerializeToString(), by or cleaner()))


def passing(raw: bytes) -> PassingSpan:
    """The span alone in a request."""
    part = b"\x12" + varint(len(raw)) + raw
    group = b"\x12" + varint(len(part)) + part
    (one,) = TracesRequest.of_bytes(b"\x0a" + varint(len(group)) + group).spans
    return one


def test_nothing_to_do_leaves_the_same_object():
    raw = span().SerializeToString()
    assert without_secrets(raw, cleaner()) is raw


def test_events_stand_behind_those_that_were_there():
    message = span(events=[Span.Event(name="old", time_unix_nano=1)])
    attributes: dict[str, Any] = {"text": "x", "number": 3, "ratio": 0.5, "flag": True}
    raw = message.SerializeToString()
    changed = with_events(raw, [("toolscore.a", attributes), ("toolscore.b", {})], 7)
    message.events.append(
        Span.Event(
            name="toolscore.a",
            time_unix_nano=7,
            attributes=[pair(key, value) for key, value in attributes.items()],
        )
    )
    message.events.append(Span.Event(name="toolscore.b", time_unix_nano=7))
    assert Span.FromString(changed) == message
    assert changed.startswith(raw)


VALUES = {
    "text": (SECRET, MARK),
    "in a text": (f"with {SECRET} in it", f"with {MARK} in it"),
    "json": (f'{{"token": "{SECRET}", "n": 1}}', f'{{"token": "{MARK}", "n": 1}}'),
    "json in json": (json.dumps([json.dumps([SECRET])]), json.dumps([json.dumps([MARK])])),
    "bytes": (SECRET.encode(), MARK.encode()),
    "bytes that are no text": (b"\xff" + SECRET.encode(), f"\ufffd{MARK}".encode()),
    "list": (["fine", SECRET, 7], ["fine", MARK, 7]),
    "object": (
        {"a": [{"b": SECRET}], "c": 0.5, "d": b"\xff"},
        {"a": [{"b": MARK}], "c": 0.5, "d": b"\xff"},
    ),
    "key": ({SECRET: 1, "b": True}, {MARK: 1, "b": True}),
    "beside infinity": ([float("inf"), SECRET, None], [float("inf"), MARK, None]),
}
VALUE = pytest.mark.parametrize(("value", "expected"), VALUES.values(), ids=list(VALUES))


@VALUE
def test_a_secret_is_taken_out_of_a_value_of_any_kind(value, expected):
    assert clean(attribute("k", value)) == attribute("k", expected)


@VALUE
def test_events_links_and_nothing_around_them_change(value, expected):
    def made(one: Any) -> Span:
        return span(
            events=[Span.Event(name="e", time_unix_nano=5, attributes=[pair("k", one)])],
            links=[Span.Link(trace_id=b"l" * 16, attributes=[pair("k", one)], flags=1)],
        )

    assert clean(made(value)) == made(expected)


def test_a_status_text_is_searched():
    status = Status(code=Status.STATUS_CODE_ERROR, message=f"failed with {SECRET}")
    assert clean(span(status=status)).status == Status(
        code=Status.STATUS_CODE_ERROR, message=f"failed with {MARK}"
    )


def test_a_name_tells_what_stands_under_it():
    password = "Tr0ub4dor" + "-and-3"
    assert clean(attribute("db_password", password)) != attribute("db_password", password)
    assert clean(attribute("k", {"password": password})) != attribute("k", {"password": password})
    assert clean(attribute("color", password)) == attribute("color", password)


def test_a_name_that_is_a_secret_is_taken_out():
    pairs = [pair(SECRET, 1), pair(SECRET, 2), pair("k", 3)]
    assert [one.key for one in clean(span(attributes=pairs)).attributes] == [
        MARK,
        f"{MARK} 1",
        "k",
    ]


def test_names_of_spans_and_events_leave_without_it_whatever_the_action():
    events = [Span.Event(name=f"at {SECRET}", time_unix_nano=5), Span.Event(name="fine")]
    message = span(name=f"fetch {SECRET}", events=events)
    assert may_change(passing(message.SerializeToString()), cleaner())
    for action in ("redact", "drop"):
        told = clean(message, cleaner(action))
        assert [told.name, told.events[0].name] == [f"fetch {MARK}", f"at {MARK}"]
        assert told.events[0].time_unix_nano == 5
        assert told.events[1] == events[1]


def test_both_values_of_a_name_that_comes_twice_are_searched():
    twice = AnyValue(kvlist_value=KeyValueList(values=[pair("k", SECRET), pair("k", "fine")]))
    message = span(attributes=[pair("k", SECRET), pair("k", "x"), KeyValue(key="n", value=twice)])
    raw = message.SerializeToString()
    assert SECRET.encode() not in without_secrets(raw, cleaner())


def test_drop_takes_the_whole_value():
    status = Status(code=Status.STATUS_CODE_ERROR, message=SECRET)
    message = attribute("k", [SECRET, "x"])
    message.status.CopyFrom(status)
    expected = span(status=Status(code=Status.STATUS_CODE_ERROR))
    assert clean(message, cleaner("drop")) == expected


def test_hash_tells_equal_secrets_and_no_characters():
    found = clean(attribute("k", {"a": SECRET, "b": SECRET}), cleaner("hash")).attributes[1].value
    one, two = (entry.value.string_value for entry in found.kvlist_value.values)
    assert one == two == f"[REDACTED:{KIND}.{Fingerprints(b'key').of(SECRET)}]"


def test_measures_follow_one_another():
    only = Measure(Scanner([KIND]), "redact"), Measure(Scanner(not_kinds=[KIND]), "drop")
    both = Cleaner(only, Fingerprints(b"key"))
    token = make_sample("npm_token", 1)
    assert clean(attribute("k", SECRET), both) == attribute("k", MARK)
    assert clean(attribute("k", token), both) == span()


def nested(depth: int) -> bytes:
    """A span with a secret that many lists down, which no message class takes."""
    value = any_value(SECRET).SerializeToString()
    for _ in range(depth):
        entry = b"\x0a" + varint(len(value)) + value
        value = b"\x2a" + varint(len(entry)) + entry
    held = b"\x0a\x01k\x12" + varint(len(value)) + value
    return span().SerializeToString() + b"\x4a" + varint(len(held)) + held


@pytest.mark.parametrize("depth", [1, 40, 100])
def test_a_secret_is_found_however_deep_it_lies(depth):
    raw = nested(depth)
    assert SECRET.encode() not in without_secrets(raw, cleaner())
    assert may_change(passing(raw), cleaner())


@pytest.mark.parametrize("depth", [101, 400])
def test_what_nests_too_deeply_to_be_searched_does_not_go_on(depth):
    raw = nested(depth)
    assert may_change(passing(raw), cleaner())
    changed = Span.FromString(without_secrets(raw, cleaner()))
    assert changed == attribute("k", UNREADABLE)


def test_what_is_broken_inside_does_not_go_on():
    raw = span().SerializeToString() + b"\x4a\x09\x0a\x01k\x12\x04\x2a\x02\x0a\x09"
    assert may_change(passing(raw), cleaner())
    changed = without_secrets(raw, cleaner())
    assert Span.FromString(changed) == attribute("k", UNREADABLE)


def test_unknown_fields_stay_on_every_level():
    value = any_value(SECRET).SerializeToString() + UNKNOWN
    held = b"\x0a\x01k\x12" + varint(len(value)) + value + UNKNOWN
    event = b"\x1a" + varint(len(held)) + held + UNKNOWN
    raw = UNKNOWN + b"\x5a" + varint(len(event)) + event + span().SerializeToString()
    changed = without_secrets(raw, cleaner())
    assert changed.count(UNKNOWN) == raw.count(UNKNOWN) == 4
    assert changed.startswith(UNKNOWN)
    assert MARK.encode() in changed


def test_attributes_without_a_secret_keep_their_bytes():
    odd = b"\x4a\x0c\x12\x07\x0a\x84\x00fine\x0a\x01a"  # the value before the name, a long length
    raw = odd + attribute("k", SECRET).SerializeToString() + odd
    changed = without_secrets(raw, cleaner())
    assert changed.startswith(odd)
    assert changed.endswith(odd)


def test_what_is_withheld_keeps_its_place_and_nothing_else():
    one = passing(attribute("k", SECRET).SerializeToString())
    assert one.place is not None
    left = span(name=UNREADABLE)
    left.ClearField("attributes")
    assert Span.FromString(withheld(one.place)) == left


def test_broken_bytes_are_no_span():
    with pytest.raises(Unreadable):
        without_secrets(b"\x4a\x05a", cleaner())


FORMS = {
    "plain": lambda text: text,
    "in a sentence": lambda text: f"so: {text} ",
    "json": lambda text: json.dumps({"a": text}),
    "json in json": lambda text: json.dumps([json.dumps({"a": [text]})]),
    "escaped slashes": lambda text: json.dumps({"a": text}).replace("/", "\\/"),
    "escaped letters": lambda text: '"' + "".join(f"\\u{ord(one):04x}" for one in text) + '"',
    "percent": lambda text: text.replace(":", "%3A").replace("/", "%2F").replace("=", "%3D"),
    "in a list": lambda text: ["x", text],
    "in an object": lambda text: {"x": {"y": text}},
    "bytes": lambda text: text.encode(),
    "beside other letters": lambda text: f"é{text}",
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", ["attribute", "event", "link", "status"])
def test_what_the_quick_look_passes_holds_nothing(place, form, kind):
    value = FORMS[form](make_sample(kind, 5))
    messages = {
        "attribute": attribute("k", value),
        "event": span(events=[Span.Event(attributes=[pair("k", value)])]),
        "link": span(
            links=[Span.Link(trace_id=b"l" * 16, span_id=b"k" * 8, attributes=[pair("k", value)])]
        ),
        "status": span(status=Status(message=str(value))),
    }
    raw = messages[place].SerializeToString()
    changes = without_secrets(raw, cleaner()) is not raw
    assert may_change(passing(raw), cleaner()) or not changes


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_taken_out(kind):
    raw = attribute("k", make_sample(kind, 5)).SerializeToString()
    assert without_secrets(raw, cleaner()) is not raw


def test_most_spans_pass_the_quick_look():
    message = span(
        attributes=[
            pair("gen_ai.usage.input_tokens", 12_345),
            pair(
                "gen_ai.tool.call.arguments", '{"query": "the secret of good tea", "max_tokens": 5}'
            ),
        ]
    )
    assert not may_change(passing(message.SerializeToString()), cleaner())


def test_a_pattern_of_ones_own_is_asked_of_every_span():
    own = cleaner(patterns=[("customer", r"KD-\d{5}")])
    message = attribute("k", "of KD-12345")
    assert may_change(passing(message.SerializeToString()), own)
    assert clean(message, own) == attribute("k", "of [REDACTED:customer]")
