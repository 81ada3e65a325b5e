# pyright: reportOptionalMemberAccess=false, reportOptionalSubscript=false, reportArgumentType=false

from itertools import permutations

import pytest

from toolscore_otel.assembly import Assembler, CallChange, Journal, Taken, offers
from toolscore_otel.conventions.reading import (
    AgentReading,
    CallReading,
    Layer,
    ModelReading,
    Offer,
    SpanReading,
)
from toolscore_otel.model import Stage, ToolSchema

ONE, OTHER, THIRD = (ToolSchema({"required": [name]}) for name in "abc")
OFFER = Offer("one", {"search": ONE, "pay": THIRD}, 10)
ANOTHER = Offer("another", {"search": OTHER}, 10)
NOT_TOLD = Offer("one")


def model(offer, *names):
    """A model that was offered tools and asked for some."""
    asked = [
        CallReading(
            convention="c",
            layer=Layer.MESSAGE,
            what="request",
            name=name,
            call_id=f"id {name}",
            stage=Stage.REQUESTED,
        )
        for name in names
    ]
    return SpanReading(model=ModelReading(convention="c"), calls=tuple(asked), offer=offer)


def tool(name, offer=None, call_id=None):
    return SpanReading(
        calls=(CallReading(convention="c", name=name, call_id=call_id),), offer=offer
    )


class Told:
    """An assembler that was told of places in some order, and the schemas of the calls that stand."""

    def __init__(self, say, fed, *, keeps_offers=True):
        self.assembler = Assembler()
        self.assembler.keeps_offers = keeps_offers
        self.assembler.journal = self.journal = Journal()
        self.changes: list[CallChange] = []
        for span_id, reading, parent in fed:
            place = say.place(span_id, parent)
            self.changes += self.assembler.add(place, reading, 0).changes
            self.trace_id = place.trace_id

    @property
    def schemas(self):
        calls = self.assembler.trajectory(self.trace_id).calls
        return {
            call.span_id: {schema.schema["required"][0] for schema in call.schemas}
            for call in calls
        }

    @property
    def kept(self):
        entries = self.journal.take_new()[self.trace_id]
        readings = [entry.reading for entry in entries if isinstance(entry, Taken)]
        return [reading.offer for reading in readings if reading is not None]


def in_any_order(say, *fed):
    """The schemas that calls have in the end, in whatever order all comes."""
    found = [Told(say, order).schemas for order in permutations(fed)]
    assert all(schemas == found[0] for schemas in found)
    return found[0]


def test_a_call_has_the_schema_that_its_trace_records(say):
    found = in_any_order(
        say, ("m", model(OFFER), None), ("s", tool("search"), None), ("x", tool("x"), None)
    )
    assert found == {"s": {"a"}, "x": set()}


def test_agents_and_tool_spans_tell_schemas_too(say):
    agent = SpanReading(agent=AgentReading(convention="c"), offer=OFFER)
    assert in_any_order(say, ("r", agent, None), ("s", tool("search"), None)) == {"s": {"a"}}
    own = tool("search", ANOTHER)
    assert in_any_order(say, ("s", own, None), ("t", tool("search"), None)) == {
        "s": {"b"},
        "t": {"b"},
    }


def test_several_schemas_of_one_tool_leave_it_open_which_one_it_is(say):
    fed = ("m", model(OFFER), None), ("n", model(ANOTHER), None), ("s", tool("search"), None)
    assert {"s": {"a", "b"}} == in_any_order(say, *fed)


def test_the_model_that_asked_decides(say):
    found = in_any_order(
        say,
        ("m", model(OFFER, "search"), None),
        ("n", model(ANOTHER), None),
        ("s", tool("search", call_id="id search"), None),
    )
    assert found == {"s": {"a"}}


def test_what_the_model_was_offered_goes_before_what_the_span_says(say):
    found = in_any_order(
        say,
        ("m", model(OFFER, "search"), None),
        ("s", tool("search", ANOTHER, call_id="id search"), None),
    )
    assert found == {"s": {"a"}}


def test_a_tool_that_the_asking_model_was_not_offered_is_looked_for_elsewhere(say):
    found = in_any_order(
        say,
        ("m", model(ANOTHER, "pay"), None),
        ("n", model(None, "search"), None),
        ("o", model(OFFER), None),
    )
    assert {
        "m": {"c"},
        "n": {"a", "b"},
    } == found


def test_a_schema_that_comes_later_is_a_change_of_the_call(say):
    told = Told(
        say, [("s", tool("search"), None), ("m", model(OFFER), None), ("n", model(OFFER), None)]
    )
    assert [(c.before, c.after and c.after.schemas) for c in told.changes] == [
        (None, ()),
        ("s", (ONE,)),
    ]


def test_a_record_that_says_more_stands_for_the_one_before(say):
    fuller = model(None, "pay")
    fed = [("m", model(OFFER), None), ("s", tool("search"), None), ("m", fuller, None)]
    assert Told(say, fed).schemas["s"] == set()
    assert Told(say, [("n", model(OFFER), None), *fed]).schemas["s"] == {"a"}
    fed = [("m", model(None), None), ("s", tool("search"), None), ("m", model(OFFER, "pay"), None)]
    assert Told(say, fed).schemas["s"] == {"a"}


def test_spans_that_move_are_told_anew(say):
    fed = [("m", model(OFFER), "s"), ("s", tool("search"), None), ("m", model(OFFER), None)]
    told = Told(say, fed)
    assert told.assembler.counters["moved"] == 1
    assert told.schemas["s"] == {"a"}


def test_what_is_told_again_is_kept_in_brief(say):
    told = Told(
        say, [("m", model(OFFER), None), ("n", model(OFFER), None), ("o", model(None), None)]
    )
    first, second, third = told.kept
    assert first.tools is OFFER.tools
    assert second.tools is None
    assert second == OFFER
    assert third is None


def test_what_was_kept_in_brief_is_known_again(say):
    told = Told(say, [("m", model(OFFER), None), ("n", model(NOT_TOLD, "search"), None)])
    assert told.schemas["n"] == {"a"}


@pytest.mark.parametrize(("cap", "value"), [("MOST_OFFERS", 1), ("MOST_CHARACTERS", 15)])
def test_past_a_cap_offers_are_not_kept(cap, value, say, monkeypatch):
    monkeypatch.setattr(offers, cap, value)
    told = Told(
        say, [("m", model(OFFER), None), ("n", model(ANOTHER), None), ("s", tool("search"), None)]
    )
    assert told.schemas["s"] == {"a"}
    assert told.assembler.counters["offer_limit"] == 1
    assert [offer and offer.digest for offer in told.kept] == ["one", None, None]


def test_nothing_is_kept_where_nobody_asks_for_it(say):
    told = Told(say, [("m", model(OFFER), None), ("s", tool("search"), None)], keeps_offers=False)
    assert told.schemas == {"s": set()}
    assert told.kept == [None, None]


def test_what_was_never_told_in_full_is_no_offer(say):
    told = Told(say, [("n", model(NOT_TOLD), None), ("s", tool("search"), None)])
    assert told.schemas["s"] == set()
