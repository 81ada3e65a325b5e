"""Model calls that are a trace of their own each, without a conversation: what one asks for is heard in the next."""

import pytest
from msgspec import structs

from toolscore_otel.assembly import Assembler
from toolscore_otel.model import Gap, Stage, Status

MADE_UP = "call_" + "Q7xT2mVb9KcL4sWnR8dYf3Za"
CALL = {"name": "search", "call_id": MADE_UP, "args": {"q": 1}}


@pytest.fixture
def chat(say):
    """A model call that is a trace of its own, at a time."""

    def make(letter, time, *messages, **where):
        at = {"at": (time, time + 5), "trace_id": letter * 32, "resource": {"service.name": "us"}}
        return say.model("m", None, *messages, where={**at, **where}, model=f"model of {letter}")

    return make


@pytest.fixture
def runs(say):
    """Two runs of the call, each a trace of its own."""
    service = {"service.name": "us"}
    return [
        say.tool("t", None, **CALL, at=(time, time + 1), trace_id=letter * 32, resource=service)
        for letter, time in (("b", 8), ("d", 28))
    ]


@pytest.fixture
def rebuild():
    """The calls of all traces by their letter, in whatever order these come."""

    def feed(*fed):
        found = []
        for order in (fed, fed[::-1], (*fed[1:], *fed[:1]), (*fed, *fed)):
            assembler = Assembler()
            for place, reading in order:
                assembler.add(place, reading, 0)
            found.append(
                {
                    trace_id[0]: calls[0]
                    for trace_id in sorted(assembler.trace_ids())
                    if (calls := assembler.trajectory(trace_id).calls)
                }
            )
        assert all(other == found[0] for other in found)
        return found[0]

    return feed


def test_what_one_trace_asks_for_and_another_hears_is_one_call(rebuild, say, chat):
    heard = say.response(**CALL, result="found", status=Status.OK)
    calls = rebuild(chat("a", 0, say.request(**CALL)), chat("b", 10, heard), chat("c", 20, heard))
    assert list(calls) == ["a"]
    call = calls["a"]
    assert (call.stage, call.status, call.result) == (Stage.EXECUTED, Status.OK, "found")
    assert call.gaps == (Gap.AGENT_NOT_OBSERVED, Gap.TIMES_NOT_OBSERVED)
    assert [source.what for source in call.sources] == ["request", "response"]


def test_an_answer_that_tells_no_arguments_is_of_the_request(rebuild, say, chat):
    heard = say.response(name="search", call_id=MADE_UP)
    calls = rebuild(chat("a", 0, say.request(**CALL)), chat("b", 10, heard))
    assert [call.args for call in calls.values()] == [{"q": 1}]
    assert Gap.STATUS_NOT_OBSERVED in calls["a"].gaps
    assert Gap.RESULT_NOT_OBSERVED in calls["a"].gaps


@pytest.mark.parametrize(
    ("said", "where"),
    [
        ({"name": "refund"}, {}),
        ({"args": {"q": 2}}, {}),
        ({}, {"resource": {"service.name": "them"}}),
    ],
)
def test_what_differs_in_tool_arguments_or_service_is_another_call(rebuild, say, chat, said, where):
    heard = say.response(**{**CALL, **said})
    assert list(rebuild(chat("a", 0, say.request(**CALL)), chat("b", 10, heard, **where))) == [
        "a",
        "b",
    ]


@pytest.mark.parametrize("call_id", ["call_1", "c0", "call_000000000000000000000001"])
def test_an_id_that_counts_ties_no_traces(rebuild, say, chat, call_id):
    call = {**CALL, "call_id": call_id}
    calls = rebuild(chat("a", 0, say.request(**call)), chat("b", 10, say.response(**call)))
    assert list(calls) == ["a", "b"]


def test_an_answer_that_was_kept_and_given_again_is_run_again(rebuild, say, chat):
    asked, heard = say.request(**CALL), say.response(**CALL, result="found")
    calls = rebuild(
        chat("a", 0, asked), chat("b", 10, heard), chat("c", 20, asked), chat("d", 30, heard)
    )
    assert list(calls) == ["a", "c"]
    assert [call.stage for call in calls.values()] == [Stage.EXECUTED, Stage.EXECUTED]


