"""Calls that several traces tell of."""

# pyright: reportOptionalMemberAccess=false, reportOptionalSubscript=false, reportArgumentType=false

from collections import Counter

import pytest

from toolscore_otel.assembly import CallChange, ids
from toolscore_otel.assembly.across import Across
from toolscore_otel.assembly.retold import retold
from toolscore_otel.assembly.trace import TraceAssembly
from toolscore_otel.model import ContentState, CostSource, Gap, Source, Stage, Status, ToolCall


def told(trace, *, by="span", at=0, **fields):
    defaults = {"tool": "t", "recorded_name": "t", "call_id": "c1", "key": "c1", "start_ns": at}
    stage = Stage.REQUESTED if by == "request" else Stage.EXECUTED
    sources = (Source(by, "x", f"{trace}{at}"),)
    return ToolCall(**{**defaults, "stage": stage, "sources": sources, "trace_id": trace, **fields})


def fates(*calls, may_be_one=lambda *_: True):
    known = {(call.trace_id, call.key): call for call in calls}
    return {name[0]: fate for name, fate in retold(known, may_be_one).items()}


def test_what_ran_as_a_span_is_told_by_the_messages_of_others():
    asked = told("t", by="request", args={"q": 1})
    ran = told("u", at=5, gaps=(Gap.ARGS_NOT_OBSERVED, Gap.NO_CALL_ID))
    answered = told("v", by="response", at=9, result=2, status=Status.OK)
    found = fates(answered, ran, asked)
    assert found["u"].left.args == {"q": 1}
    assert (found["u"].left.result, found["u"].left.status) == (2, Status.OK)
    assert found["u"].left.gaps == (Gap.NO_CALL_ID,)
    assert len(found["u"].left.sources) == 3
    assert (found["t"].gives, found["v"].gives) == (True, True)
    assert (found["v"].left, found["v"].now) == (None, ran)
    assert found["t"].left.gaps == (Gap.RAN_ELSEWHERE,)


def test_what_is_observed_is_not_told_by_others():
    ran = told("u", args={"q": 1}, result=1, status=Status.ERROR)
    answered = told("v", by="response", at=9, args={"q": 1}, result=2, status=Status.OK)
    left = fates(ran, answered)["u"].left
    assert (left.result, left.status) == (1, Status.ERROR)


def test_two_spans_are_two_calls():
    found = fates(told("t"), told("u", at=5))
    assert [fate.left is fate.told for fate in found.values()] == [True, True]


@pytest.mark.parametrize("other", [{"recorded_name": "other"}, {"args": {"q": 2}}])
def test_what_differs_is_another_call(other):
    found = fates(told("t", args={"q": 1}), told("u", by="request", at=5, **other))
    assert found["u"].left is found["u"].told


def test_a_request_without_a_time_may_have_come_before():
    asked = told("t", by="request", start_ns=None)
    assert fates(asked, told("u"))["t"].left.gaps == (Gap.RAN_ELSEWHERE,)


def test_calls_that_nothing_ties_stay_apart():
    found = fates(told("t", by="request"), told("u", at=5), may_be_one=lambda *_: False)
    assert [fate.left is fate.told for fate in found.values()] == [True, True]


def test_of_messages_alone_the_first_one_has_the_call():
    asked = told("t", by="request", args_state=ContentState.OBSERVED, args=None)
    found = fates(told("u", by="response", at=5, result=1), asked)
    assert (found["t"].left.stage, found["t"].left.result) == (Stage.EXECUTED, 1)
    assert found["u"].left is None


class Traces:
    """Several traces, and what all together tell."""

    def __init__(self):
        self.counters: Counter[str] = Counter()
        self.across = Across(self.counters)
        self.traces = {}

    def take(self, trace_id, *changes, talk="x"):
        if trace_id not in self.traces:
            self.traces[trace_id] = TraceAssembly(self.counters)
        trace = self.traces[trace_id]
        if talk:
            trace.conversations.add(talk)
        for change in changes:
            if change.before:
                del trace.calls[change.before]
            if change.after:
                trace.calls[change.after.key] = change.after
        return self.across.take(trace_id, changes, trace)


def new(call):
    return CallChange(None, call)


def test_a_call_that_joins_is_gone_from_the_other_trace_and_comes_back():
    traces = Traces()
    asked, ran = told("t", by="response", at=9), told("u")
    assert traces.take("t", new(asked)) == {"t": [new(asked)]}
    found = traces.take("u", new(ran))
    assert found["t"] == [CallChange("c1", None, now=ran)]
    assert list(traces.traces["t"].standing()) == []
    found = traces.take("u", CallChange("c1", None))
    assert found == {"u": [CallChange("c1", None)], "t": [new(asked)]}
    assert list(traces.traces["t"].standing()) == [asked]


def test_what_never_stood_does_not_go():
    traces = Traces()
    traces.take("u", new(told("u")))
    assert traces.take("t", new(told("t", by="response", at=9))) == {"t": []}
    assert traces.take("v", new(told("v", by="response", at=12))) == {"v": []}
    assert traces.take("t", CallChange("c1", None))["t"] == []


def test_a_conversation_that_comes_late_joins():
    traces = Traces()
    traces.take("u", new(told("u")))
    traces.take("t", new(told("t", by="response", at=9)), talk=None)
    assert [change.after for change in traces.take("t")["t"]] == [None]
    assert [call.trace_id for t in traces.traces.values() for call in t.standing()] == ["u"]


def test_a_trace_that_is_forgotten_still_tells_and_is_told_nothing():
    traces = Traces()
    traces.take("t", new(told("t", by="response", at=9, result=1)))
    traces.across.forget("t")
    found = traces.take("u", new(told("u")))
    assert [change.after.result for change in found["u"]] == [1]
    assert list(found) == ["u"]


def test_a_trace_that_told_nothing_new_is_forgotten_as_a_whole():
    traces = Traces()
    traces.take("u", new(told("u")))
    traces.take("t", new(told("t", by="response", at=9)))
    traces.across.forget("t")
    assert traces.take("u", CallChange("c1", None)) == {"u": [CallChange("c1", None)]}


def test_past_the_caps_ids_join_nothing(monkeypatch):
    monkeypatch.setattr(ids, "MOST_TELLERS", 1)
    traces = Traces()
    traces.take("t", new(told("t", by="response", at=9)))
    assert list(traces.take("u", new(told("u")))) == ["u"]
    monkeypatch.setattr(ids, "MOST_TELLERS", 9)
    monkeypatch.setattr(ids, "MOST_IDS", 0)
    traces = Traces()
    traces.take("t", new(told("t", by="response", at=9)))
    assert list(traces.take("u", new(told("u")))) == ["u"]
    assert traces.counters["across_forgotten"] == 2
    assert traces.take("t", CallChange("c1", None))["t"] == [CallChange("c1", None)]


def test_the_turn_that_asked_is_told_by_the_trace_in_which_it_did():
    turn = {"model": "m", "provider": "us", "turn_id": "s", "turn_cost_usd": 0.1}
    asked = told("t", by="request", turn_cost_source=CostSource.REPORTED, **turn)
    again = told("v", by="request", at=7, turn_id="other")
    left = fates(told("u", at=5), again, asked)["u"].left
    assert {name: getattr(left, name) for name in turn} == turn
    assert left.turn_cost_source is CostSource.REPORTED
    assert fates(told("u", turn_id="own"), asked)["u"].left.turn_id == "own"
