import pytest

from toolscore_otel.model import Gap, Status

SCOPE = "io.agentscope"


def _batch(names, ids, count):
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": names,
        "gen_ai.tool.call.id": ids,
        "gen_ai.tool.call.count": count,
    }


def test_a_span_of_several_calls_tells_of_each_by_name_alone(read_span):
    reading = read_span(_batch("get_weather, fetch_url", "c2,c1", 2), scope=SCOPE, status="ok")
    told = [(call.name, call.call_id, call.status, call.position) for call in reading.calls]
    unknown = Status.UNKNOWN
    assert told == [("get_weather", None, unknown, 0), ("fetch_url", None, unknown, 1)]


@pytest.mark.parametrize("count", [None, 2])
def test_names_tell_how_many_where_no_number_does(read_span, count):
    """A poorer copy of a span is of the same calls."""
    reading = read_span(_batch("a, b", "c1,c2", count), scope=SCOPE)
    assert [(call.name, call.call_id) for call in reading.calls] == [("a", None), ("b", None)]


def test_which_of_several_calls_failed_is_not_known(read_span):
    reading = read_span(_batch("a, b", "c1,c2", 2), scope=SCOPE, status="error")
    assert [call.status for call in reading.calls] == [Status.UNKNOWN, Status.UNKNOWN]


def test_names_that_are_not_as_many_name_nothing(read_call):
    call = read_call(_batch("a, b", "c1,c2,c3", 3), scope=SCOPE)
    assert (call.name, call.call_id, call.status) == (None, None, Status.UNKNOWN)
    assert call.gaps == (Gap.NAME_NOT_OBSERVED,)


@pytest.mark.parametrize(("status", "told"), [("ok", Status.UNKNOWN), ("error", Status.ERROR)])
def test_a_span_of_one_call_keeps_its_id_and_shows_no_good_end(read_call, status, told):
    call = read_call(_batch("get_weather", "c1", 1), scope=SCOPE, status=status)
    assert (call.name, call.call_id, call.status) == ("get_weather", "c1", told)


def test_elsewhere_such_a_name_is_one(read_call):
    call = read_call(_batch("a, b", "c1", 2), scope="app")
    assert (call.name, call.call_id) == ("a, b", "c1")