def test_what_was_asked_for_is_what_ran_next(rebuild, say, chat, runs):
    """In a trace of its own, later: it was approved in between."""
    asked = say.request(**CALL)
    answer = chat("e", 35, say.response(**CALL, result="found"))
    early = chat("f", 1, say.response(**CALL, result="early"), at=(1, 2))
    calls = rebuild(chat("a", 0, asked), runs[0], chat("c", 20, asked), runs[1], answer, early)
    assert [(letter, call.result) for letter, call in calls.items()] == [
        ("b", "early"),
        ("d", "found"),
    ]
    assert [call.model for call in calls.values()] == ["model of a", "model of c"]


def test_an_answer_without_a_time_is_of_the_last_call(rebuild, say, chat, runs):
    answer = chat("e", 0, say.response(**CALL, result="found"), at=(None, None))
    assert [call.result for call in rebuild(*runs, answer).values()] == [None, "found"]


def test_what_asks_and_is_answered_in_one_history_repeats_what_was_asked(rebuild, say):
    """Log records of one time have no order: the whole history is told as new."""
    request = say.request(**CALL)
    answer = say.response(call_id=MADE_UP, result="found", fills=True)

    def history(letter, time):
        words = (
            say.word("w1", "m", time, request, spoken="before"),
            say.word("w2", "m", time, answer),
        )
        return [(structs.replace(place, trace_id=letter * 32), said) for place, said in words]

    said, words = say.word("w0", "m", 0, request, spoken="now")
    calls = rebuild((said, words), *history("b", 10), *history("c", 20))
    assert [(letter, call.result) for letter, call in calls.items()] == [("a", "found")]


SPAN = {"at": (2, 3), "trace_id": "a" * 32, "resource": {"service.name": "us"}}
WAITS = {"status": Status.UNKNOWN, "gaps": (Gap.MAY_HAVE_WAITED,)}


def test_a_call_that_waited_is_the_one_that_ran_in_a_later_trace(rebuild, say, runs):
    calls = rebuild(say.tool("w", None, **CALL, **WAITS, **SPAN), runs[0])
    assert list(calls) == ["b"]
    assert (calls["b"].start_ns, calls["b"].status) == (8, Status.OK)


@pytest.mark.parametrize("stage", Stage)
def test_a_call_that_waited_is_turned_down_in_a_later_trace(rebuild, say, chat, stage):
    no = say.response(**CALL, result="no", stage=Stage.REQUESTED)
    waits = say.tool("w", None, **CALL, **WAITS, **SPAN, stage=stage)
    (call,) = rebuild(waits, chat("b", 10, no), chat("c", 20, say.response(**CALL))).values()
    assert (call.trace_id, call.stage, call.result) == ("a" * 32, Stage.REQUESTED, "no")
    assert Gap.MAY_HAVE_WAITED not in call.gaps


def test_or_by_a_later_span(rebuild, say):
    rejected = {"stage": Stage.REQUESTED, "status": Status.ERROR}
    where = {**SPAN, "at": (8, 9), "trace_id": "b" * 32}
    waits = say.tool("w", None, **CALL, **WAITS, **SPAN)
    (call,) = rebuild(waits, say.tool("r", None, **CALL, **rejected, **where)).values()
    assert (call.trace_id, call.stage, call.status) == ("a" * 32, Stage.REQUESTED, Status.ERROR)


def test_an_answer_alone_leaves_open_what_a_span_leaves_open(rebuild, say, chat):
    waits = say.tool("w", None, **CALL, **WAITS, **SPAN, stage=Stage.REQUESTED)
    (call,) = rebuild(waits, chat("b", 10, say.response(**CALL, result="as you like"))).values()
    assert (call.stage, call.result) == (Stage.REQUESTED, "as you like")
    assert Gap.MAY_HAVE_WAITED in call.gaps


def test_nor_does_another_request_close_it(rebuild, say, chat):
    waits = say.tool("w", None, **CALL, **WAITS, **SPAN)
    calls = rebuild(waits, chat("b", 10, say.request(**CALL)))
    assert calls["a"].stage is Stage.EXECUTED
    assert Gap.MAY_HAVE_WAITED in calls["a"].gaps


def test_an_answer_in_a_later_trace_does_not_tell_that_what_waits_ran(rebuild, say, chat):
    waits = {"stage": Stage.REQUESTED, "gaps": (Gap.MAY_HAVE_WAITED,)}
    asks = chat("a", 0, say.request(**CALL), say.response(**CALL, **waits))
    (call,) = rebuild(asks, chat("b", 10, say.response(**CALL, result="no"))).values()
    assert (call.trace_id, call.stage, call.result) == ("a" * 32, Stage.REQUESTED, "no")
    assert Gap.MAY_HAVE_WAITED in call.gaps
