import json
from typing import Any

import pytest

from toolscore_otel.conventions import content, unreadable
from toolscore_otel.model import NOT_OBSERVED, ContentState, Payload
from toolscore_otel.report.json_line import json_line

OBSERVED = ContentState.OBSERVED


@pytest.mark.parametrize("value", [None, "null", "HIDDEN:non-empty", "__REDACTED__", "<REDACTED>"])
def test_absent_null_and_hidden_arguments_are_not_observed(value):
    assert content.arguments(value) == NOT_OBSERVED


def test_an_empty_object_is_observed():
    assert content.arguments("{}") == Payload(OBSERVED, {})


@pytest.mark.parametrize(
    "recorded",
    [
        {"city": "Paris"},
        '{"city": "Paris"}',
        '"{\\"city\\": \\"Paris\\"}"',
        "{'city': 'Paris'}",
    ],
    ids=["structured", "json", "json in json", "python literal"],
)
def test_arguments_are_read_however_they_are_recorded(recorded):
    assert content.arguments(recorded) == Payload(OBSERVED, {"city": "Paris"})


@pytest.mark.parametrize("recorded", [["Paris"], 3, '"Paris"', "[1, 2]"])
def test_arguments_that_are_no_object_are_kept_where_they_were_recorded_as_such(recorded):
    assert content.arguments(recorded).state is OBSERVED


@pytest.mark.parametrize(
    "cut",
    ['{"city": "Par', '{"a": [1, 2', '{"a": {"b": 1}', "{'city': \"it's", '{"a": "b\\"', "["],
)
def test_text_that_ends_inside_a_structure_is_truncated(cut):
    assert content.arguments(cut) == Payload(ContentState.TRUNCATED, text=cut)


@pytest.mark.parametrize(
    "broken", ["Paris", "", "NaN", "9" * 5_000, '{"a": 1}}', '{"a" 1}', "{'a': x()}"]
)
def test_other_text_that_is_no_json_is_unparsable(broken):
    assert content.arguments(broken) == Payload(ContentState.UNPARSABLE, text=broken)


def test_what_pydantic_ai_wrapped_as_broken_json_is_broken():
    recorded = '{"INVALID_JSON": "{\\"city\\": \\"Paris\\", \\"units\\": "}'
    assert content.arguments(recorded) == Payload(
        ContentState.TRUNCATED, text='{"city": "Paris", "units": '
    )


@pytest.mark.parametrize(
    ("recorded", "value"),
    [
        ("18 C, cloudy", "18 C, cloudy"),
        ("", ""),
        ("[see below", "[see below"),
        ("42", 42),
        ("null", None),
        ('{"ok": true}', {"ok": True}),
        ('"\\"Refund issued.\\""', "Refund issued."),
        ("{'ok': True, 'pair': (1,), 'none': None}", {"ok": True, "pair": [1], "none": None}),
        ('[{"type": "text", "text": "{\\"ok\\": true}"}]', {"ok": True}),
        ('{"type": "text", "text": "done", "annotations": null}', "done"),
        ([{"type": "text", "text": "done"}], "done"),
    ],
)
def test_results_are_values_and_plain_text_is_one(recorded, value):
    assert content.result(recorded) == Payload(OBSERVED, value)


@pytest.mark.parametrize(
    "recorded",
    [
        [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
        [{"type": "text", "text": "a", "annotations": {"audience": ["user"]}}],
        [{"text": "a"}],
    ],
)
def test_content_blocks_that_say_more_stay_as_they_are(recorded):
    assert content.result(recorded) == Payload(OBSERVED, recorded)


def test_a_result_cut_inside_a_structure_is_truncated():
    assert content.result('{"orders": [{"id"') == Payload(
        ContentState.TRUNCATED, text='{"orders": [{"id"'
    )


def test_a_placeholder_in_a_field_is_seen():
    assert content.has_placeholder('{"token":"[REDACTED]"}')
    assert content.has_placeholder("[Scrubbed due to 'token']")
    assert not content.has_placeholder('{"note":"a [REDACTED] word"}')
    assert not content.has_placeholder({"token": "[REDACTED]"})


@pytest.mark.parametrize("text", ['{"a":' * 40_000 + "1" + "}" * 40_000, "['x'," * 40_000])
def test_deep_nesting_is_text(text):
    assert content.arguments(text).value is None
    assert content.arguments(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "{'a': '\\d'}",
        "{'a': '\\x4'}",
        "{'a': 1 2}",
        "{'a': 'b' 'c'}",
        "{'a': xTrue}",
        "{1, 2}",
    ],
)
def test_what_repr_would_not_write_is_no_literal(text):
    assert content.arguments(text).state is ContentState.UNPARSABLE


NAN, INF, MINUS = "[unreadable: NaN]", "[unreadable: Infinity]", "[unreadable: -Infinity]"
HUGE = "[unreadable: huge number]"


