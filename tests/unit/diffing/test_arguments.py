import pytest

from toolscore_otel.diffing import Kind, State
from toolscore_otel.diffing.arguments import DEEPEST, MOST

ARGUMENTS = (
    Kind.ARGUMENT_APPEARED,
    Kind.ARGUMENT_GONE,
    Kind.ARGUMENT_TYPE,
    Kind.ARGUMENT_GIVEN,
)


def told(found):
    return [(d.kind, d.state, d.path, d.old, d.new) for d in found if d.kind in ARGUMENTS]


def test_a_name_that_no_old_call_had_appeared(run, differences):
    found = differences([run(("t", {"a": 1}))], [run(("t", {"a": 1, "b": "x"}))])

    assert told(found) == [
        (Kind.ARGUMENT_APPEARED, State.CHANGED, "b", "in 0 of 1 calls", "in 1 of 1 calls, string")
    ]


def test_a_name_that_every_old_call_had_is_gone_where_no_new_one_has_it(run, differences):
    found = differences([run(("t", {"a": 1}))], [run(("t", {}))])

    assert told(found) == [
        (Kind.ARGUMENT_GONE, State.CHANGED, "a", "in 1 of 1 calls, integer", "in 0 of 1 calls")
    ]


def test_a_name_that_some_old_calls_lacked_is_not_gone(run, differences):
    found = differences([run(("t", {"a": 1}), ("t", {}))], [run(("t", {}), ("t", {}))])

    assert [(kind, state) for kind, state, *_ in told(found)] == [(Kind.ARGUMENT_GONE, State.FLAPS)]


def test_calls_whose_arguments_were_not_recorded_may_have_had_any(run, differences):
    partly = [run(("t", {}), "t")]

    gone = differences([run(("t", {"a": 1}), ("t", {"a": 1}))], partly)
    appeared = differences(partly, [run(("t", {"a": 1}), ("t", {"a": 1}))])

    assert [state for _, state, *_ in told(gone) + told(appeared)] == [State.NOT_OBSERVED] * 2
    assert told(gone)[0][-1] == "in 0 of 1 calls, 1 not recorded"


@pytest.mark.parametrize("turned", [False, True])
def test_where_one_side_shows_no_arguments_that_is_said_once(run, differences, turned):
    sides = [[run(("t", {"a": 1, "b": 2}))], [run("t")]]
    texts = ["recorded", "arguments not recorded"]
    if turned:
        sides, texts = sides[::-1], texts[::-1]

    assert told(differences(*sides)) == [(Kind.ARGUMENT_TYPE, State.NOT_OBSERVED, None, *texts)]


def test_where_neither_side_shows_arguments_nothing_is_said(run, differences):
    assert told(differences([run("t")], [run("t")])) == []


def test_arguments_of_a_tool_that_one_side_calls_are_not_compared(run, differences):
    assert told(differences([run(("t", {"a": 1}))], [run(("u", {"b": 1}))])) == []


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, "null"),
        (True, "boolean"),
        (1.5, "number"),
        ("x", "string"),
        ([], "array"),
        ({}, "object"),
    ],
)
def test_a_type_that_no_old_call_had_is_a_drift(run, differences, value, name):
    found = differences([run(("t", {"a": 1}))], [run(("t", {"a": value}))])

    assert told(found) == [(Kind.ARGUMENT_TYPE, State.CHANGED, "a", "integer", name)]


def test_a_type_that_some_old_calls_had_flaps(run, differences):
    found = differences([run(("t", {"a": 1}), ("t", {"a": None}))], [run(("t", {"a": None}), ("t", {"a": None}))])  # fmt: skip

    assert told(found) == [
        (Kind.ARGUMENT_TYPE, State.FLAPS, "a", "integer in 1, null in 1 of 2 calls", "null")
    ]


def test_a_type_that_is_gone_is_a_drift_where_every_old_call_had_it(run, differences):
    both = run(("t", {"a": [1, "x"]}))

    found = differences([both, both], [run(("t", {"a": [1, 2]}))])

    assert told(found) == [
        (
            Kind.ARGUMENT_TYPE,
            State.CHANGED,
            "a[]",
            "integer in 2, string in 2 of 2 calls",
            "integer",
        )
    ]


def test_an_argument_that_was_always_given_and_is_no_more_is_a_drift(run, differences):
    found = differences([run(("t", {"a": 1}))], [run(("t", {"a": 1}), ("t", {}))])

    assert told(found) == [
        (
            Kind.ARGUMENT_GIVEN,
            State.CHANGED,
            "a",
            "in 1 of 1 calls, integer",
            "in 1 of 2 calls, integer",
        )
    ]


def test_what_is_said_of_an_argument_covers_what_stands_inside(run, differences):
    deep = {"a": {"b": {"c": 1}}}

    gone = differences([run(("t", deep))], [run(("t", {}))])
    other = differences([run(("t", deep))], [run(("t", {"a": "b"}))])

    assert [(kind, path) for kind, _, path, *_ in told(gone)] == [(Kind.ARGUMENT_GONE, "a")]
    assert [(kind, path) for kind, _, path, *_ in told(other)] == [(Kind.ARGUMENT_TYPE, "a")]


def test_names_inside_are_compared_too(run, differences):
    old, new = {"a": {"b": [{"c": 1}]}}, {"a": {"b": [{"c": "1"}]}}

    assert [path for _, _, path, *_ in told(differences([run(("t", old))], [run(("t", new))]))] == [
        "a.b[].c"
    ]


def test_names_are_told_apart_only_so_deep(run, differences):
    def nested(leaf):
        value = {"z": leaf}
        for _ in range(DEEPEST):
            value = {"n": value}
        return value

    assert told(differences([run(("t", nested(1)))], [run(("t", nested("1")))])) == []


def test_keys_that_are_data_prove_nothing(run, differences):
    def many(prefix):
        return {f"{prefix}{n}": 1 for n in range(MOST + 5)}

    found = told(differences([run(("t", many("a")))], [run(("t", many("b")))]))

    assert len(found) == 2 * MOST
    assert {state for _, state, *_ in found} == {State.NOT_OBSERVED}
