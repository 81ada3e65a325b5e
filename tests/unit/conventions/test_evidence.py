import pytest

from toolscore_otel.conventions.evidence import Outcome, message_in, outcome
from toolscore_otel.model import Status

RAISED = ("exception", {"exception.type": "shop.Upstream", "exception.message": "503"})


def test_a_span_that_ended_without_a_mark_is_ok(make_span):
    assert outcome(make_span()) == Outcome(Status.OK)


def test_a_span_that_has_not_ended_is_unknown(make_span):
    assert outcome(make_span(end_ns=None)) == Outcome(Status.UNKNOWN)


def test_the_status_and_its_message_tell_a_failure(make_span):
    span = make_span(status="error", status_message="no such order")
    assert outcome(span) == Outcome(Status.ERROR, None, "no such order")


def test_an_exception_event_tells_a_failure_whatever_the_status(make_span):
    span = make_span(status="ok", events=(RAISED,))
    assert outcome(span) == Outcome(Status.ERROR, "shop.Upstream", "503")


def test_the_first_exception_gives_the_reason(make_span):
    wrapped = ("exception", {"exception.type": "ToolError", "exception.message": "tool failed"})
    assert outcome(make_span(events=(RAISED, wrapped))).error_type == "shop.Upstream"


def test_an_error_type_tells_a_failure(make_span):
    assert outcome(make_span({"error.type": "-32602"})) == Outcome(Status.ERROR, "-32602")


def test_the_error_type_other_gives_way_to_the_exception(make_span):
    span = make_span({"error.type": "_OTHER"}, status="error", events=(RAISED,))
    assert outcome(span).error_type == "shop.Upstream"


def test_a_whole_sentence_as_error_type_is_a_message(make_span):
    span = make_span({"error.type": "503 from upstream"}, status="error")
    assert outcome(span) == Outcome(Status.ERROR, None, "503 from upstream")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("gen_ai.tool.status", "error"),
        ("haystack.tool.error", True),
        ("langfuse.observation.level", "ERROR"),
        ("genkit:state", "error"),
        ("gen_ai.task.status", "failure"),
        ("error", True),
        ("error", "true"),  # of stores that know nothing but text
        ("haystack.tool.error", "true"),
    ],
)
def test_a_vendors_mark_tells_a_failure(make_span, name, value):
    assert outcome(make_span({name: value})).status is Status.ERROR


@pytest.mark.parametrize("value", [1, "false", "yes", False, None, ["x"]])
def test_only_the_marks_own_value_is_a_mark(make_span, value):
    assert outcome(make_span({"error": value})).status is Status.OK


@pytest.mark.parametrize(
    "raised", ["asyncio.exceptions.CancelledError", "java.util.concurrent.CancellationException"]
)
def test_a_cancelled_call_is_an_error_called_cancelled(make_span, raised):
    span = make_span(status="error", events=(("exception", {"exception.type": raised}),))
    assert outcome(span) == Outcome(Status.ERROR, "cancelled")


def test_a_cancellation_event_alone_is_no_failure(make_span):
    event = ("exception", {"exception.type": "CancelledError"})
    assert outcome(make_span(status="ok", events=(event,))) == Outcome(Status.OK)


@pytest.mark.parametrize("raised", ["langgraph.errors.ParentCommand", "GeneratorExit"])
def test_an_exception_that_only_steers_says_nothing(make_span, raised):
    event = ("exception", {"exception.type": raised})
    assert outcome(make_span(status="error", events=(event,))) == Outcome(Status.UNKNOWN)


def test_a_failure_in_the_result_is_one_and_its_text_the_last_resort(make_span):
    assert outcome(make_span(), failed=True, message="denied") == Outcome(
        Status.ERROR, None, "denied"
    )
    spoken = make_span(status="error", status_message="503")
    assert outcome(spoken, failed=True, message="denied").error_message == "503"


def test_where_failures_are_not_marked_a_good_end_says_nothing(make_span):
    assert outcome(make_span(), unmarked=True) == Outcome(Status.UNKNOWN)
    autogen = "openinference.instrumentation.autogen_agentchat"
    assert outcome(make_span(status="ok", scope=autogen)) == Outcome(Status.UNKNOWN)


def test_the_message_of_an_error_object_is_found():
    assert message_in("boom") == "boom"
    assert message_in({"message": "boom"}) == "boom"
    assert message_in({"error": "boom"}) == "boom"
    assert message_in({"code": 3}) is None
    assert message_in(7) is None


def test_an_exception_that_was_handled_in_a_good_span_is_no_failure(make_span):
    handled = ("exception", {"exception.type": "shop.Upstream", "exception.escaped": False})
    assert outcome(make_span(status="ok", events=(handled,))) == Outcome(Status.OK)
    assert outcome(make_span(status="ok", events=(handled, RAISED))).error_message == "503"


def test_not_to_have_escaped_says_nothing_by_itself(make_span):
    handled = ("exception", {"exception.type": "shop.Upstream", "exception.escaped": False})
    assert outcome(make_span(events=(handled,))).status is Status.ERROR
    assert outcome(make_span(status="ok", events=(RAISED,))).status is Status.ERROR
    steered = ("exception", {"exception.type": "ParentCommand", "exception.escaped": False})
    assert outcome(make_span(status="ok", events=(steered,))).status is Status.UNKNOWN


def test_the_text_that_pythons_sdk_writes_of_every_exception_says_nothing(make_span):
    raised = ("exception", {"exception.type": "shop.Upstream", "exception.escaped": "False"})
    assert outcome(make_span(status="ok", events=(raised,))).status is Status.ERROR


@pytest.mark.parametrize(
    ("version", "status"),
    [
        ("3.20.2.2", Status.UNKNOWN),
        ("3.26.4", Status.UNKNOWN),
        ("3.27.2", Status.OK),
        ("999-SNAPSHOT", Status.OK),
        (None, Status.OK),
    ],
)
def test_langchain4j_of_an_old_quarkus_shows_no_failures(read_call, version, status):
    call = read_call(
        {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get_weather"},
        scope="io.quarkus.opentelemetry",
        resource={"webengine.name": "Quarkus", "webengine.version": version},
    )
    assert call.status is status
