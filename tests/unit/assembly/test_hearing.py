"""What was found in messages, span by span."""

from collections import Counter
from itertools import permutations

from toolscore_otel.assembly.hearing import MOST_EXPOSED, Hearing, Teller, by_path
from toolscore_otel.assembly.node import Place
from toolscore_otel.conventions.reading import Heard
from toolscore_otel.model import Exposed


def exposed(path: str, fingerprint: str = "f") -> Exposed:
    return Exposed("", "kind", path, fingerprint)


def heard(*paths: str, content: bool = True, cut: bool = False, family: str = "a") -> Heard:
    found = tuple(exposed(path) for path in paths)
    return Heard((family,), content=content, cut=cut, exposed=found)


def noted(*all_heard: Heard) -> tuple[Heard | None, Counter[str]]:
    counters: Counter[str] = Counter()
    hearing = Hearing(counters)
    for one in all_heard:
        hearing.note(place("s"), one, None)
    return hearing.of("s"), counters


def place(span_id: str | None, record_id: str | None = None, at: int | None = 5) -> Place:
    return Place(
        trace_id="t",
        id=record_id or span_id or "",
        parent=None,
        span_id=span_id,
        start_ns=at,
        is_log=record_id is not None,
    )


def test_what_was_noted_is_known_by_the_span():
    hearing = Hearing(Counter())
    assert not hearing
    assert hearing.note(place("s"), heard("p"), "talk") == "s"
    assert hearing
    assert (hearing.of("s"), hearing.of("t"), hearing.of(None)) == (heard("p"), None, None)
    assert hearing.teller("s") is None


def test_what_belongs_to_no_span_is_known_by_the_record():
    hearing = Hearing(Counter())
    assert hearing.note(place(None, "log:1"), heard("p"), "talk") == "log:1"
    assert hearing.of("log:1") == heard("p")
    assert hearing.teller("log:1") == Teller(place(None, "log:1"), "talk")


def test_of_several_records_on_one_span_the_first_tells():
    records = [place("s", "log:2", 7), place("s", "log:1", 7), place("s", "log:0", 9)]
    for order in permutations([*records, records[0]]):
        hearing = Hearing(Counter())
        for one in order:
            hearing.note(one, heard(one.id), None)
        assert hearing.teller("s") == Teller(records[1], None)


def test_a_record_without_a_time_goes_first():
    hearing = Hearing(Counter())
    for one in (place("s", "log:1"), place("s", "log:9", None)):
        hearing.note(one, heard("p"), None)
    assert hearing.teller("s") == Teller(place("s", "log:9", None), None)


def test_what_several_tell_of_one_span_is_the_same_in_whatever_order():
    told = [heard("m.10"), heard("m.2", "m.10", cut=True), heard(content=False, family="b")]
    wanted = Heard(("a", "b"), content=True, cut=True, exposed=(exposed("m.2"), exposed("m.10")))
    assert {noted(*order)[0] for order in permutations(told)} == {wanted}
    assert noted(*told, *told)[0] == wanted


def test_each_stands_once_and_by_number():
    paths = ["b", "a.10", "a.9", "b"]
    assert [one.path for one in by_path([exposed(path) for path in paths])] == ["a.9", "a.10", "b"]


def test_past_a_cap_further_ones_are_counted_and_not_kept():
    first = heard(*(f"m.{n}" for n in range(MOST_EXPOSED)))
    second = heard("m.1", "n.1", "n.2")
    kept, counters = noted(first, second, first)
    assert kept is not None
    assert kept.exposed == first.exposed
    assert counters["exposed_limit"] == 2
    assert noted(Heard(("a",), beyond=3))[1]["exposed_limit"] == 3
