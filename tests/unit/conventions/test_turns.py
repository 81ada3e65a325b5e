"""What is new in the messages of a model call."""

import json

import pytest

from toolscore_otel.conventions.messages import message
from toolscore_otel.conventions.turns import Turn, listed, messages, readings


def ask(*names, ids=None):
    calls = [
        {"id": ids[place] if ids else None, "function": {"name": name, "arguments": {"n": name}}}
        for place, name in enumerate(names)
    ]
    return {"role": "assistant", "tool_calls": calls}


def answer(content, call_id=None, **more):
    return {"role": "tool", "tool_call_id": call_id, "content": content} | more


USER = {"role": "user", "content": "Go."}
TEXT = {"role": "assistant", "content": "Done."}


def heard(*history):
    return [
        (r.name, r.call_id, r.result.value, r.position)
        for r in readings("genai", Turn(heard=history))
    ]


def test_only_what_follows_the_models_last_words_is_new():
    history = [USER, ask("a", ids=["1"]), answer("A", "1"), ask("b", ids=["2"]), answer("B", "2")]
    assert heard(*history) == [("b", "2", "B", 0)]
    assert heard(*history, TEXT, USER) == []


def test_words_of_the_user_after_an_answer_do_not_hide_it():
    assert heard(ask("a", ids=["1"]), answer("A", "1"), USER) == [("a", "1", "A", 0)]


def test_parallel_calls_are_matched_by_id_whatever_their_order():
    found = heard(ask("a", "b", ids=["1", "2"]), answer("B", "2"), answer("A", "1"))
    assert found == [("b", "2", "B", 1), ("a", "1", "A", 0)]


def test_calls_of_one_turn_in_messages_of_their_own_belong_together():
    found = heard(ask("a", ids=["1"]), ask("b", ids=["2"]), answer("A", "1"), answer("B", "2"))
    assert found == [("a", "1", "A", 0), ("b", "2", "B", 1)]


def test_answers_without_id_are_matched_in_order_and_take_the_id_of_what_asked():
    found = heard(ask("a", "b", ids=["1", "2"]), answer("A"), answer("B"))
    assert found == [("a", "1", "A", 0), ("b", "2", "B", 1)]


def test_answers_that_name_their_tool_are_matched_by_it():
    found = heard(ask("a", "b"), answer("B", name="b"), answer("A", name="a"))
    assert found == [("b", None, "B", 1), ("a", None, "A", 0)]


def test_an_answer_with_an_id_may_belong_to_a_call_without_one():
    assert heard(ask("a"), answer("A", "1")) == [("a", "1", "A", 0)]


def test_an_answer_to_nothing_that_is_there_only_fills():
    (reading,) = readings("genai", Turn(heard=[answer("A", "1")]))
    assert (reading.name, reading.call_id, reading.fills) == (None, "1", True)
    (named,) = readings("genai", Turn(heard=[answer("A", "1", name="a")]))
    assert (named.name, named.fills) == ("a", False)


def test_more_answers_than_calls_are_left_over():
    assert heard(ask("a"), answer("A"), answer("B")) == [("a", None, "A", 0), (None, None, "B", 1)]


def test_what_the_model_says_now_is_asked_for_and_has_not_run():
    (first, second) = readings("genai", Turn(said=[message(ask("a", "b", ids=["1", "2"]))]))
    assert (first.what, first.stage, first.position) == ("request", "requested", 0)
    assert (second.name, second.args.value, second.position) == ("b", {"n": "b"}, 1)


@pytest.mark.parametrize("write", [json.dumps, lambda m: json.dumps(json.dumps(m)), repr, list])
def test_a_list_of_messages_may_be_text_of_any_sort(write):
    assert messages(listed(write([USER, TEXT]))) == messages([USER, TEXT])


@pytest.mark.parametrize("recorded", [None, 3, "hello", {"role": "user"}, "[" * 20_000])
def test_what_is_no_list_holds_no_messages(recorded):
    assert not [said for said in messages(listed(recorded)) if said.asked or said.text]


PROMPT = {
    "role": "system",
    "content": "Action: the tool\nAction Input: JSON\nObservation: the result",
}
STEP = 'Thought: I look.\nAction: weather\nAction Input: {"city": "Paris"}'


def react(*history, said=()):
    turn = Turn(heard=history, said=[message({"role": "assistant", "content": s}) for s in said])
    return [(r.what, r.name, r.args.value, r.result.value) for r in readings("genai", turn)]


def test_a_step_in_words_is_a_call_where_the_prompt_prescribes_it():
    assert react(PROMPT, said=[STEP]) == [("request", "weather", {"city": "Paris"}, None)]
    assert react(USER, said=[STEP]) == []


