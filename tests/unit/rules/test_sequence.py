from itertools import permutations

import pytest
from hypothesis import given, strategies as st

from toolscore_otel.matchers import Answer, before
from toolscore_otel.model import ToolCall
from toolscore_otel.rules.sequence import Mode, Seen, could_hold, holds

YES, NO, UNKNOWN = Answer.YES, Answer.NO, Answer.UNKNOWN
IN_ORDER = (Mode.IN_ORDER, Mode.STRICT)
CLOSED = (Mode.STRICT, Mode.ANY_ORDER, Mode.SUBSET)


def seen(fits, start=None, end=None, looked_at=YES):
    """A call that fits the selectors of these numbers; those after a `?` perhaps."""
    sure, _, maybe = fits.partition("?")
    answers = (YES if str(n) in sure else UNKNOWN if str(n) in maybe else NO for n in range(3))
    return Seen(start, end, looked_at, tuple(answers))


A, B, C = seen("0", 10, 20), seen("1", 30, 40), seen("2", 50, 60)


@pytest.mark.parametrize(
    ("calls", "modes"),
    [
        ([A, B, C], set(Mode)),
        ([B, A, C], {Mode.ANY_ORDER, Mode.SUPERSET, Mode.SUBSET, Mode.STRICT, Mode.IN_ORDER}),
        ([A, B, C, seen("", 45, 46)], {Mode.IN_ORDER, Mode.SUPERSET}),
        ([A, B], {Mode.SUBSET}),
        ([], {Mode.SUBSET}),
        ([A, A, B, C], {Mode.IN_ORDER, Mode.SUPERSET}),
        ([seen("0", 70, 80), B, C], {Mode.ANY_ORDER, Mode.SUPERSET, Mode.SUBSET}),
        ([seen("0", 35, 45), B, C], set(Mode)),
        ([seen("0", 40, 45), B, C], {Mode.ANY_ORDER, Mode.SUPERSET, Mode.SUBSET}),
        ([seen("0", 30, 30), seen("1", 30, 30), C], set(Mode)),
        ([seen("0", 30, 31), seen("1", 30, 30), C], {Mode.ANY_ORDER, Mode.SUPERSET, Mode.SUBSET}),
    ],
)
def test_each_mode_demands_what_it_says(calls, modes):
    assert modes == {mode for mode in Mode if holds(mode, 3, calls) is YES}
    assert not any(holds(mode, 3, calls) is UNKNOWN for mode in Mode)


def test_each_selector_takes_a_call_of_its_own():
    wide, narrow = seen("012", 10, 20), seen("0", 30, 40)
    assert holds(Mode.SUPERSET, 2, [wide]) is NO
    assert holds(Mode.SUPERSET, 2, [wide, narrow]) is YES
    assert holds(Mode.IN_ORDER, 2, [wide, narrow]) is NO
    assert holds(Mode.IN_ORDER, 2, [narrow, seen("01", 50, 60)]) is YES


def test_a_long_call_is_left_for_the_selector_that_needs_it():
    long, short, between = seen("02", 0, 100), seen("02", 5, 10), seen("1", 50, 60)
    assert holds(Mode.IN_ORDER, 3, [long, short, between]) is YES
    assert holds(Mode.STRICT, 3, [long, short, between]) is YES
    assert holds(Mode.IN_ORDER, 3, [long, between]) is NO


@pytest.mark.parametrize(
    ("mode", "calls", "answer"),
    [
        (Mode.IN_ORDER, [seen("?0", 10, 20), B], UNKNOWN),
        (Mode.IN_ORDER, [seen("?0", 50, 60), B], NO),
        (Mode.IN_ORDER, [A, seen("?0", 12, 14), B], YES),
        (Mode.IN_ORDER, [seen("0", 10, 20, UNKNOWN), B], UNKNOWN),
        (Mode.STRICT, [A, B, seen("", 70, 80, UNKNOWN)], UNKNOWN),
        (Mode.STRICT, [A, B, seen("", 70, 80, NO)], YES),
        (Mode.ANY_ORDER, [A, seen("1", 1, 2, UNKNOWN), seen("1", 3, 4, UNKNOWN)], UNKNOWN),
        (Mode.ANY_ORDER, [A, seen("0", 1, 2), seen("1", 3, 4, UNKNOWN)], NO),
        (Mode.SUBSET, [A, seen("", 70, 80, UNKNOWN)], UNKNOWN),
        (Mode.SUBSET, [A, seen("01", 70, 80, UNKNOWN)], YES),
        (Mode.SUBSET, [A, seen("?1", 70, 80)], UNKNOWN),
        (Mode.SUBSET, [A, seen("?0", 70, 80)], NO),
        (Mode.SUPERSET, [A, seen("?01", 70, 80)], UNKNOWN),
    ],
)
def test_unknown_is_the_answer_where_what_was_not_observed_decides(mode, calls, answer):
    assert answer is holds(mode, 2, calls)