@pytest.mark.parametrize(
    ("recorded", "value"),
    [
        ('{"a": NaN, "b": 1}', {"a": NAN, "b": 1}),
        ('{"a": [Infinity, -Infinity, null], "b": 1}', {"a": [INF, MINUS, None], "b": 1}),
        ('{"a": 1e999, "b": -1.5, "c": 1e-999}', {"a": HUGE, "b": -1.5, "c": 0.0}),
        (f'{{"a": -{"9" * 4_301}, "b": -{"1" * 4_300}}}', {"a": HUGE, "b": -int("1" * 4_300)}),
        (r'{"a": "x \ud83d", "b": "\ud83d\ude00"}', {"a": "x \ufffd", "b": "\U0001f600"}),
        (r'{"\ude00": 1, "b": [{"c": "\ud83d\ud83d\ude00"}]}', {"\ufffd": 1, "b": [{"c": "\ufffd\U0001f600"}]}),
        ('{"a": "\ud83d", "b": 1}', {"a": "\ufffd", "b": 1}),
        ('"{\\"a\\": NaN, \\"b\\": 1}"', {"a": NAN, "b": 1}),
        ("{'a': nan, 'b': (inf, -inf), 'c': 'x \\ud83d'}", {"a": NAN, "b": [INF, MINUS], "c": "x \ufffd"}),
        ("{'a': 1e999}", {"a": HUGE}),
        ({"a": float("nan"), "b": None, "c": True}, {"a": NAN, "b": None, "c": True}),
        ({"a": [float("inf")], "b": {"c": -float("inf"), "d": 0.5}}, {"a": [INF], "b": {"c": MINUS, "d": 0.5}}),
        ({"a": 10**4_300, "b": 10**4_299}, {"a": HUGE, "b": 10**4_299}),
        ({"\ud83d": "\ude00 x"}, {"\ufffd": "\ufffd x"}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("read", [content.arguments, content.result])
def test_what_is_unreadable_costs_itself_alone(read, recorded, value):
    payload = read(recorded)
    assert payload == Payload(OBSERVED, value, is_mended=True)
    strict(payload.value)


def strict(value):
    """Nothing that a program which takes no more than JSON would refuse."""

    def refuse(word):
        raise AssertionError(word)

    json.loads(json_line(value).encode(), parse_constant=refuse)
    value_again = json_line(json.loads(json_line(value)))
    assert value_again.encode() == json_line(value).encode()


@pytest.mark.parametrize(
    "value",
    ['{"a": null, "b": 1.5}', {"a": None}, {"a": "null", "é": 2}, {"a": 10**400}, [None, "\ufffd"]],
)
def test_of_what_is_readable_nothing_is_said_to_be_mended(value):
    recorded = json.loads(value) if isinstance(value, str) else value
    assert content.arguments(value) == Payload(OBSERVED, recorded)
    assert content.result(value) == Payload(OBSERVED, recorded)


@pytest.mark.parametrize(
    ("value", "said"),
    [(float("nan"), NAN), (-float("inf"), MINUS), ("half \ud83d", "half \ufffd"), (NAN, NAN)],
)
def test_a_result_that_is_unreadable_itself_is_said_to_be(value, said):
    assert content.result(value) == Payload(OBSERVED, said, is_mended=True)


def test_a_number_that_is_none_is_no_arguments_to_be_looked_at():
    assert content.arguments(float("nan")) == Payload(OBSERVED, NAN, is_mended=True)


def test_what_lies_too_deep_is_left_as_it_is():
    value: dict[str, Any] = {}
    inner = value
    for _ in range(unreadable.DEEPEST + 50):
        inner["a"] = {}
        inner = inner["a"]
    inner["b"] = [None, "\ud83d"]
    for told in (value, json.dumps(value)):
        assert content.arguments(told) == Payload(OBSERVED, value)


@pytest.mark.parametrize(
    "cut",
    [
        "1\n2\n[... telemetry preview truncated ...]",
        "It is sun [truncated]",
        "It is sun… (TRUNCATED, 40 more lines)\n",
        "It is sun <truncated 3 KB>",
        [{"type": "text", "text": "It is sun [truncated]"}],
        [{"type": "text", "text": '{"sky": "blu'}],
        '{"sky": "blu...[truncated]',
    ],
)
def test_a_result_that_says_at_its_end_that_it_was_cut_is_truncated(cut):
    text = cut if isinstance(cut, str) else cut[0]["text"]
    assert content.result(cut) == Payload(ContentState.TRUNCATED, text=text)


@pytest.mark.parametrize(
    "whole",
    [
        "It goes on...",
        "It was truncated",
        "[truncated] at the begin",
        "(as you see) it was truncated (by hand)",
        "f(x) [see truncated\nlist]",
        "not truncatedly [untruncated]",
        "",
    ],
)
def test_dots_and_words_alone_are_no_evidence_of_a_cut(whole):
    assert content.result(whole) == Payload(OBSERVED, whole)


def test_escapes_of_a_literal_are_resolved():
    value = {"a": 'line\nit\'s "so" \\ é \U0001f600 \x07'}
    assert content.arguments(ascii(value)) == Payload(OBSERVED, value)


def test_text_in_text_is_decoded_as_far_as_it_is_json():
    assert content.arguments('"{no json"') == Payload(OBSERVED, "{no json")
    text = "1"
    for _ in range(6):
        text = json.dumps([text])[1:-1]
    assert isinstance(content.arguments(text).value, str)


def test_a_backslash_between_structures_is_broken_json():
    assert content.arguments('{"a": \\x}').state is ContentState.UNPARSABLE
