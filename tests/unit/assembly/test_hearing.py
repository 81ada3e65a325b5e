"""What was found in messages, span by span."""

from collections import Counter
from itertools import permutations

from toolscore_otel.assembly.hearing import MOST_EXPOSED, Hearing, by_path
from toolscore_otel.conventions.reading import Heard, SpanReading
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
        hearing.noted("s", SpanReading(heard=one))
    return hearing.of("s"), counters


def test_a_reading_comes_back_without_what_was_noted():
    hearing = Hearing(Counter())
    reading = hearing.noted("s", SpanReading(conversation_id="talk", heard=heard("p")))
    assert SpanReading(conversation_id="talk") == reading
    assert hearing.of("s") == heard("p")
    assert hearing.of("t") is None


def test_what_belongs_to_no_span_is_not_kept():
    hearing = Hearing(Counter())
    hearing.noted(None, SpanReading(heard=heard("p")))
    assert hearing.of(None) is None


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
