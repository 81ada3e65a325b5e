"""The union of stretches of time, while they come and go."""

from hypothesis import given, strategies as st

from toolscore_otel.engine.covered import Covered

stretches = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=12)


def length_of(*those):
    return len({moment for start, end in those for moment in range(start, end)})


def test_what_overlaps_is_counted_once():
    covered = Covered()
    covered.add(0, 10)
    covered.add(5, 12)
    covered.add(20, 30)
    assert covered.length == 22
    covered.add(0, 10, -1)
    assert covered.length == 17


def test_what_ends_no_later_than_it_begins_is_nothing():
    covered = Covered()
    covered.add(5, 5)
    covered.add(7, 3)
    assert covered.length == 0


@given(stretches, st.data())
def test_it_is_the_union_of_what_is_left(those, data):
    covered = Covered()
    for start, end in those:
        covered.add(start, end)
    gone = data.draw(
        st.lists(st.sampled_from(range(len(those))), unique=True) if those else st.just([])
    )
    for number in gone:
        start, end = those[number]
        covered.add(start, end, -1)
    left = [each for number, each in enumerate(those) if number not in gone]
    assert length_of(*left) == covered.length
