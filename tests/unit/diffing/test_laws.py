"""What holds for any two sets of runs."""

from collections import Counter

from hypothesis import given, strategies as st

from tests.unit.diffing.conftest import timed
from toolscore_otel.diffing import Kind, Run, State, compare
from toolscore_otel.model import Status, Tokens, Trajectory

ARGUMENTS = st.none() | st.dictionaries(
    st.sampled_from("xyz"), st.sampled_from([1, "1", None, [1], {"z": 1}]), max_size=2
)
CALLS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c"]),
        ARGUMENTS,
        st.sampled_from(list(Status)),
        st.integers(0, 3),
    ),
    max_size=4,
)
MIRRORED = {
    Kind.TOOL_APPEARED: Kind.TOOL_GONE,
    Kind.TOOL_GONE: Kind.TOOL_APPEARED,
    Kind.ARGUMENT_APPEARED: Kind.ARGUMENT_GONE,
    Kind.ARGUMENT_GONE: Kind.ARGUMENT_APPEARED,
}


@st.composite
def runs(draw, *, whole=False):
    calls = [
        timed(tool, args, start=start, status=status)
        for tool, args, status, start in draw(CALLS)
    ]  # fmt: skip
    amount = st.none() | st.sampled_from([0.0, 1.0, 1.05, 1.5, 9.0])
    tokens = draw(st.none() | st.integers(0, 9))
    trajectory = Trajectory(
        calls=tuple(sorted(calls, key=lambda call: call.start_ns or 0)),
        latency_s=draw(amount),
        cost_usd=draw(amount),
        tokens=Tokens(input=tokens, output=tokens),
        incomplete=not whole and draw(st.booleans()),
    )
    return Run(trajectory, draw(st.sampled_from(list(Status))))


SIDES = st.lists(runs(), min_size=1, max_size=4)


def differences(old, new):
    (found,) = compare({"": old}, {"": new})
    return found.differences


@given(SIDES, st.randoms(use_true_random=False), st.integers(1, 2))
def test_the_same_runs_in_any_order_and_number_tell_nothing(old, source, times):
    new = old * times
    source.shuffle(new)

    assert differences(old, new) == ()


def said(one):
    """What a difference says, whichever side came first."""
    pair = frozenset((one.tool, one.path)) if one.kind is Kind.ORDER else (one.tool, one.path)
    return one.kind, pair


@given(SIDES, SIDES)
def test_what_is_told_is_told_the_other_way_round_when_the_sides_are_swapped(old, new):
    forth, back = differences(old, new), differences(new, old)

    assert Counter(said(one) for one in forth) == Counter(
        (MIRRORED.get(kind, kind), what) for kind, what in map(said, back)
    )
    texts = {said(one): (one.old, one.new.split(" (")[0]) for one in forth if one.kind is Kind.STATUS}  # fmt: skip
    for one in back:
        if one.kind is Kind.STATUS:
            assert texts[said(one)] == (one.new, one.old)


@given(SIDES, SIDES)
def test_one_old_run_flaps_only_in_how_its_own_calls_differ(old, new):
    flaps = {one.kind for one in differences(old[:1], new) if one.state is State.FLAPS}

    assert flaps <= {Kind.STATUS, Kind.ARGUMENT_GIVEN, Kind.ARGUMENT_GONE, Kind.ARGUMENT_TYPE}


@given(SIDES, SIDES)
def test_what_weighs_most_comes_first(old, new):
    ranks = [list(Kind).index(one.kind) for one in differences(old, new)]

    assert ranks == sorted(ranks)
