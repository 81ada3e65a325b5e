"""What each reader is shown of a series that is new."""

from typing import Any

from hypothesis import given, strategies as st

from toolscore_otel.emit.points import READERS, Point, Readers, gauge, key_of

CALLS = "toolscore.tool.calls"
RM, LS = key_of({"tool": "rm"}), key_of({"tool": "ls"})


def values(readers, points, reader, **options):
    return [shown.value for shown in readers.show(CALLS, points, reader=reader, **options)]


def test_each_reader_sees_a_new_series_at_zero_once():
    readers, points = Readers(), {RM: Point(value=3)}
    assert [values(readers, points, name) for name in ("a", "b", "a", "b")] == [[0], [0], [3], [3]]


def test_a_series_that_comes_later_is_at_zero_for_readers_that_know_the_others():
    readers, points = Readers(), {RM: Point(value=3)}
    values(readers, points, "a")
    points[LS] = Point(value=1)
    assert values(readers, points, "a") == [3, 0]
    assert values(readers, points, "a") == [3, 1]


def test_what_one_reader_was_told_stands_for_a_reader_that_comes_later():
    readers, points = Readers(), {RM: Point(value=3)}
    values(readers, points, "a")
    values(readers, points, "a")
    points[LS] = Point(value=1)
    assert values(readers, points, "late") == [3, 0]


def test_what_is_shown_from_the_start_stands_for_everybody():
    assert values(Readers(), {RM: Point(value=5, is_shown=True)}, "a") == [5]


def test_the_last_collection_holds_nothing_back_and_is_no_reason_to_forget():
    readers, points = Readers(), {RM: Point(value=3)}
    assert values(readers, points, "a", is_last=True) == [3]
    assert values(readers, points, "b") == [0]


def test_metrics_are_told_apart():
    readers, points = Readers(), {RM: Point(value=3)}
    values(readers, points, "a")
    assert [shown.value for shown in readers.show("toolscore.gaps", points, reader="a")] == [0]


def test_a_series_held_back_has_neither_buckets_nor_an_exemplar():
    point = Point(value=3, buckets=[1, 2], trace_id="0" * 31 + "1", amount=2)
    (shown,) = Readers().show(CALLS, {RM: point})
    assert (shown.buckets, shown.trace_id, shown.amount) == ((0, 0), "", 0)


def test_what_a_reader_was_shown_does_not_move_afterwards():
    point = Point(value=3, buckets=[1, 2], is_shown=True)
    (shown,) = Readers().show(CALLS, {RM: point})
    point.buckets[0] += 1
    assert shown.buckets == (1, 2)


def test_readers_past_the_cap_are_forgotten_and_take_what_others_were_told():
    readers, points = Readers(), {RM: Point(value=3)}
    for _ in range(2):
        for number in range(READERS + 1):
            values(readers, points, str(number))
    assert len(readers._seen) == READERS
    assert values(readers, points, "another") == [3]


def test_a_gauge_is_never_held_back():
    assert [shown.value for shown in gauge({RM: Point(value=3)})] == [3]


@given(st.lists(st.tuples(st.integers(0, READERS + 2), st.sampled_from("xyz"))))
def test_no_reader_ever_sees_a_counter_go_down(steps):
    readers = Readers()
    points: dict[Any, Point] = {}
    seen: dict[Any, float] = {}
    for reader, tool in steps:
        points.setdefault(key_of({"tool": tool}), Point()).value += 1
        for shown in readers.show(CALLS, points, reader=str(reader)):
            before = seen.get((reader, shown.key), 0)
            assert shown.value >= before
            seen[reader, shown.key] = shown.value


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"))))
def test_the_growth_that_a_reader_of_the_start_sees_is_all_there_was(steps):
    readers = Readers()
    points: dict[Any, Point] = {}
    first: dict[Any, float] = {}
    readers.show(CALLS, points, reader="a")
    for _, tool in steps:
        points.setdefault(key_of({"tool": tool}), Point()).value += 1
        for shown in readers.show(CALLS, points, reader="a"):
            first.setdefault(shown.key, shown.value)
    assert set(first.values()) <= {0}
