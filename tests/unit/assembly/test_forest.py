"""Who encloses whom, in any order of arrival."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations

import pytest

from toolscore_otel.assembly.forest import Forest, Nearest


class Asked:
    """A forest whose marked spans all ask what is around them, and are told when that is known."""

    def __init__(self, marked: Iterable[str] = ()) -> None:
        self.forest = Forest()
        self.nearest = self.forest.nearest()
        self.marked = set(marked)
        self.answers: dict[str, tuple[str | None, bool]] = {}
        self.told: list[str] = []

    def add(self, node: str, parent: str | None) -> None:
        is_marked = node in self.marked
        cut = self.forest.add(node, parent)
        freed = [*self.nearest.came(node, marked=is_marked)]
        again = [] if cut is None else self.nearest.cut(cut)
        self.told.extend(freed)
        for each in (*again, *freed, node):
            if each in self.marked and each in self.forest.parents:
                self.answers[each] = self.nearest.above(each)


def all_orders(
    spans: dict[str, str | None], marked: Iterable[str]
) -> list[dict[str, tuple[str | None, bool]]]:
    found = []
    for order in permutations(spans.items()):
        asked = Asked(marked)
        for node, parent in order:
            asked.add(node, parent)
        found.append(asked.answers)
    return found


@pytest.mark.parametrize(
    ("spans", "marked", "answers"),
    [
        pytest.param(
            {"a": None, "b": "a", "c": "b", "d": "c", "e": "d"},
            "ace",
            {"a": (None, True), "c": ("a", True), "e": ("c", True)},
            id="through unmarked ones to the nearest marked one",
        ),
        pytest.param(
            {"a": None, "b": "a", "c": "b", "d": "b"},
            "cd",
            {"c": (None, True), "d": (None, True)},
            id="none is marked above",
        ),
        pytest.param(
            {"b": "missing", "c": "b", "d": "b", "e": "d"},
            "cde",
            {"c": (None, False), "d": (None, False), "e": ("d", True)},
            id="a parent that never comes leaves it open",
        ),
        pytest.param(
            {"a": "a", "b": "a"},
            "ab",
            {"a": (None, True), "b": ("a", True)},
            id="its own parent is a root",
        ),
        pytest.param(
            {"a": "c", "b": "a", "c": "b", "d": "c"},
            "abcd",
            {"a": (None, True), "b": ("a", True), "c": ("b", True), "d": ("c", True)},
            id="a circle ends above its smallest id",
        ),
        pytest.param(
            {"a": "c", "b": "a", "c": "b", "d": "c"},
            "cd",
            {"c": (None, True), "d": ("c", True)},
            id="a circle that is marked in one place",
        ),
        pytest.param(
            {"a": "b", "b": "a", "c": "b"},
            "c",
            {"c": (None, True)},
            id="a circle that is not marked at all",
        ),
    ],
)
def test_the_answers_are_the_same_in_every_order(spans, marked, answers):
    assert all(found == answers for found in all_orders(spans, marked))


def test_those_that_waited_are_told_once_when_the_answer_is_known():
    asked = Asked("aefg")
    for node, parent in (("e", "d"), ("f", "d"), ("d", "c"), ("c", "b"), ("b", "a")):
        asked.add(node, parent)
    assert asked.told == []
    asked.add("a", None)
    assert asked.told == ["e", "f"]


def test_lists_of_those_that_wait_are_put_together_where_they_meet():
    asked = Asked("aefg")
    for node, parent in (("e", "c"), ("f", "b"), ("g", "b"), ("c", "b"), ("b", "a"), ("a", None)):
        asked.add(node, parent)
    assert sorted(asked.told) == ["e", "f", "g"]


def test_a_late_mark_names_all_that_it_stands_above_and_nothing_else():
    forest, spans = Forest(), {"a": None, "b": "a", "c": "b", "d": "c", "e": "d", "f": "a"}
    nearest = forest.nearest()
    for node, parent in spans.items():
        forest.add(node, parent)
        nearest.came(node, marked=node in "ade")
    assert [nearest.above(node) for node in "dcf"] == [("a", True)] * 3
    assert sorted(nearest.mark("b")) == ["c", "d"]
    assert [nearest.above(node)[0] for node in "cdef"] == ["b", "b", "d", "a"]


def test_a_late_mark_goes_before_shortcuts_that_passed_it_by():
    forest = Forest()
    nearest = forest.nearest()
    for number in range(50):
        forest.add(str(number), str(number - 1) if number else None)
        nearest.came(str(number), marked=False)
    assert nearest.above("49") == (None, True)
    nearest.mark("20")
    assert nearest.above("49") == ("20", True)
    assert nearest.above("20") == (None, True)


def test_what_is_named_as_parent_stays_known_where_a_circle_was_cut():
    forest = Forest()
    assert forest.add("b", "a") is None
    assert forest.add("a", "b") == "a"
    assert (forest.parents["a"], forest.recorded()["a"], forest.named("a")) == (None, "b", "b")
    assert (list(forest.children("a")), list(forest.children("b"))) == (["b"], [])
    assert forest.recorded().keys() == {"a", "b"}


class Counting(dict[str, str | None]):
    """The parents of spans, and how many were asked for."""

    looked_at = 0

    def get(self, node: str, default: str | None = None) -> str | None:  # type: ignore[override]
        self.looked_at += 1
        return super().get(node, default)


def steps(nearest: Nearest, forest: Forest, node: str) -> int:
    """How many spans a question looks at."""
    counting = Counting(forest.parents)
    nearest._parents = counting
    nearest.above(node)
    return counting.looked_at


def test_a_question_that_was_asked_before_costs_next_to_nothing_however_deep():
    forest = Forest()
    nearest = forest.nearest()
    for number in range(1000):
        forest.add(str(number), str(number - 1) if number else None)
    assert steps(nearest, forest, "999") == 999
    assert steps(nearest, forest, "999") < 5
    assert steps(nearest, forest, "500") < 5


def test_waiting_below_a_deep_chain_that_comes_from_below_costs_nothing_twice():
    asked = Asked(["leaf"])
    asked.add("leaf", "0")
    for number in range(1000):
        asked.add(str(number), str(number + 1))
    assert asked.told == []
    assert [len(names) for names in asked.nearest._waiting.values()] == [1]
