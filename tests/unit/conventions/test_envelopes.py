"""Lists of messages with something around them."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from toolscore_otel.conventions import prompts
from toolscore_otel.conventions.cut import CutList
from toolscore_otel.conventions.envelopes import lines_in, messages_in, text_in
from toolscore_otel.conventions.turns import listed, messages
from toolscore_otel.model import ContentState, Payload, Span

ASKS: dict[str, Any] = {
    "role": "assistant",
    "tool_calls": [{"id": "c1", "function": {"name": "search", "arguments": '{"q": "ü"}'}}],
}
HEARS: dict[str, Any] = {"role": "tool", "tool_call_id": "c1", "content": "18 C"}
BOTH = json.dumps([ASKS, HEARS], ensure_ascii=False)
LINES = "\n".join(json.dumps(one) for one in (ASKS, HEARS))
BOM = "\ufeff"


def as_bytes(text: str) -> str:
    """As an attribute with bytes is read."""
    return base64.b64encode(text.encode()).decode()


WAYS: dict[str, Any] = {
    "a text": BOTH,
    "a list": [ASKS, HEARS],
    "bytes": as_bytes(BOTH),
    "a mark": BOM + BOTH,
    "bytes with a mark": as_bytes(BOM + BOTH),
    "lines": LINES,
    "lines with ends": f"\n{LINES}\r\n\n",
    "bytes of lines": as_bytes(LINES),
    "lines with a mark": BOM + LINES,
    "an object": json.dumps({"messages": [ASKS, HEARS], "model": "m"}),
    "an object as such": {"messages": [ASKS, HEARS]},
    "input": json.dumps({"input": {"messages": [ASKS, HEARS]}}),
    "input alone": {"input": [ASKS, HEARS]},
    "NaN beside them": json.dumps({"temperature": float("nan"), "messages": [ASKS, HEARS]}),
    "NaN in one": json.dumps([ASKS, {**HEARS, "score": float("nan")}]),
    "text in text": json.dumps(BOTH),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_messages_are_read_whatever_is_around_them(way: str) -> None:
    asks, hears = messages(listed(WAYS[way]))
    (asked,), (answered,) = asks.asked, hears.answered
    assert (asked.name, asked.call_id) == ("search", "c1")
    assert asked.args == Payload(ContentState.OBSERVED, {"q": "ü"})
    assert (answered.call_id, answered.result.value) == ("c1", "18 C")


@pytest.mark.parametrize("alone", [ASKS, json.dumps(ASKS), as_bytes(json.dumps(ASKS))])
def test_one_message_is_a_list_of_one(alone: Any) -> None:
    (asks,) = messages(listed(alone))
    assert asks.asked[0].name == "search"


@pytest.mark.parametrize(
    "nothing",
    [
        *("", "Hello", "SGVsbG8=", "SGVsbG8", "/w==", "W3s", "12", BOM, "null", None, 5),
        *({}, {"messages": "Hello"}, {"input": {"input": {"input": []}}}, '{"a": 1}\nHello'),
        '{"a":\n {"b":\n 1}\n',
    ],
)
def test_what_holds_no_messages_has_none(nothing: Any) -> None:
    assert all(not said.asked and not said.answered for said in messages(listed(nothing)))


def test_text_that_is_no_bytes_stays_as_it_is() -> None:
    for text in ("Hello", "SGVsbG8=", "/w==", "abcd", "{", '["x"]', "ab=c"):
        assert text_in(text) == text


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(ASKS, indent=1),
        json.dumps([ASKS, HEARS], indent=1),
        *(json.dumps(ASKS), '{"a": 1}\n[2]', '{"a":\n{"b": 1}}', ""),
    ],
)
def test_an_object_over_several_lines_is_no_lines(text: str) -> None:
    assert lines_in(text) is None


@pytest.mark.parametrize("lost", [5, 20, 40])
def test_of_lines_that_were_cut_the_whole_ones_are_read_and_the_last_as_far_as_it_goes(
    lost: int,
) -> None:
    cut = listed(LINES[:-lost])
    assert isinstance(cut, CutList)
    assert cut.text == LINES[:-lost]
    asks, hears = messages(cut)
    assert asks.asked[0].args == Payload(ContentState.OBSERVED, {"q": "ü"})
    assert all(answer.result.state is not ContentState.OBSERVED for answer in hears.answered)


def test_of_an_object_that_was_cut_its_messages_are_those_of_a_list_that_was() -> None:
    cut = listed(json.dumps({"messages": [ASKS, HEARS]})[:-20])
    assert isinstance(cut, CutList)
    assert messages(cut)[0].asked[0].call_id == "c1"


def test_the_messages_of_a_value_are_asked_for_as_they_are() -> None:
    assert list(messages_in([1])) == [1]
    assert list(messages_in({"role": "user"})) == [{"role": "user"}]
    assert list(messages_in({"messages": None})) == []


@pytest.mark.parametrize("way", ["bytes", "lines", "bytes of lines", "lines with a mark"])
def test_they_are_looked_through_one_by_one(way: str) -> None:
    name = "gen_ai.input.messages"
    span = Span(trace_id="t", span_id="s", name="chat", attributes={name: WAYS[way]})
    pieces = dict(prompts.of_span(span))
    assert list(pieces) == [f"{name}.0", f"{name}.1"]
    assert json.loads(pieces[f"{name}.1"]) == HEARS
