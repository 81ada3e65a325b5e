"""How much may be in flight."""

from typing import Any

from hypothesis import given, strategies as st

from toolscore_otel.server.admission import Admission
from toolscore_otel.server.reply import Outcome, Reply


def outcome(reply: Reply | None) -> Outcome | None:
    """Of a reply that must be there."""
    return None if reply is None else reply.outcome


def test_what_fits_is_let_in_and_given_back():
    admission = Admission(10)
    with admission.hold() as held:
        assert held.grow(4) is None
        assert held.grow(6) is None
        assert admission.in_flight_bytes == 10
    assert admission.in_flight_bytes == 0


def test_past_the_limit_the_sender_is_asked_to_try_again():
    admission = Admission(10)
    with admission.hold() as first, admission.hold() as second:
        assert first.grow(6) is None
        refusal: Any = second.grow(5)
        assert (refusal.outcome, refusal.retry_after_s) == (Outcome.RETRY, 1)
        assert admission.in_flight_bytes == 6
    assert admission.in_flight_bytes == 0


def test_one_that_is_alone_may_be_larger_than_the_limit():
    admission = Admission(10)
    with admission.hold() as held:
        assert held.grow(8) is None
        assert held.grow(8) is None


def test_while_draining_nothing_new_comes_in_and_what_is_in_may_finish():
    admission = Admission(10)
    with admission.hold() as begun, admission.hold() as late:
        assert begun.grow(1) is None
        admission.drain()
        assert begun.grow(1) is None
        assert outcome(late.grow(1)) is Outcome.RETRY


def test_an_empty_request_is_turned_away_while_draining_too():
    admission = Admission(10)
    admission.drain()
    with admission.hold() as held:
        assert outcome(held.grow(0)) is Outcome.RETRY


@given(st.lists(st.lists(st.integers(0, 20), max_size=5), max_size=8))
def test_it_never_holds_more_than_the_limit_unless_one_is_alone(requests):
    admission = Admission(30)
    open_ones = [admission.hold() for _ in requests]
    for held, sizes in zip(open_ones, requests, strict=True):
        for size in sizes:
            held.grow(size)
            holding = [h for h in open_ones if h.size_bytes]
            assert admission.in_flight_bytes == sum(h.size_bytes for h in holding)
            assert admission.in_flight_bytes <= 30 or len(holding) == 1
    for held in open_ones:
        held.__exit__(None, None, None)
    assert admission.in_flight_bytes == 0
