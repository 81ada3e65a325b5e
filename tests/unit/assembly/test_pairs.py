"""Readings of one call that share no id."""

import pytest

from toolscore_otel.assembly import pairs
from toolscore_otel.model import CallKind

PARIS, ROME = {"city": "Paris"}, {"city": "Rome"}


def told(calls):
    """Tool, stage, call id, arguments and result of each call."""
    return [(c.tool, str(c.stage), c.call_id, c.args, c.result) for c in calls]


def turn(say, number, *requests, after=(), where=0):
    """A model call from `where` to `where` + 10, that hears `after` and says `requests`."""
    return say.model(f"m{number}", "root", *requests, *after, where={"at": (where, where + 10)})


def test_what_runs_after_it_was_asked_for_is_that_call(say, calls_of):
    calls = calls_of(
        say.agent("root"),
        turn(say, 1, say.request(call_id="x", args=PARIS)),
        say.tool("t", "root", args=PARIS, result=18, at=(12, 15)),
    )
    assert told(calls) == [("search", "executed", "x", PARIS, 18)]
    assert [source.what for source in calls[0].sources] == ["span", "request"]


def test_what_a_model_hears_of_had_run_before(say, calls_of):
    answer = say.response(name="search", call_id="x", args=PARIS, result=18)
    calls = calls_of(
        say.agent("root"),
        say.tool("t", "root", at=(12, 15)),
        turn(say, 2, after=[answer], where=20),
    )
    assert told(calls) == [("search", "executed", "x", PARIS, 18)]
    assert (calls[0].start_ns, calls[0].end_ns) == (12, 15)


def test_parallel_calls_of_one_tool_are_told_apart_by_their_arguments(say, calls_of):
    calls = calls_of(
        say.agent("root"),
        turn(
            say,
            1,
            say.request(call_id="x", args=PARIS),
            say.request(call_id="y", args=ROME, position=1),
        ),
        say.tool("t1", "root", args=ROME, at=(12, 15)),
        say.tool("t2", "root", args=PARIS, at=(13, 14)),
    )
    assert {call.span_id: call.call_id for call in calls} == {"t1": "y", "t2": "x"}


def test_equal_parallel_calls_stay_two_and_are_told_apart_by_order(say, calls_of):
    calls = calls_of(
        say.agent("root"),
        turn(
            say,
            1,
            say.request(call_id="x", args=PARIS),
            say.request(call_id="y", args=PARIS, position=1),
        ),
        say.tool("t1", "root", args=PARIS, at=(12, 15)),
        say.tool("t2", "root", args=PARIS, at=(13, 14)),
    )
    assert {call.span_id: call.call_id for call in calls} == {"t1": "x", "t2": "y"}


def test_a_call_that_is_tried_again_is_another_call(say, calls_of):
    calls = calls_of(
        say.agent("root"),
        turn(say, 1, say.request(call_id="x", args=PARIS), where=0),
        say.tool("t1", "root", args=PARIS, at=(12, 15)),
        turn(say, 2, say.request(call_id="y", args=PARIS), where=20),
        say.tool("t2", "root", args=PARIS, at=(32, 35)),
    )
    assert {call.span_id: call.call_id for call in calls} == {"t1": "x", "t2": "y"}


def test_more_runs_than_requests_stay_calls_of_their_own(say, calls_of):
    calls = calls_of(
        say.agent("root"),
        turn(say, 1, say.request(call_id="x")),
        say.tool("t1", "root", at=(12, 13)),
        say.tool("t2", "root", at=(14, 15)),
    )
    assert [(call.span_id, call.call_id) for call in calls] == [("t1", "x"), ("t2", None)]


def test_a_request_that_nothing_follows_was_not_seen_to_run(say, calls_of):
    calls = calls_of(
        say.agent("root"),
        say.tool("t", "root", at=(0, 5)),
        turn(say, 1, say.request(call_id="x"), where=10),
    )
    assert [str(call.stage) for call in calls] == ["executed", "requested"]


def test_other_arguments_are_another_call(say, calls_of):
    calls = calls_of(
        say.agent("root"),
        turn(say, 1, say.request(call_id="x", args=PARIS)),
        say.tool("t", "root", args=ROME, at=(12, 15)),
    )
    assert len(calls) == 2


def test_two_ids_are_two_calls(say, calls_of):
    calls = calls_of(
        say.agent("root"),
        turn(say, 1, say.request(call_id="x")),
        say.tool("t1", "root", call_id="y", at=(12, 15)),
        say.tool("t2", "root", at=(16, 17)),
    )
    assert [(call.span_id, call.call_id) for call in calls] == [("t1", "y"), ("t2", "x")]


