"""Calls under one id, of all traces."""

from collections import Counter

import pytest

from toolscore_otel.assembly import ids
from toolscore_otel.assembly.ids import Ids
from toolscore_otel.assembly.ties import NO_LINKS, Told
from toolscore_otel.model import Source, Stage, ToolCall


def told(trace, key="c1", *, by="span", at=0, **fields):
    stage = Stage.REQUESTED if by == "request" else Stage.EXECUTED
    sources = (Source(by, "x", f"{trace}{at}"),)
    call = ToolCall(
        tool="t",
        recorded_name="t",
        trace_id=trace,
        key=key,
        start_ns=at,
        stage=stage,
        sources=sources,
        **fields,
    )
    return Told(call, "talk", NO_LINKS)


class Known:
    """An index, and what became of the calls since it was last asked."""

    def __init__(self):
        self.counters: Counter[str] = Counter()
        self.ids = Ids(self.counters)

    def enter(self, *all_told):
        for each in all_told:
            self.ids.enter((each.call.trace_id, each.call.key), "c1", each)
        return self.left()

    def leave(self, *names):
        for name in names:
            self.ids.leave(name, "c1")
        return self.left()

    def left(self):
        return {name: fate.left for name, fate in self.ids.settle().items()}


@pytest.fixture
def known():
    return Known()


def test_what_one_trace_tells_stands_as_it_is_told(known):
    assert known.enter(told("t")) == {}
    assert known.enter(told("t", result=1), told("t", "c1#2")) == {}
    assert known.leave(("t", "c1"), ("t", "c1#2")) == {}


def test_a_second_trace_brings_up_the_first(known):
    known.enter(told("t"))
    assert known.enter(told("u", by="response", at=5)) == {
        ("t", "c1"): told("t").call,
        ("u", "c1"): None,
    }


def test_one_that_tells_again_changes_nothing_else(known):
    known.enter(told("t"), told("u", by="response", at=5))
    assert known.enter(told("v", by="response", at=6)) == {("v", "c1"): None}
    assert known.leave(("v", "c1")) == {}


def test_one_more_that_ran_is_one_more_call(known):
    known.enter(told("t"), told("u", by="response", at=5))
    more = told("v", at=9)
    assert known.enter(more)["v", "c1"] == more.call


def test_of_two_that_know_the_same_the_earlier_one_gives(known):
    late = told("v", by="response", at=6, result=1)
    early = told("w", by="response", at=5, result=1)
    known.enter(told("t"), late)
    assert known.enter(early)["t", "c1"].sources == (*told("t").call.sources, *early.call.sources)


def test_what_is_gone_is_not_known(known):
    known.enter(told("t"), told("u", by="response", at=5))
    assert known.leave(("t", "c1"), ("u", "c1")) == {}
    assert known.leave(("t", "c1")) == {}
    assert known.enter(told("v", by="response", at=9)) == {}


def test_a_call_that_nobody_knows_does_not_go(known):
    known.enter(told("t"))
    assert known.leave(("u", "c1")) == {}
    assert known.enter(told("u", by="response", at=5))["u", "c1"] is None


def test_too_many_calls_under_an_id_are_let_go(known, monkeypatch):
    monkeypatch.setattr(ids, "MOST_TELLERS", 2)
    known.enter(told("t"), told("u", by="response", at=5))
    third = told("v", by="response", at=6, result=1)
    assert known.enter(third) == {
        ("t", "c1"): told("t").call,
        ("u", "c1"): told("u", by="response", at=5).call,
        ("v", "c1"): third.call,
    }
    assert known.enter(told("w", by="response", at=7)) == {}
    assert known.leave(("t", "c1"), ("u", "c1")) == {}
    assert known.enter(told("t")) == {}
    assert known.counters["across_forgotten"] == 1


def test_of_a_trace_that_is_forgotten_what_stands_or_told_something_is_known(known):
    known.enter(told("t"), told("u", by="response", at=5, result=1), told("v", by="response", at=6))
    for trace in "tuvw":
        known.ids.forget((trace, "c1"), "c1")
    found = known.leave(("u", "c1"))
    assert list(found) == [("t", "c1")]
    known.ids.forget(("x", "c1"), "other")


def test_what_a_forgotten_trace_only_asked_for_is_of_the_one_that_tells_what_came_of_it(known):
    known.enter(told("t", by="request"))
    known.ids.forget(("t", "c1"), "c1")
    answered = told("u", by="response", at=5, result=1)
    assert known.enter(answered)[("u", "c1")] is answered.call
    assert known.enter(told("v", by="response", at=9, result=1)) == {("v", "c1"): None}


def test_what_two_traces_asked_for_is_of_neither_when_the_first_is_forgotten(known):
    known.enter(told("t", by="request"), told("u", by="request", at=1))
    known.ids.forget(("t", "c1"), "c1")
    answered = told("v", by="response", at=5, result=1)
    assert known.enter(answered)[("v", "c1")] is answered.call


def test_calls_that_only_a_forgotten_trace_told_stand_where_they_ran(known):
    known.enter(told("t"), told("t", "c1#2", by="request", at=3))
    for key in ("c1", "c1#2"):
        known.ids.forget(("t", key), "c1")
    found = known.enter(told("u", by="response", at=5, result=1))
    assert (found[("u", "c1")], found[("t", "c1")].result) == (None, 1)


def test_a_forgotten_trace_is_no_other_one_under_its_id(known):
    known.enter(told("t", by="request"))
    known.ids.forget(("u", "c1"), "c1")
    assert known.enter(told("u", by="response", at=5, result=1))[("u", "c1")] is None