def test_an_observation_tells_that_it_ran():
    step = {"role": "assistant", "content": f"{STEP}\nObservation: {{'temp': 18}}"}
    assert react(PROMPT, step, USER) == [
        ("response", "weather", {"city": "Paris"}, {"temp": 18}),
    ]


def test_an_observation_may_be_a_message_of_its_own():
    step = {"role": "assistant", "content": STEP}
    seen = {"role": "user", "content": "Observation: 18 C"}
    assert react(PROMPT, step, seen) == [("response", "weather", {"city": "Paris"}, "18 C")]
    (empty,) = react(PROMPT, step, {"role": "user", "content": "Observation: "})
    assert empty == ("response", "weather", {"city": "Paris"}, None)


def test_words_without_a_step_are_no_call():
    assert react(PROMPT, {"role": "assistant", "content": "Final Answer: 18 C"}, USER) == []


def test_steps_with_their_observations_were_heard_before_but_for_the_last():
    step = "Action: {0}\nAction Input: {{}}\nObservation: {0} it is"
    prompt = {"role": "user", "content": "Answer with\nAction Input:\nObservation:"}
    steps = [{"role": "assistant", "content": step.format(name)} for name in ("a", "b")]
    told = [(r.name, r.result.value) for r in readings("genai", Turn(heard=[prompt, *steps]))]
    assert told == [("b", "b it is")]


def guessed(*history):
    return [bool(r.gaps) for r in readings("genai", Turn(heard=history))]


def test_an_answer_that_may_be_that_of_another_call_is_said_to_be_a_guess():
    assert guessed(ask("a", "a"), answer("A", name="a"), answer("B", name="a")) == [True, True]
    assert guessed(ask("a", "a"), answer("A", name="a")) == [True]
    assert guessed(ask("a", "b"), answer("A"), answer("B")) == [True, True]


def test_an_answer_that_can_only_be_that_of_one_call_is_none():
    assert guessed(ask("a", "b"), answer("B", name="b"), answer("A", name="a")) == [False, False]
    assert guessed(ask("a", "a", ids=["1", "2"]), answer("A", "1"), answer("B")) == [False, False]
    assert guessed(USER, answer("A", name="a")) == [False]


def named(turn):
    return [(r.name, r.call_id, r.result.value, r.fills) for r in readings("genai", turn)]


def test_answers_with_ids_are_paired_by_place_where_there_are_as_many_calls_without_one():
    history = [ask("a", "b"), answer("A", "1"), answer("B", "2")]
    assert named(Turn(heard=history)) == [("a", "1", "A", False), ("b", "2", "B", False)]
    assert named(Turn(heard=history, in_order=False)) == [
        (None, "1", "A", True),
        (None, "2", "B", True),
    ]


def test_an_answer_with_an_id_is_left_to_it_where_several_may_be_the_only_call_without_one():
    history = [ask("c"), answer("A", "1"), answer("B", "2"), answer("C", "3")]
    assert [name for name, *_ in named(Turn(heard=history))] == [None, None, None]
    assert [name for name, *_ in named(Turn(heard=[ask("a", "b"), answer("A", "1")]))] == [None]
    both = [ask("c"), answer("A", "1", name="a"), answer("C", "3", name="c")]
    assert named(Turn(heard=both)) == [("a", "1", "A", False), ("c", "3", "C", False)]


def test_an_answer_is_never_that_of_a_tool_of_another_name():
    assert named(Turn(heard=[ask("c"), answer("A", name="a")])) == [("a", None, "A", False)]
    unnamed = {"role": "assistant", "tool_calls": [{"id": "1", "function": {}}]}
    assert named(Turn(heard=[unnamed, answer("A", name="a")])) == [("a", "1", "A", False)]


def test_a_handing_back_that_a_framework_wrote_is_no_call():
    call = {"id": "1", "function": {"name": "transfer_back_to_boss", "arguments": {}}}
    history = [
        {"role": "assistant", "content": "Transferring back to boss", "tool_calls": [call]},
        answer("Successfully transferred back to boss", "1"),
    ]
    assert named(Turn(heard=history)) == []


def test_many_answers_to_many_calls_without_ids_are_each_paired_once():
    names = [f"t{number % 3}" for number in range(9)]
    answers = [answer(f"R{number}", name=name) for number, name in enumerate(names)]
    turn = Turn(heard=[ask(*names), *answers, answer("more", name="t0")])
    found = [(r.name, r.result.value, r.position) for r in readings("genai", turn)]
    paired = [(name, f"R{number}", number) for number, name in enumerate(names)]
    assert [*paired, ("t0", "more", 9)] == found
