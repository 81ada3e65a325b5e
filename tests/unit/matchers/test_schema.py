from toolscore_otel.matchers import ABSENT, HIDDEN, Answer, CutText, OpenObject, Schema
from toolscore_otel.matchers.schema import Breach

CLOSED = Schema({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["b"]})


def test_breaches_tell_all_that_is_wrong():
    assert CLOSED.breaches({"a": "x"}) == (
        Breach(("a",), "is no integer"),
        Breach(("b",), "is missing"),
    )
    assert CLOSED.breaches({"a": 1, "b": 2}) == ()


def test_breaches_of_what_was_not_wholly_observed_are_those_that_stay():
    assert CLOSED.breaches(OpenObject({"a": CutText("x")})) == (Breach(("a",), "is no integer"),)
    assert CLOSED.breaches(OpenObject({"a": HIDDEN})) == ()


def test_breaches_of_what_is_no_json_are_not_known():
    no_json = {1: object()}
    assert Answer.UNKNOWN is CLOSED.match(no_json)
    assert CLOSED.breaches(no_json) == ()


def test_what_is_not_there_is_not_valid():
    assert Answer.NO is CLOSED.match(ABSENT)
