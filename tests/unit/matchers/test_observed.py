import json

import pytest

from toolscore_otel.matchers import (
    HIDDEN,
    UNKNOWN,
    CutText,
    OpenList,
    OpenObject,
    SomeNumber,
    observed,
)
from toolscore_otel.matchers.cut import MAX_DEPTH
from toolscore_otel.matchers.observed import observed_result
from toolscore_otel.model import NOT_OBSERVED, ContentState, Payload

POSITIVE = SomeNumber(low=0.0)
NEGATIVE = SomeNumber(high=0.0)


def _read(text: str) -> object:
    return observed(Payload(ContentState.TRUNCATED, text=text))


def test_a_value_that_was_observed_is_itself():
    value = {"a": [1]}
    assert observed(Payload(ContentState.OBSERVED, value)) is value
    assert observed(Payload(ContentState.OBSERVED, None)) is None


@pytest.mark.parametrize(
    "payload",
    [
        NOT_OBSERVED,
        Payload(ContentState.UNPARSABLE, text='{"a": 1}'),
        Payload(ContentState.TRUNCATED),
        Payload(ContentState.TRUNCATED, text=""),
        Payload(ContentState.TRUNCATED, text="plain text"),
    ],
)
def test_what_was_not_observed_keeps_nothing(payload):
    assert observed(payload) is UNKNOWN


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{", OpenObject({})),
        ('{"', OpenObject({}, "")),
        ('{"a', OpenObject({}, "a")),
        ('{"a"', OpenObject({"a": HIDDEN})),
        ('{"a":', OpenObject({"a": HIDDEN})),
        ('{"a": 1', OpenObject({"a": POSITIVE})),
        ('{"a": -', OpenObject({"a": NEGATIVE})),
        ('{"a": -1', OpenObject({"a": NEGATIVE})),
        ('{"a": 1 ', OpenObject({"a": 1})),
        ('{"a": 1,', OpenObject({"a": 1}, "")),
        ('{"a": 1, "b\\u00', OpenObject({"a": 1}, "b")),
        ('{"a": 1.5e3, "b": "x', OpenObject({"a": 1500.0, "b": CutText("x")})),
        ('{"a": "x"', OpenObject({"a": "x"})),
        ('{"a": t', OpenObject({"a": True})),
        ('{"a": fals', OpenObject({"a": False})),
        ('{"a": null', OpenObject({"a": None})),
        ("[", OpenList([])),
        ("[1", OpenList([POSITIVE])),
        ("[1,", OpenList([1, HIDDEN])),
        ('[1, "a", [', OpenList([1, "a", OpenList([])])),
        ("[[1], {", OpenList([[1], OpenObject({})])),
        ('[{"a": [1, 2', OpenList([OpenObject({"a": OpenList([1, POSITIVE])})])),
        ('["a\\n\\u00e9\\', OpenList([CutText("a\né")])),
        ('["a\\\\', OpenList([CutText("a\\")])),
        ('["a\\ud83d', OpenList([CutText("a")])),
        ('["tea\ufffd', OpenList([CutText("tea")])),
        ('"text', CutText("text")),
        ('{"a": "line\nbreak", "b', OpenObject({"a": "line\nbreak"}, "b")),
        ('{"a": 1}', {"a": 1}),
    ],
)
def test_a_cut_text_keeps_what_it_still_shows(text, value):
    assert value == _read(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "hello wo...', OpenObject({"a": CutText("hello wo")})),
        ('{"a": "hello wo…', OpenObject({"a": CutText("hello wo")})),
        ('{"a": "hello wo...[truncated]', OpenObject({"a": CutText("hello wo")})),
        ('{"a": "hello wo... (12 chars truncated)', OpenObject({"a": CutText("hello wo")})),
        ('{"a": "hello wo<truncated 80 bytes>', OpenObject({"a": CutText("hello wo")})),
        ('{"a": 12...', OpenObject({"a": POSITIVE})),
        ('{"a": 12 [truncated]', OpenObject({"a": POSITIVE})),
        ('{"a": 1, ...', OpenObject({"a": 1}, "")),
        ("[1, ...", OpenList([1, HIDDEN])),
        ("[...", OpenList([])),
        ('{"a": 1} trailing', {"a": 1}),
        ("{'a': 1", OpenObject({})),
        ('{"a" 1', OpenObject({"a": HIDDEN})),
        ('{"a": 1]', OpenObject({"a": 1})),
        ('{"a": nope', OpenObject({"a": HIDDEN})),
        ('{"a": "bad \\x escape", "b": 1', OpenObject({"a": HIDDEN})),
    ],
)
def test_a_mark_behind_the_cut_is_no_part_of_the_text(text, value):
    assert value == _read(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": N', OpenObject({"a": HIDDEN})),
        ('{"a": NaN', OpenObject({"a": HIDDEN})),
        ('{"a": NaN, "b": 1,', OpenObject({"a": HIDDEN, "b": 1}, "")),
        ('{"a": [Infinity, -Infinity, 2,', OpenObject({"a": OpenList([HIDDEN, HIDDEN, 2, HIDDEN])})),
        ('{"a": -Inf', OpenObject({"a": HIDDEN})),
        ('{"a": Nope, "b": 1', OpenObject({"a": HIDDEN})),
        ('{"a": "x \\ud83d y", "b', OpenObject({"a": "x \ufffd y"}, "b")),
        ('{"a": "\ud83d", "b": "\\ud83d\\ude00', OpenObject({"a": "\ufffd", "b": CutText("\U0001f600")})),
    ],
)  # fmt: skip
def test_what_is_no_value_costs_itself_alone(text, value):
    assert value == _read(text)


