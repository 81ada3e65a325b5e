"""Structures that a length limit has cut: what stands whole is kept, and nothing is made of the rest."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolscore_otel.conventions import content, unreadable
from toolscore_otel.conventions.cut import CutList, CutObject, CutValue, ends_inside, salvaged
from toolscore_otel.conventions.messages import Answered, Asked, calls, message
from toolscore_otel.conventions.turns import Turn, listed, messages, readings
from toolscore_otel.matchers.redacted import HUGE_NUMBER, NOT_A_NUMBER
from toolscore_otel.model import ContentState, Payload, Status

HALF = r"\ud83d"
"""Of an emoji, as JSON writes it."""


def plain(value: Any) -> Any:
    """What was cut as `...` and what it shows."""
    if isinstance(value, CutValue):
        return f"...{value.text}"
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('[{"a": 1}, {"b": [2, {"c": "d', [{"a": 1}, {"b": [2, {"c": "...d"}]}]),
        ('[{"a": 1}', [{"a": 1}]),
        ('[{"a": 1}, ', [{"a": 1}]),
        ("[1, 23", [1, "...23"]),
        ("[1, 23 ", [1, 23]),
        ("[true, fal", [True, "...fal"]),
        ("[true", [True]),
        ('{"a": -', {"a": "...-"}),
        ('{"a": 1, "b', {"a": 1}),
        ('{"a": 1, "b"', {"a": 1}),
        ('{"a": 1, "b": ', {"a": 1, "b": "..."}),
        ('{"a": 1', {"a": "...1"}),
        ('{"a": "x"', {"a": "x"}),
        ("{", {}),
        ("[", []),
        ('["', []),
        (' \n[ "a" ,\t"b', ["a", "...b"]),
        (r'["a\"b\u00e9\n\u00', ['...a"bé\n']),
        (r'["a\ud83d', ["...a"]),
        (r'["a\ud83d\ude00', ["...a😀"]),
        (r'["a\ud83d\ud83d x', ["...a\ufffd\ufffd x"]),
        ('["a\nb', ["...a\nb"]),
        ('[1] , [2, "x', [1]),
        ('{"a": nope, "b": 1, "c": "x', {"a": '...nope, "b": 1, "c": "x'}),
        ('{5: 1, "b": "x', {}),
        ('{"a": {"n": NaN}, "b": "x', {"a": {"n": NOT_A_NUMBER}, "b": "...x"}),
        ('[{"n": 1e999}, "x', [{"n": HUGE_NUMBER}, "...x"]),
        ('[{"n": 1, "m": [NaN, 2]}]', [{"n": 1, "m": [NOT_A_NUMBER, 2]}]),
        ('{"' + HALF + '": 1, "b": "' + HALF + '"}', {"\ud83d": 1, "b": "\ud83d"}),
        ("[{'role': 'a', 'it': \"it's\", 'n': (1, 2), 'c': 'd", [{"role": "a", "it": "it's", "n": [1, 2], "c": "...d"}]),
        ("{'a': None, 'b': [Tru", {"a": None, "b": ["...Tru"]}),
        (r"{'a': 'b\'c\\", {"a": "...b'c\\"}),
        ("{'a': 'b\\", {"a": "...b"}),
        (r'"[{\"a\": \"b\", \"c\": \"d', [{"a": "b", "c": "...d"}]),
        (r'"[{\"a\": 1}]', [{"a": 1}]),
        ("[" * 40, [[[[[[[[[[[[[[[[["..." + "[" * 23]]]]]]]]]]]]]]]]]),
    ],
)  # fmt: skip
def test_what_stands_whole_is_kept_and_the_rest_is_no_value(text: str, shown: Any) -> None:
    assert plain(salvaged(text)) == shown


@pytest.mark.parametrize(
    "text",
    ["", "Hello", "[1], 2", "{x} y", "12", '"ab', "]{", r"{'a': 'b\qc", 5, None],
)
def test_what_does_not_end_inside_a_structure_is_left_alone(text: Any) -> None:
    assert salvaged(text) is None


def test_what_is_cut_knows_how_it_was_recorded() -> None:
    whole = salvaged('[{"a": {"b": "c')
    assert isinstance(whole, CutList)
    assert isinstance(whole[0], CutObject)
    assert (whole.text, whole[0].text, whole[0]["a"].text) == (
        '[{"a": {"b": "c',
        '{"a": {"b": "c',
        '{"b": "c',
    )
    assert content.arguments(whole[0]["a"]) == Payload(ContentState.TRUNCATED, text='{"b": "c')
    assert content.result(whole[0]["a"]["b"]) == Payload(ContentState.TRUNCATED, text="c")


def test_every_place_of_a_cut_is_read_and_says_nothing_that_is_not_there() -> None:
    whole = [{"a": [1, "two", {"b": None, "ü": 'x\\"y'}], "c": True}, {"d": -1.5e3}]
    text = json.dumps(whole)
    for length in range(1, len(text)):
        found = salvaged(text[:length])
        assert isinstance(found, CutList)
        assert holds(found, whole), text[:length]


def holds(cut: Any, whole: Any) -> bool:
    """Whether all that is certain of a cut value stands in the whole one, in its place."""
    if isinstance(cut, CutValue):
        return True
    if isinstance(cut, CutObject):
        return all(key in whole and holds(value, whole[key]) for key, value in cut.items())
    if isinstance(cut, CutList):
        return all(holds(value, whole[place]) for place, value in enumerate(cut))
    return bool(cut == whole)


def test_python_literals_of_lists_of_objects_end_inside_too() -> None:
    assert ends_inside("[{'a': 'it is ]")
    assert not ends_inside("[{'a': '[{'}]")


CALL = {"type": "tool_call", "id": "c1", "name": "search", "arguments": {"q": "x"}}
SECOND = CALL | {"id": "c2", "arguments": {"q": "yz"}}
SAID = json.dumps([{"role": "assistant", "parts": [CALL, SECOND]}])


def asked_in(text: str) -> list[tuple[str | None, str | None, Payload]]:
    return [
        (a.name, a.call_id, a.args) for said in messages(listed(text)) for a in said.asked
    ]  # fmt: skip


FIRST = ("search", "c1", Payload(ContentState.OBSERVED, {"q": "x"}))


@pytest.mark.parametrize(
    ("end", "second"),
    [
        ('"tool_call", "id": "c2', None),
        ('"id": "c2",', (None, "c2", Payload(ContentState.TRUNCATED, text=""))),
        ('"name": "search", "id": "c2"', None),
        ('"id": "c2", "name": "search', (None, "c2", Payload(ContentState.TRUNCATED, text=""))),
        ('"id": "c2", "name": "search",', ("search", "c2", Payload(ContentState.TRUNCATED, text=""))),
        ('{"q": "y', ("search", "c2", Payload(ContentState.TRUNCATED, text='{"q": "y'))),
        ('{"q": "yz"}', ("search", "c2", Payload(ContentState.OBSERVED, {"q": "yz"}))),
        ('{"q": "yz"}}]', ("search", "c2", Payload(ContentState.OBSERVED, {"q": "yz"}))),
    ],
)  # fmt: skip
def test_of_the_call_at_the_cut_only_what_is_whole_is_told(end: str, second: Any) -> None:
    place = SAID.find(end)
    text = SAID[: place + len(end)] if place >= 0 else SAID[: SAID.index('{"type": "tool_call", "id": "c2"')]  # fmt: skip
    assert asked_in(text) == [FIRST, *([second] if second else [])]


def test_arguments_as_text_are_cut_where_the_text_has_no_end() -> None:
    call = {"id": "c1", "function": {"name": "search", "arguments": '{"q": 1}'}}
    text = json.dumps({"role": "assistant", "tool_calls": [call]})
    whole, cut = '{"q": 1}', '{"q": '
    assert message(text[: text.index("}}]") - 1]).asked == (
        Asked("search", Payload(ContentState.TRUNCATED, text=whole), "c1"),
    )
    assert message(text[: text.index("1}")]).asked[0].args.text == cut


@pytest.mark.parametrize("odd", [f'"{HALF}"', "NaN", "Infinity", '{"a": [-Infinity]}'])
def test_what_is_no_json_in_one_call_costs_no_other_call(odd: str) -> None:
    text = SAID.replace('"x"', odd)
    first, second = asked_in(text)
    value, is_mended = unreadable.mended(json.loads(odd))
    assert is_mended
    assert first == ("search", "c1", Payload(ContentState.OBSERVED, {"q": value}, is_mended=True))
    assert second == ("search", "c2", Payload(ContentState.OBSERVED, {"q": "yz"}))


@pytest.mark.parametrize("odd", [f'"{HALF}"', "NaN", "1e999"])
def test_arguments_that_are_no_object_and_unreadable_are_no_arguments(odd: str) -> None:
    (bare, second) = asked_in(SAID.replace('{"q": "x"}', odd))
    assert bare[2].state is ContentState.UNPARSABLE
    assert second[2].state is ContentState.OBSERVED


def test_a_list_of_calls_without_a_message_is_salvaged_too() -> None:
    text = json.dumps([{"toolCallId": "1", "toolName": "a", "input": {}}, {"toolCallId": "2"}])
    found = calls(content.unpacked_or_cut(text[:-10]))
    assert [(call.name, call.call_id) for call in found] == [("a", "1")]


def answered(text: str) -> list[Answered]:
    return [each for said in messages(listed(text)) for each in said.answered]


CUT = Payload(ContentState.TRUNCATED, text="")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[{"role":"tool","tool_call_id":"c1","content":"so', [("c1", "so")]),
        ('[{"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"a"},', [("c1", '[{"type":"text","text":"a"},')]),
        ('[{"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"a"}', [("c1", '[{"type":"text","text":"a"}')]),
        ('[{"role":"tool","tool_call_id":"c1",', [("c1", "")]),
        ('[{"role":"tool","content":"so', []),
        ('[{"role":"tool","parts":[{"type":"tool_call_response","id":"c1","response":{"n": 1', [("c1", '{"n": 1')]),
        ('[{"role":"tool","parts":[{"type":"tool_call_response","id":"c1"', [("c1", "")]),
        ('[{"role":"tool","parts":[{"type":"tool_call_response","response":"x"', []),
        ('[{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"text":"a"}', [("c1", '[{"text":"a"}')]),
        ('[{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","output":{"type":"error-text","value":"bo', [("c1", '{"type":"error-text","value":"bo')]),
    ],
)  # fmt: skip
def test_an_answer_at_the_cut_is_one_where_its_id_is_whole(
    text: str, said: list[tuple[str, str]]
) -> None:
    assert answered(text) == [
        Answered(call_id, None, Payload(ContentState.TRUNCATED, text=shown), Status.UNKNOWN)
        for call_id, shown in said
    ]


@pytest.mark.parametrize("end", ["", "}", "},", '},{"type":"text"'])
def test_the_only_part_before_the_cut_is_not_all_of_an_answer(end: str) -> None:
    content = '[{"type":"text","text":"a"' + end
    (said,) = message({"role": "tool", "tool_call_id": "c1", "content": content}).answered
    assert said.result == Payload(ContentState.TRUNCATED, text=content)
    whole = '[{"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"a"}],"na'
    assert answered(whole) == [Answered("c1", None, Payload(ContentState.OBSERVED, "a"))]


def test_an_answer_that_stands_whole_before_the_cut_is_whole() -> None:
    text = '[{"role":"tool","tool_call_id":"c1","content":"done"},{"role":"user","content":"an'
    assert answered(text) == [Answered("c1", None, Payload(ContentState.OBSERVED, "done"))]


def test_of_a_history_that_was_cut_only_ids_tell_what_is_answered() -> None:
    asked = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "a"}}, {"function": {"name": "b"}}]}  # fmt: skip
    history = [asked, {"role": "tool", "tool_call_id": "1", "content": "A"}, {"role": "tool", "name": "b", "content": "B"}]  # fmt: skip
    whole = json.dumps(history)
    heard = readings("genai", Turn(heard=listed(whole)))
    cut = readings("genai", Turn(heard=listed(whole[:-1] + ', {"role": "us')))
    assert [(each.name, each.call_id) for each in heard] == [("a", "1"), ("b", None)]
    assert [(each.name, each.call_id, each.result.value) for each in cut] == [("a", "1", "A")]


def test_the_last_words_in_an_event_list_that_was_cut_are_not_what_the_model_says(
    read_span,
) -> None:
    events = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "a"}}]},
        {"role": "tool", "id": "c1", "content": "x" * 50},
    ]
    attributes = {"gen_ai.operation.name": "chat", "events": json.dumps(events)[:-30]}
    (heard,) = read_span(attributes).calls
    assert (heard.what, heard.name, heard.call_id) == ("response", "a", "c1")
    assert heard.result.state is ContentState.TRUNCATED


def test_a_history_of_langfuse_that_was_cut_is_read(read_span) -> None:
    history = [
        {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "a"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "A"},
        {"role": "user", "content": "and"},
    ]
    said = {"role": "assistant", "tool_calls": [{"id": "c2", "function": {"name": "b", "arguments": "{}"}}]}  # fmt: skip
    attributes = {
        "langfuse.observation.type": "generation",
        "langfuse.observation.input": json.dumps(history)[:-5],
    }
    (heard,) = read_span(attributes).calls
    assert (heard.what, heard.call_id, heard.result.value) == ("response", "c1", "A")
    both = read_span(attributes | {"langfuse.observation.output": json.dumps(said)[:-3]}).calls
    assert [(each.what, each.call_id) for each in both] == [("request", "c2"), ("response", "c1")]
