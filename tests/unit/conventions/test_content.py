import json

import pytest

from toolscore_otel.conventions import content
from toolscore_otel.model import NOT_OBSERVED, ContentState, Payload

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
    "broken", ["Paris", "", '{"a": 1}}', '{"a": NaN}', '{"a" 1}', "{'a': x()}"]
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
        "{'a': '\\ud800'}",
        "{'a': 1e999}",
        "{1, 2}",
    ],
)
def test_what_repr_would_not_write_is_no_literal(text):
    assert content.arguments(text).state is ContentState.UNPARSABLE


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
