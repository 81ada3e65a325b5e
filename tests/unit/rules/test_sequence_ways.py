import pytest

from toolscore_otel.matchers import Answer
from toolscore_otel.rules import sequence_ways
from toolscore_otel.rules.sequence_ways import Stand, in_line

YES, NO, UNKNOWN = Answer.YES, Answer.NO, Answer.UNKNOWN


def mixed(number):
    """Numbers in no order."""
    return number * 7919 % 997


def side_by_side(count, fits, *, must):
    """Calls that begin one after the other and all run at one time, in no order of end."""
    return [Stand(100 + n, 1000 + mixed(n), fits, must) for n in range(count)]


@pytest.mark.parametrize("count", [2, 20, 200])
@pytest.mark.parametrize("must", [True, False])
def test_many_calls_side_by_side_of_one_sort_are_no_matter(count, must):
    taken = count if must else count // 2
    between = ((1 << taken) - 1) << 1
    first, last = Stand(1, 2, 1, must), Stand(2000, 2001, 1 << (taken + 1), must)
    calls = [first, *side_by_side(count, between, must=must), last]
    assert in_line(taken + 2, calls, may_skip=False) is YES
    calls = [first._replace(start=3000, end=3001), *calls[1:]]
    assert in_line(taken + 2, calls, may_skip=False) is NO


def test_a_long_trajectory_is_looked_at_once():
    calls = [Stand(20 * n + 1, 20 * n + 11, 1 << (n % 5)) for n in range(5_000)]
    assert in_line(5, calls, may_skip=False) is YES
    assert in_line(5, calls[::-1], may_skip=False) is YES
    backwards = [stand._replace(fits=1 << 4 - n // 1_000) for n, stand in enumerate(calls)]
    assert in_line(5, backwards, may_skip=False) is NO


def hard(count, wanted):
    """Calls side by side, each fitting others than the next: whether they can stand in line is hard to tell."""
    return [
        Stand(
            start := mixed(n),
            start + 1 + mixed(n + 500),
            mixed(3 * n) * mixed(5 * n + 1) % (1 << wanted),
        )
        for n in range(count)
    ]


def test_past_a_cap_the_answer_is_unknown_unless_a_way_was_found(monkeypatch):
    calls = [*hard(60, 20), Stand(2000, 2001, 1), Stand(2000, 2001, 1 << 20)]
    assert in_line(21, calls, may_skip=False) in (YES, UNKNOWN)
    monkeypatch.setattr(sequence_ways, "MOST_STEPS", -len(calls))
    assert in_line(21, calls, may_skip=False) is UNKNOWN


@pytest.mark.parametrize("cap", ["MOST_WAYS", "MOST_SORTS"])
def test_each_cap_leaves_the_answer_open(cap, monkeypatch):
    long = [Stand(10 + n, 1000 - 10 * n, 0b1 | 1 << (n + 1)) for n in range(4)]
    calls = [*long, Stand(2000, 2001, 0b1)]
    assert in_line(5, calls[:4], may_skip=False) is NO
    monkeypatch.setattr(sequence_ways, cap, 1)
    assert in_line(5, calls[:4], may_skip=False) is UNKNOWN


@pytest.mark.parametrize("steps", range(60))
def test_running_out_of_steps_never_makes_a_wrong_answer(steps, monkeypatch):
    calls = [Stand(10 + n, 1000 - 10 * n, 0b11 << (n % 3), n == 2) for n in range(5)]
    right = in_line(4, calls, may_skip=True)
    monkeypatch.setattr(sequence_ways, "MOST_STEPS", steps - len(calls))
    assert in_line(4, calls, may_skip=True) in (UNKNOWN, right)


def test_a_call_that_must_be_taken_and_is_over_ends_a_way():
    early = Stand(1, 2, 0b10, must=True)
    assert in_line(2, [early, Stand(5, 6, 0b01)], may_skip=True) is YES
    assert in_line(2, [Stand(5, 6, 0b01, must=True), early], may_skip=True) is NO


def test_of_two_ways_the_one_that_used_up_what_must_be_taken_is_not_forgotten():
    must, other = Stand(1, 100, 0b101, must=True), Stand(3, 90, 0b001)
    middle = Stand(50, 60, 0b010, must=True)
    assert in_line(3, [must, other, middle], may_skip=False) is YES
    assert in_line(3, [must, middle], may_skip=True) is YES
