"""The automaton of runs by itself: entries are put and taken out in any order."""

from toolscore_otel.matchers import Answer, JudgedCall
from toolscore_otel.model import ToolCall
from toolscore_otel.rules.repetition import ANY_MARK, Entry, agree
from toolscore_otel.rules.runs import Runs


def entry(place, key: bytes | None = b"k", mark=b"m", *, repeats=Answer.YES, is_there=True, need=2):
    call = JudgedCall(ToolCall(tool="t", start_ns=place, key=f"c{place}"))
    return Entry(call, "t", key, mark, repeats, is_there, need)


def put(runs, *entries):
    for each in entries:
        runs.line.insert(each)
    return runs.line.settle()


def test_a_run_is_named_by_its_first_entry():
    runs = Runs(30)
    assert put(runs, entry(1)) == set()
    assert put(runs, entry(2)) == {"c1"}
    run = runs.run("c1")
    assert run
    places = [call.call.start_ns for call in (run.first, run.done, run.last)]
    assert (places, run.count, run.is_sure) == ([1, 2, 2], 2, True)
    assert runs.run("c2") is None


def test_entries_that_come_late_are_put_in_their_place():
    runs = Runs(30)
    put(runs, entry(3), entry(5))
    assert put(runs, entry(1), entry(4)) == {"c1", "c3"}
    assert runs.run("c3") is None
    assert [e.order[0] for e in runs.entries] == [1, 3, 4, 5]


def test_an_entry_that_goes_takes_its_run_along():
    runs = Runs(30)
    put(runs, entry(1), entry(2), entry(3, key=b"x"))
    runs.line.remove(entry(2).order)
    assert runs.line.settle() == {"c1"}
    assert runs.run("c1") is None


def test_entries_can_go_before_they_were_settled():
    runs = Runs(30)
    runs.line.insert(entry(2))
    runs.line.insert(entry(1))
    runs.line.remove(entry(2).order)
    assert runs.line.settle() == set()
    assert [e.order[0] for e in runs.entries] == [1]


def test_what_breaks_a_row_does_so_no_more_when_it_is_gone():
    for breaking in (
        entry(2, key=None),
        entry(2, repeats=Answer.NO),
        entry(2, repeats=Answer.UNKNOWN),
        entry(2, is_there=False),
        entry(2, mark=b"other"),
    ):
        runs = Runs(30)
        put(runs, entry(1), entry(3))
        assert runs.run("c1")
        put(runs, breaking)
        assert runs.run("c1") is None
        runs.line.remove(breaking.order)
        runs.line.settle()
        assert runs.run("c1")


def test_all_entries_of_runs_are_known():
    runs = Runs(30)
    put(runs, entry(1), entry(2, key=b"x"), entry(3), entry(4), entry(5, mark=b"other"))
    assert runs.in_runs() == {0, 2, 3}


def test_marks_agree_where_they_are_equal_or_not_observed():
    assert agree(b"a", b"a")
    assert agree(ANY_MARK, b"a")
    assert agree(b"a", ANY_MARK)
    assert not agree(b"a", b"b")
