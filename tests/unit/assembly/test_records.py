"""Several records under one span id."""

from __future__ import annotations

from itertools import permutations

import pytest
from msgspec import structs

from toolscore_otel.assembly.records import (
    MOST_RECORDS,
    Record,
    is_beyond,
    nodes_under,
    standing,
    with_record,
)
from toolscore_otel.conventions.reading import AgentReading, SpanReading
from toolscore_otel.model import ContentState, Payload


def kept(*records: Record) -> tuple[Record, ...]:
    known: tuple[Record, ...] = ()
    for record in records:
        known = with_record(known, record)
    return known


@pytest.fixture
def record(say):
    return lambda *args, **said: Record(*say.tool("s", *args, **said))


def test_a_record_that_came_before_adds_nothing(record):
    known = kept(record(args={"q": 1}))
    assert with_record(known, record(args={"q": 1})) is known


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ({"at": (0, 10)}, {"at": (0, None), "args": {"q": 1}, "result": "found"}),
        ({"args": {"q": 1}}, {}),
        ({"result": "found"}, {}),
        ({"args": {}}, {"args": Payload(ContentState.TRUNCATED, None, '{"q')}),
        (
            {"args": Payload(ContentState.TRUNCATED, None, '{"q')},
            {"args": Payload(ContentState.UNPARSABLE, None, "q is 1")},
        ),
        ({"at": (0, 11)}, {"at": (0, 10)}),
        ({"args": {"q": "aac"}}, {"args": {"q": "aab"}}),
    ],
)
def test_ended_beats_not_ended_then_more_content_then_the_greater_text(record, more, less):
    more, less = record(**more), record(**less)
    assert kept(less, more) == (more,)
    assert kept(more, less) == (more,)


def test_what_names_a_call_beats_what_does_not(record, say):
    named, nameless = record(call_id="x"), record(name=None)
    assert standing(kept(nameless, named)) == [named]
    assert standing(kept(named, nameless)) == [named]


def test_what_tells_of_a_call_beats_an_agent_or_model_under_the_same_id(record, say):
    call, agent, model = record(), Record(*say.agent("s", None, "Clerk")), Record(*say.model("s"))
    for order in permutations((call, agent, model)):
        assert standing(kept(*order)) == [call]
    assert standing(kept(model, agent)) == [agent]


def test_a_model_call_that_tells_more_beats_one_that_tells_less(say):
    more = Record(*say.model("s", model="a", input_tokens=5))
    less = Record(*say.model("s", model="b"))
    assert kept(less, more) == kept(more, less) == (more,)


def test_a_span_known_to_be_a_step_beats_what_took_it_for_an_agent(say):
    agent = Record(*say.agent("s", None, "Clerk"))
    step = Record(
        agent.place, SpanReading(agent=AgentReading(convention="x", is_step=True, name="A"))
    )
    assert kept(agent, step)[0] == kept(step, agent)[0] == step


@pytest.mark.parametrize("other", [{"name": "refund"}, {"call_id": "y"}])
def test_another_tool_or_call_id_is_another_call(record, other):
    one, two = record(call_id="x", args={"q": 1}), record(**{"call_id": "x"} | other)
    assert standing(kept(one, two)) == standing(kept(two, one)) == [one, two]


def test_what_stands_does_not_depend_on_the_order(record):
    records = [
        record(name=None),
        record(),
        record(call_id="x"),
        record(call_id="y", args={}),
        record(name="refund", args={}),
        record(name=None, call_id="y", result="found", args={}),
    ]
    found = [standing(kept(*order)) for order in permutations(records)]
    assert all(other == found[0] for other in found)
    calls = [record.reading.calls[0] for record in found[0]]
    assert [(call.name, call.call_id) for call in calls] == [
        ("search", "y"),
        ("refund", None),
        ("search", "x"),
    ]


def test_messages_that_a_model_span_carries_are_no_call_of_its_own(say):
    one = Record(*say.model("s", None, say.request(call_id="x")))
    two = Record(*say.model("s", None, say.request(call_id="x"), say.request(call_id="y")))
    assert standing(kept(one, two)) == [two]


def test_calls_past_the_cap_are_not_looked_at(record):
    known = kept(*(record(call_id=str(number)) for number in range(MOST_RECORDS)))
    one_more = record(call_id="one more")
    assert len(known) == MOST_RECORDS
    assert is_beyond(known, one_more)
    assert with_record(known, one_more) is known
    richer = record(call_id="3", args={})
    assert not is_beyond(known, richer)
    assert with_record(known, richer)[0] == richer
    assert not is_beyond((), one_more)


def test_a_model_call_that_is_told_elsewhere_says_nothing(say):
    model = Record(*say.model("s", None, say.request(call_id="x")))
    twin = Record(model.place, SpanReading(is_twin=True))
    assert standing(kept(model, twin)) == standing(kept(twin, model)) == [twin]


def test_what_a_log_record_tells_fills_a_model_call_and_nothing_else(say):
    model, call = Record(*say.model("s", input_tokens=5)), Record(*say.tool("s", name="search"))
    logged = say.model("s", model="a", input_tokens=7)[1].model
    fills = Record(model.place, SpanReading(logged=logged))
    for order in permutations((model, fills)):
        (found,) = standing(kept(*order))
        assert found.reading.model == structs.replace(logged, input_tokens=5)
    assert standing(kept(call, fills)) == standing(kept(fills, call)) == [call]
    assert standing(kept(fills)) == [fills]
    assert list(nodes_under([fills])) == []
