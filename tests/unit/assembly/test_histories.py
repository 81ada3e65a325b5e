"""Log records of one message each."""

from typing import Any

from msgspec import structs

from toolscore_otel.assembly import Assembler, histories
from toolscore_otel.model import ClosedBy


def turns(say):
    """Two model calls, each on its own span: the second repeats what the first heard."""
    a = [say.request("a", call_id="1"), say.response(call_id="1", result="A", fills=True)]
    b = [say.request("b", call_id="2"), say.response(call_id="2", result="B", fills=True)]
    first = [
        say.word("w1", "m1", 10, a[0], spoken="before"),
        say.word("w2", "m1", 11, a[1]),
        say.word("w3", "m1", 19, b[0], spoken="now"),
    ]
    second = [
        say.word("v1", "m2", 20, a[0], spoken="before"),
        say.word("v2", "m2", 21, a[1]),
        say.word("v3", "m2", 22, b[0], spoken="before"),
        say.word("v4", "m2", 23, b[1]),
        say.word("v5", "m2", 29, spoken="now"),
    ]
    return first, second


def told(calls):
    return sorted((call.tool, str(call.stage), call.result) for call in calls)


def test_only_what_follows_the_models_last_words_is_heard(say, calls_of):
    first, second = turns(say)
    assert told(calls_of(*second)) == [("b", "executed", "B")]
    assert told(calls_of(*first)) == [("a", "executed", "A"), ("b", "requested", None)]


def test_what_stands_on_no_known_span_is_no_history(say, calls_of):
    first, second = turns(say)
    on_none = [(structs.replace(place, span_id=None), said) for place, said in (*first, *second)]
    assert told(calls_of(*on_none)) == [("a", "executed", "A"), ("b", "executed", "B")]


def test_all_turns_on_one_span_are_told_apart_by_what_the_model_says(say, calls_of):
    a = [say.request("a", call_id="1"), say.response(call_id="1", result="A", fills=True)]
    calls = calls_of(
        say.word("w1", "run", 10, a[0], spoken="now"),
        say.word("w2", "run", 20, a[0], spoken="before"),
        say.word("w3", "run", 21, a[1]),
        say.word("w4", "run", 29, spoken="now"),
        say.word("w5", "run", 30, spoken="before"),
    )
    assert told(calls) == [("a", "executed", "A")]


def test_a_record_of_a_call_that_says_more_stands_for_what_it_said_before(say, calls_of):
    before, more = say.call("a", what="log"), say.call("a", what="log", result="A")
    records = [say.word("w1", "m1", 10, call) for call in (before, more)]
    assert [call.result for call in calls_of(*records)] == ["A"]


def test_words_that_are_withdrawn_hide_nothing_any_more(say, rebuilt):
    a = [say.request("a", call_id="1"), say.response(call_id="1", result="A", fills=True)]
    place, words = say.word("w3", "m1", 15, spoken="before")
    said_more = (place, say.tool("x", name="other")[1])
    whole = rebuilt(
        say.word("w1", "m1", 10, a[0], spoken="before"),
        say.word("w2", "m1", 11, a[1]),
        (place, words),
        said_more,
    )
    assert "a" in {call.tool for call in whole.calls}


def test_a_message_that_comes_again_with_more_in_it_stays_history(say):
    request = say.request("a", args={"n": 1}, call_id="1")
    place, reading = say.word("w1", "m1", 10, say.request("a"))
    fed = [
        (place, reading),
        say.word("w2", "m1", 12, spoken="before"),
        say.word("w1", "m1", 10, request),
    ]
    assembler = Assembler()
    for where, said in fed:
        assembler.add(where, said, 0)
    assembler.close(ClosedBy.END_OF_INPUT)
    assert assembler.trajectory(place.trace_id).calls == ()


def test_a_record_that_is_no_message_has_no_history(say, calls_of):
    calls = calls_of(
        say.word("w1", "m1", 10, say.call("a", what="log", call_id="1")),
        say.word("w2", "m1", 11, spoken="before"),
    )
    assert told(calls) == [("a", "executed", None)]


def test_words_look_at_the_messages_next_to_them_once_for_all(say, monkeypatch):
    asked: list[int] = []
    is_history = histories._is_history

    def counted(records: Any, time: int) -> bool:
        asked.append(time)
        return is_history(records, time)

    monkeypatch.setattr(histories, "_is_history", counted)
    assembler, many = Assembler(), 50
    for at in range(many):
        place, reading = say.word(f"m{at}", "run", 10 + at, say.request("a", call_id=str(at)))
        assembler.add(place, reading, 0)
    for at in range(many):
        place, reading = say.word(f"w{at}", "run", 1000 - at, spoken="before")
        assembler.add(place, reading, 0)

    assert len(asked) <= 3 * many


def test_arguments_that_only_the_history_tells_are_those_of_what_the_model_said(say, calls_of):
    calls = calls_of(
        say.word("w1", "m1", 10, say.request("a", call_id="1"), spoken="now"),
        say.word("w2", "m2", 20, say.request("a", call_id="1", args={}), spoken="before"),
        say.word("w3", "m2", 21, say.response(call_id="1", result="A", fills=True)),
    )
    assert [(call.args, call.result) for call in calls] == [({}, "A")]


def test_two_requests_under_one_id_that_both_tell_their_arguments_are_two_calls(say, calls_of):
    calls = calls_of(
        say.word("w1", "m1", 10, say.request("a", call_id="1", args={"n": 1}), spoken="now"),
        say.word("w2", "m2", 20, say.request("a", call_id="1", args={"n": 2}), spoken="before"),
    )
    assert [call.args for call in calls] == [{"n": 1}, {"n": 2}]
