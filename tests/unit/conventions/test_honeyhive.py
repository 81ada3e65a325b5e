"""HoneyHive's events."""

import pytest

from toolscore_otel.model import Payload, Status

NAMED = {
    "honeyhive_event_type": "tool",
    "honeyhive_event_name": "search",
    "honeyhive_metadata.event_type": "tool",
}


def test_a_tool_is_an_event_that_was_named_and_typed(read_call):
    told = {"honeyhive_inputs.q": "a", "honeyhive_inputs.n": 1, "honeyhive_outputs.result": "found"}
    call = read_call(NAMED | told, name="search")
    assert (call.convention, call.name, call.call_id) == ("honeyhive", "search", None)
    assert (call.args.value, call.result.value) == ({"q": "a", "n": 1}, "found")
    assert call.status is Status.OK


def test_objects_and_lists_are_written_as_json(read_call):
    call = read_call(NAMED | {"honeyhive_inputs.q": '{"a": [1]}', "honeyhive_inputs.l": "[]"})
    assert call.args.value == {"q": {"a": [1]}, "l": []}


@pytest.mark.parametrize("given", [{}, {"honeyhive_inputs.q": "a", "honeyhive_inputs.n": "None"}])
def test_arguments_that_may_be_others_are_not_observed(read_call, given):
    assert read_call(NAMED | given).args == Payload()


def test_a_failed_call_has_the_status_of_one(read_call):
    call = read_call(NAMED, status="error", status_message="503")
    assert (call.status, call.error_message, call.result) == (Status.ERROR, "503", Payload())


@pytest.mark.parametrize(
    "without", ["honeyhive_event_name", "honeyhive_metadata.event_type"], ids=["name", "type"]
)
def test_any_other_event_is_no_call(read_span, without):
    event = {name: value for name, value in NAMED.items() if name != without}
    assert read_span(event, name="search_error") is None
