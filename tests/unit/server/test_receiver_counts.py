"""What a receiver answered, counted."""

import pytest

from toolscore_otel.server.counting import Counting
from toolscore_otel.server.receiver_counts import ACCEPTED, REFUSED, REQUESTS, ReceiverCounts
from toolscore_otel.server.reply import OK, Outcome, Reply, Signal


@pytest.fixture
def counting():
    return Counting()


@pytest.fixture
def counts(counting):
    return ReceiverCounts(counting, "grpc")


def counted(counting, metric):
    """What is above 0, by signal and outcome."""
    told = ((dict(series.key), series.value) for series in counting.collected(metric))
    return {(key["signal"], key.get("outcome")): value for key, value in told if value}


def test_every_answer_stands_at_zero_from_the_start(counting, counts):
    counts.answered(Signal.LOGS, OK)
    assert len(counting.collected(REQUESTS)) == len(Signal) * len(Outcome)
    assert counted(counting, REQUESTS) == {("logs", "ok"): 1}


def test_what_was_taken_counts_without_what_was_rejected(counting, counts):
    counts.answered(Signal.TRACES, Reply(outcome=Outcome.OK, items=10, rejected=3))
    assert counted(counting, ACCEPTED) == {("traces", None): 7}
    assert counted(counting, REFUSED) == {("traces", "bad"): 3}


def test_what_was_refused_counts_by_its_outcome(counting, counts):
    counts.answered(Signal.TRACES, Reply(outcome=Outcome.RETRY, items=10))
    assert counted(counting, REFUSED) == {("traces", "retry"): 10}
    assert counted(counting, ACCEPTED) == {}


def test_of_a_request_whose_items_are_not_known_only_the_request_counts(counting, counts):
    counts.answered(Signal.METRICS, Reply(outcome=Outcome.BAD))
    assert counted(counting, REQUESTS) == {("metrics", "bad"): 1}
    assert counted(counting, REFUSED) == {}
