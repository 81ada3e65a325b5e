# pyright: reportOptionalMemberAccess=false, reportOptionalSubscript=false, reportArgumentType=false

import msgspec
import pytest
from msgspec import structs

from tests.unit.server.state_made import (
    KEY,
    NOW,
    SECOND,
    TRACE,
    a_run,
    tool_span,
)
from toolscore_otel.assembly import Entry, Place, Taken
from toolscore_otel.conventions import read
from toolscore_otel.conventions.reading import CallReading, ModelReading, Offer, SpanReading
from toolscore_otel.model import (
    ClosedBy,
    ContentState,
    InstrumentationScope,
    Payload,
    Resource,
    ToolSchema,
)
from toolscore_otel.secrets import Fingerprints, Sealer
from toolscore_otel.secrets.samples import make_sample
from toolscore_otel.server.kept import entries_as_bytes, entries_of_bytes


def sealer() -> Sealer:
    return Sealer((), Fingerprints(KEY))


def test_every_field_of_a_place_and_of_a_reading_is_kept():
    place = Place(
        trace_id=TRACE,
        id="a",
        parent="b",
        span_id="c",
        start_ns=1,
        end_ns=2,
        ended=False,
        resource=Resource({"service.name": "shop"}),
        scope=InstrumentationScope("lib", "1.2"),
        dropped=3,
        is_log=True,
        attributes={"tier": 1},
        links=("other",),
    )
    assert not [
        field.name
        for field in structs.fields(Place)
        if not field.required and getattr(place, field.name) == field.default
    ]
    reading = read(tool_span(2, args={"a": [1, 2.5, None, True]}, result="x", error="bad"))
    entries: list[Entry] = [
        Taken(place, reading, NOW),
        ClosedBy.IDLE,
        Taken(place, None, NOW + SECOND),
    ]
    data = entries_as_bytes(entries, sealer(), lambda _: 7)
    assert entries == entries_of_bytes(data, TRACE, {7: place.resource}.__getitem__)


@pytest.mark.parametrize("value", [1 << 70, -(1 << 64), "\ud800", float("inf"), {"é": "ü\x00"}])
def test_odd_values_are_kept(value):
    call = CallReading(convention="x", args=Payload(ContentState.OBSERVED, {"a": value}))
    entries = [Taken(Place(TRACE, "a", None, "a"), SpanReading(calls=(call,)), NOW)]
    data = entries_as_bytes(entries, sealer(), lambda _: 1)
    assert entries == entries_of_bytes(data, TRACE, lambda _: Resource())


@pytest.mark.parametrize("default", ["x", 1 << 70, make_sample("npm_token", 1)])
def test_the_tools_that_a_model_was_offered_are_kept_without_secrets(default):
    schema = ToolSchema({"properties": {"q": {"default": default}}})
    offer = Offer("one", {"search": schema}, 3)
    reading = SpanReading(model=ModelReading(convention="x"), offer=offer)
    entries = [Taken(Place(TRACE, "a", None, "a"), reading, NOW)]
    data = entries_as_bytes(entries, sealer(), lambda _: 1)
    (taken,) = entries_of_bytes(data, TRACE, lambda _: Resource())
    assert isinstance(taken, Taken)
    kept = taken.reading.offer if taken.reading else None
    assert kept == offer
    assert kept is not None
    assert kept.size == 3
    assert kept.tools == {"search": schema}
    written = kept.tools["search"].schema["properties"]["q"]["default"]
    assert (written == default) is not str(default).startswith("npm_")
    assert (str(default).encode() in data) is not str(default).startswith("npm_")


@pytest.mark.parametrize("field", ["model", "logged"])
def test_a_secret_in_the_name_of_a_model_is_not_kept(field):
    secret = make_sample("npm_token", 1)
    model = ModelReading(convention="x", model=secret, provider="openai")
    reading = structs.replace(SpanReading(), **{field: model})
    entries = [Taken(Place(TRACE, "a", None, "a"), reading, NOW)]
    data = entries_as_bytes(entries, sealer(), lambda _: 1)
    assert secret.encode() not in data
    (taken,) = entries_of_bytes(data, TRACE, lambda _: Resource())
    assert isinstance(taken, Taken)
    assert getattr(taken.reading, field).provider == "openai"


def test_what_is_kept_is_small(tmp_path):
    entries = [Taken(Place.of_span(s), read(s), NOW) for s in a_run()[-2:]]
    assert len(entries_as_bytes(entries, sealer(), lambda _: 1)) < 1000
    assert msgspec.msgpack.encode(Payload()) == msgspec.msgpack.encode({})


def test_a_value_with_a_placeholder_is_known_as_such_where_a_secret_was_taken_out():
    args = {"token": make_sample("npm_token", 1), "n": "[unreadable: NaN]"}
    payload = Payload(ContentState.OBSERVED, args, is_mended=True)
    reading = SpanReading(calls=(CallReading(convention="x", args=payload),))
    entries: list[Entry] = [Taken(Place(TRACE, "a", None, "a"), reading, NOW)]
    data = entries_as_bytes(entries, sealer(), lambda _: 1)
    (taken,) = entries_of_bytes(data, TRACE, lambda _: Resource())
    assert isinstance(taken, Taken)
    assert taken.reading is not None
    kept = taken.reading.calls[0].args
    assert kept.is_mended
    assert kept.value["n"] == "[unreadable: NaN]"
    assert kept.value["token"] != args["token"]