def _read_result(text: str | None) -> object:
    return observed_result(ContentState.TRUNCATED, None, text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("It is sun", CutText("It is sun")),
        ("12 apples and", CutText("12 apples and")),
        ("truly", CutText("truly")),
        ("It is sun\n[... telemetry preview truncated ...]", CutText("It is sun")),
        ("It is \ud83d sun", CutText("It is \ufffd sun")),
        ("It is sun\ufffd", CutText("It is sun")),
        *((text, HIDDEN) for text in ("12", "-1.5e", "-", "tru", "null", "fa", '"It is', "[see", "{x")),
        *((text, HIDDEN) for text in ("12 [truncated]", "[RED", "***")),
        ('{"a": "x', OpenObject({"a": CutText("x")})),
        ("[[1], ", OpenList([[1], HIDDEN])),
        ("", UNKNOWN),
        (None, UNKNOWN),
    ],
)  # fmt: skip
def test_of_a_result_that_was_cut_plain_text_is_a_text(text, value):
    assert value == _read_result(text)


def test_a_result_that_was_observed_is_itself():
    assert observed_result(ContentState.OBSERVED, {"a": 1}, None) == {"a": 1}
    assert observed_result(ContentState.UNPARSABLE, None, "x") is UNKNOWN


def test_a_text_that_may_turn_out_to_be_a_placeholder_is_hidden():
    for cut in ("", "[RED", "<", "__REDACTED_", "**", "HIDDEN:non", "[REDACTED:key", "[REDACTED]"):
        assert OpenObject({"a": HIDDEN}) == _read('{"a": "' + cut)
    for cut in ("[REDACTED] x", "[REDUCED", "* x", "hidden"):
        assert OpenObject({"a": CutText(cut)}) == _read('{"a": "' + cut)


def test_a_number_of_more_digits_than_python_reads_is_some_number():
    assert OpenList([SomeNumber(), CutText("x")]) == _read("[" + "9" * 5000 + ', "x')


def test_nesting_beyond_the_limit_counts_as_cut():
    value = _read("[" * 100_000)
    for _ in range(MAX_DEPTH - 1):
        assert isinstance(value, OpenList)
        (value,) = value.items
    assert OpenList([HIDDEN]) == value


def test_every_cut_of_a_text_reads_without_an_error():
    text = json.dumps(
        {"a": [1, -2.5e-3, 'é\n"', {"b": None, "c": [True, False, {}]}], "": "\ud83d\ude00"}
    )
    for end in range(len(text)):
        assert _read(text[:end]) != json.loads(text)
    assert _read(text) == json.loads(text)
