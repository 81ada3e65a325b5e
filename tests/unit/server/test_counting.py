"""What the server counts about itself."""

import threading

import pytest

from toolscore_otel.server.counting import Counting

REQUESTS = "toolscore.receiver.requests"
OPEN = "toolscore.trajectories.open"
ERRORS = "toolscore.rule.errors"


def values(counting, metric, **options):
    return [series.value for series in counting.collected(metric, **options)]


def test_a_metric_that_nobody_named_has_no_series():
    assert Counting().collected(REQUESTS) == []


def test_a_series_that_was_declared_counts_at_once():
    counting = Counting()
    counting.count(REQUESTS, 0, signal="traces")
    counting.count(REQUESTS, 2, signal="traces")
    assert values(counting, REQUESTS) == [2]


def test_a_series_that_was_not_declared_is_at_zero_for_each_reader_first():
    counting = Counting()
    counting.count(REQUESTS, signal="traces")
    assert [values(counting, REQUESTS, reader=name) for name in "aabb"] == [[0], [1], [1], [1]]
    counting.count(REQUESTS, signal="logs")
    assert [values(counting, REQUESTS, reader=name) for name in "ab"] == [[1, 0], [1, 0]]


def test_what_is_there_when_it_begins_stands_for_every_reader():
    counting = Counting()
    counting.follow(ERRORS, 7, rule="forbid.1")
    counting.begin()
    counting.follow(ERRORS, 1, rule="loop.1")
    assert values(counting, ERRORS, reader="a") == [7, 0]


def test_a_counter_goes_on_where_the_one_it_follows_begins_anew():
    counting = Counting()
    told = []
    for stands in (3, 5, 1, 2):
        counting.follow("toolscore.spans", stands)
        told += values(counting, "toolscore.spans", is_last=True)
    assert told == [3, 5, 6, 7]


def test_a_gauge_is_what_was_said_last_and_never_held_back():
    counting = Counting()
    counting.set(OPEN, 5)
    counting.set(OPEN, 2)
    assert values(counting, OPEN) == [2]


def test_series_of_a_gauge_that_are_replaced_are_gone():
    counting = Counting()
    counting.replace("toolscore.contracts", [({"contract": "a", "hash": "1"}, 1)])
    counting.replace("toolscore.contracts", [({"contract": "b", "hash": "2"}, 1)])
    assert [dict(s.key)["contract"] for s in counting.collected("toolscore.contracts")] == ["b"]


@pytest.mark.parametrize(
    ("metric", "attributes", "said"),
    [
        ("toolscore.nothing", {}, "the metric `toolscore.nothing` does not stand"),
        (REQUESTS, {"argument": "x"}, f"the metric `{REQUESTS}` has no attribute `argument`"),
    ],
)
def test_a_name_that_does_not_stand_in_the_file_is_refused(metric, attributes, said):
    with pytest.raises(KeyError, match=said):
        Counting().count(metric, **attributes)


def test_counts_of_many_threads_add_up():
    counting = Counting()
    counting.count(REQUESTS, 0, signal="traces")

    def work():
        for _ in range(500):
            counting.count(REQUESTS, signal="traces")

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert values(counting, REQUESTS) == [4000]