def test_an_answer_belongs_to_the_request_before_it_where_neither_has_an_id(say, calls_of):
    calls = calls_of(
        say.agent("root"),
        turn(say, 1, say.request(args=PARIS)),
        turn(say, 2, after=[say.response(name="search", args=PARIS, result=18)], where=20),
    )
    assert told(calls) == [("search", "executed", None, PARIS, 18)]


def test_answers_of_which_nothing_was_recorded_tell_that_the_last_requests_ran(say, calls_of):
    empty = [say.response(fills=True), say.response(fills=True, position=1)]
    calls = calls_of(
        say.agent("root"),
        turn(say, 1, say.request("refund", args=ROME)),
        turn(say, 2, say.request(args=PARIS), say.request(args=ROME, position=1), where=15),
        turn(say, 3, after=empty, where=30),
    )
    assert [(call.tool, call.args, str(call.stage)) for call in calls] == [
        ("refund", ROME, "requested"),
        ("search", PARIS, "executed"),
        ("search", ROME, "executed"),
    ]


def test_a_handoff_span_takes_the_name_that_the_model_said(say, calls_of):
    calls = calls_of(
        say.agent("root"),
        turn(say, 1, say.request("transfer_to_billing", call_id="x")),
        say.tool("t", "root", None, kind=CallKind.HANDOFF, at=(12, 13)),
    )
    assert [(c.tool, c.kind, str(c.stage)) for c in calls] == [
        ("transfer_to_billing", CallKind.HANDOFF, "executed")
    ]


def test_records_of_parallel_calls_belong_to_their_spans(say, calls_of):
    calls = calls_of(
        say.tool("t1", None, at=(10, 30)),
        say.tool("t2", None, at=(12, 31)),
        say.tool("t3", None, at=(50, 60)),
        say.log("l1", None, at=(5, 33)),
        say.log("l2", None, at=(6, 34)),
        say.log("l3", None, at=(45, 61)),
    )
    assert [(c.span_id, [s.what for s in c.sources]) for c in calls] == [
        ("t1", ["span", "log"]),
        ("t2", ["span", "log"]),
        ("t3", ["span", "log"]),
    ]


def test_a_record_is_never_taken_for_another_record(say, calls_of):
    calls = calls_of(say.log("l1", None, at=(5, 9)), say.log("l2", None, at=(6, 10)))
    assert len(calls) == 2


def test_the_inner_span_of_a_call_is_no_second_one_to_tell_of(say, calls_of):
    calls = calls_of(
        say.agent("root"),
        turn(say, 1, say.request(call_id="x"), say.request(call_id="y", position=1)),
        say.tool("t1", "root", at=(12, 20)),
        say.tool("s1", "t1", layer="server", at=(13, 19)),
        say.tool("t2", "root", at=(14, 22)),
        say.tool("s2", "t2", layer="server", at=(15, 21)),
    )
    assert [(call.span_id, call.call_id) for call in calls] == [("t1", "x"), ("t2", "y")]


def test_a_reading_without_a_time_is_not_told_apart(say, calls_of):
    calls = calls_of(
        say.agent("root"),
        turn(say, 1, say.request(call_id="x")),
        say.tool("t", "root", at=(None, None)),
    )
    assert len(calls) == 2


@pytest.mark.parametrize("count", [3, 9])
def test_past_the_cap_further_ones_are_left_alone(say, fed_in_order, monkeypatch, count):
    monkeypatch.setattr(pairs, "MOST_IN_A_STRETCH", 2)
    requests = [say.request(call_id=f"c{n}", position=n) for n in range(count)]
    runs = [say.tool(f"t{n}", "root", at=(20 + n, 21 + n)) for n in range(count)]
    logs = [say.log(f"l{n}", "root", name="other", at=(5, 50 + n)) for n in range(count)]
    done = fed_in_order(say.agent("root"), turn(say, 1, *requests), *runs, *logs)
    ids = [call.call_id for call in done.trajectory("a" * 32).calls if call.span_id[0] == "t"]
    assert 0 < len(list(filter(None, ids))) < count


def test_answers_in_records_of_their_own_belong_to_the_last_requests_in_order(say, calls_of):
    asked = [
        say.request(call_id=ids, args=args, position=place)
        for place, (ids, args) in enumerate([("x", PARIS), ("y", ROME)])
    ]
    calls = calls_of(
        say.agent("root"),
        turn(say, 1, *asked),
        turn(say, 2, after=[say.response(name=None, fills=True, result=18)], where=20),
        turn(say, 3, after=[say.response(name=None, fills=True, result=21)], where=30),
    )
    assert told(calls) == [
        ("search", "executed", "x", PARIS, 18),
        ("search", "executed", "y", ROME, 21),
    ]