@pytest.mark.parametrize(
    ("calls", "answer"),
    [
        ([seen("0"), B], UNKNOWN),
        ([seen("0", 10), B], YES),
        ([seen("0", 35), B], YES),
        ([seen("0", 41), B], NO),
        ([seen("0", None, 20), B], YES),
        ([seen("0", None, 90), B], UNKNOWN),
        ([A, seen("0"), B], YES),
        ([seen("01"), seen("01")], YES),
    ],
)
def test_times_that_were_not_observed_may_be_any(calls, answer):
    assert answer is holds(Mode.IN_ORDER, 2, calls)


def test_a_call_that_began_and_was_not_seen_to_end_is_no_earlier_than_its_begin():
    assert holds(Mode.IN_ORDER, 2, [A, seen("1", 15)]) is YES
    assert holds(Mode.IN_ORDER, 2, [A, seen("1", 5)]) is UNKNOWN
    assert holds(Mode.IN_ORDER, 2, [A, seen("1", None, 10)]) is NO


@pytest.mark.parametrize(
    ("mode", "calls", "answer"),
    [
        (Mode.IN_ORDER, [B], YES),
        (Mode.SUPERSET, [], YES),
        (Mode.ANY_ORDER, [seen("1", 1, 2)], YES),
        (Mode.ANY_ORDER, [seen("1", 1, 2), seen("1", 3, 4)], NO),
        (Mode.STRICT, [A, C], YES),
        (Mode.STRICT, [seen("0", 70, 80), C], NO),
        (Mode.STRICT, [A, seen("", 30, 40)], NO),
        (Mode.SUBSET, [seen("", 1, 2)], NO),
    ],
)
def test_hidden_calls_may_fill_what_is_lacking_and_undo_nothing(mode, calls, answer):
    assert answer is could_hold(mode, 3, calls, hidden=True)


def test_no_selector_at_all_fits_no_call():
    none = Seen(1, 2, YES, ())
    assert holds(Mode.STRICT, 0, []) is YES
    assert holds(Mode.STRICT, 0, [none]) is NO
    assert holds(Mode.IN_ORDER, 0, [none]) is YES
    assert holds(Mode.STRICT, 0, [Seen(1, 2, UNKNOWN, ())]) is UNKNOWN


answers = st.sampled_from([YES, YES, NO])
times = st.integers(0, 6)
known = st.builds(
    lambda start, took, fits: Seen(start, start + took, YES, fits),
    times,
    st.integers(0, 3),
    st.tuples(answers, answers, answers),
)


def tried(mode, calls):
    """Whether some way to give each selector a call fits."""
    if mode is Mode.SUBSET:
        return any(
            all(call.fits[n] is YES for call, n in zip(calls, chosen, strict=True))
            for chosen in permutations(range(3), len(calls))
        )
    if mode in CLOSED and len(calls) != 3:
        return False
    return any(
        all(call.fits[n] is YES for n, call in enumerate(chosen))
        and (mode not in IN_ORDER or may_stand(chosen))
        for chosen in permutations(calls, 3)
    )


def may_stand(calls):
    made = [ToolCall(tool="x", start_ns=call.start_ns, end_ns=call.end_ns) for call in calls]
    pairs = ((made[n], other) for n in range(3) for other in made[:n])
    return not any(before(later, earlier) is YES for later, earlier in pairs)


@given(st.sampled_from(Mode), st.lists(known, max_size=5))
def test_what_was_observed_is_compared_as_trying_all_ways_would(mode, calls):
    assert holds(mode, 3, calls) is (YES if tried(mode, calls) else NO)


@given(st.sampled_from(Mode), st.lists(known, max_size=4), st.data())
def test_what_is_certain_stays_so_whatever_else_is_observed(mode, calls, data):
    blurred = [
        Seen(
            data.draw(st.sampled_from([None, call.start_ns])),
            data.draw(st.sampled_from([None, call.end_ns])),
            data.draw(st.sampled_from([UNKNOWN, YES])),
            tuple(data.draw(st.sampled_from([UNKNOWN, fit])) for fit in call.fits),
        )
        for call in calls
    ]
    assert holds(mode, 3, blurred) in (UNKNOWN, holds(mode, 3, calls))
