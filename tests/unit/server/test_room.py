"""How much trajectories take, and what becomes of those that find no room."""

from collections import Counter
from typing import Any

import pytest

from tests.unit.server.pipeline_made import FORBIDS, Made, agent, state_in, tool
from toolscore_otel.assembly import Place
from toolscore_otel.server import plain_spans
from toolscore_otel.server.no_state import NoState
from toolscore_otel.server.room import SPAN_BYTES, Room, density

CONTRACT: dict[str, Any] = {**FORBIDS, "require": [{"tool": "confirm"}]}


def trace(number: int) -> str:
    return f"{number:032x}"


def test_plain_text_weighs_what_it_is_and_json_more():
    assert density(b"") == density(b"some text") == 1
    assert density(b"[[1],[2]]") == 1 + (40 + 3 * 80) / 9


def test_there_is_room_up_to_the_limit():
    room = Room(100)
    room.take("a", 60)
    room.take("b", 40)
    assert not room.is_short(lambda _: True)
    room.take("a", 1)
    assert room.is_short(lambda _: True)
    room.drop("b")
    assert (room.held_bytes, room.is_enough, "b" in room) == (61, True, False)


def test_what_is_no_longer_held_makes_room():
    room = Room(100)
    room.take("gone", 60)
    room.take("here", 50)
    assert not room.is_short(lambda known: known == "here")
    assert room.held_bytes == 50


def test_places_of_plain_spans_are_kept_up_to_a_number(monkeypatch):
    monkeypatch.setattr(plain_spans, "PLACES", 3)
    counters: Counter[str] = Counter()
    kept = plain_spans.PlainSpans(counters)
    for number in range(1, 5):
        kept.keep(Place(trace(1 + number // 3), str(number), None, str(number)))
    assert counters["plain_spans_dropped"] == 2
    assert kept.take(trace(1)) == []
    assert [place.id for place in kept.take(trace(2))] == ["3", "4"]


def made(state, limit_spans=8):
    """A pipeline with room for so many small spans."""
    return Made(CONTRACT, state=state, memory_bytes=limit_spans * SPAN_BYTES * 5 // 4)


@pytest.fixture(params=["memory", "disk"])
def state(request, tmp_path):
    return NoState(b"key") if request.param == "memory" else state_in(tmp_path)


def test_past_its_memory_the_trajectory_that_was_silent_longest_is_closed(state):
    inside = made(state)
    for number in range(1, 5):
        inside.take(agent(1, trace=trace(number)))
    for number in (2, 3, 4, 1):
        inside.take(*(tool(i, args='{"text": "short"}', trace=trace(number)) for i in (2, 3)))
    assert inside.pipeline.counters()["evicted"] > 0
    open_ = [shown["trace_id"] for shown in inside.pipeline.debug()["trajectories"]]
    assert trace(1) in open_
    assert trace(2) not in open_
    assert ("require.1", "fail", 1) in inside.said()


def test_closed_ones_go_before_open_ones(state):
    inside = made(state)
    inside.take(agent(1, trace=trace(1)), tool(2, "confirm", trace=trace(1)))
    inside.close()
    assert inside.pipeline.open_trajectories == 0
    for number in (2, 3):
        inside.take(
            agent(1, trace=trace(number)), *(tool(i, trace=trace(number)) for i in (2, 3, 4))
        )
    assert inside.pipeline.counters()["evicted"] == 0
    assert inside.pipeline.open_trajectories == 2
    assert inside.pipeline.counters()["forgotten"] == isinstance(state, NoState)


def test_spans_that_come_again_take_no_more_room(state):
    inside = made(state)
    for _ in range(100):
        inside.take(agent(1), tool(2), tool(3))
    assert inside.pipeline.counters()["evicted"] == 0
    assert inside.pipeline.open_trajectories == 1


def test_a_large_argument_takes_the_room_of_many_spans(state):
    inside = made(state)
    inside.take(agent(1, trace=trace(1)))
    inside.take(tool(2, args=f'{{"text": "{"x" * 30_000}"}}', trace=trace(2)))
    assert inside.pipeline.counters()["evicted"] == 0
    inside.take(tool(3, args="[" + ",".join(["[]"] * 400) + "]", trace=trace(2)))
    assert inside.pipeline.counters()["evicted"] == 2


def test_what_was_put_out_for_room_goes_on_where_it_is_on_disk(tmp_path):
    inside = made(state_in(tmp_path), 3)
    inside.take(agent(1, trace=trace(1)), tool(2, "confirm", trace=trace(1)))
    inside.take(agent(1, trace=trace(2)), tool(2, "confirm", trace=trace(2)))
    assert inside.pipeline.counters()["evicted"] > 0
    inside.take(tool(3, "delete_user", trace=trace(1)))
    said = [rule for rule, label, _ in inside.said() if label == "fail"]
    assert said == ["forbid.1"]


def test_what_an_older_contract_closed_stays_closed_after_a_restart(tmp_path):
    state = state_in(tmp_path)
    inside = Made(CONTRACT, state=state)
    inside.take(agent(1), tool(2))
    inside.pipeline.reload(inside.pipeline.contracts)
    inside.close()
    assert inside.counted("toolscore.tool.calls") == 1
    state.close()
    again = Made(CONTRACT, state=state_in(tmp_path), clock=inside.clock)
    assert again.pipeline.open_trajectories == 0
    again.close()
    assert again.counted("toolscore.tool.calls") == 1
