"""Findings by the span they sit on."""

from collections import Counter

import pytest
from msgspec import structs

from toolscore_otel.emit.finding_store import FindingStore
from toolscore_otel.model import Finding, FindingKind, Label, Scope, Severity


def finding(number=1, *, trace="t", span: str | None = "s", label=Label.FAIL, revision=1):
    return Finding(
        id=f"f{number}",
        rule="r",
        kind=FindingKind.FORBIDDEN_CALL,
        severity=Severity.ERROR,
        contract="c",
        label=label,
        explanation="",
        trace_id=trace,
        span_id=span,
        revision=revision,
    )


@pytest.fixture
def counters():
    return Counter()


@pytest.fixture
def store(counters):
    return FindingStore(5, counters)


def ids(findings):
    return [found.id for found in findings]


def test_an_empty_store_is_false(store):
    assert not store
    store.put(finding())
    assert store


def test_a_revision_replaces_the_one_before_and_gives_it_back(store):
    first, second = finding(), finding(revision=2)
    assert store.put(first) is None
    assert store.put(second) is first
    assert list(store) == [second]


def test_a_span_carries_its_own_findings(store):
    store.put(finding(1, span="a"))
    store.put(finding(2, span="b"))
    assert ids(store.on_span("t", "a", is_root=False)) == ["f1"]


def test_a_finding_that_moved_is_on_its_new_span(store):
    store.put(finding(1, span="a"))
    store.put(finding(1, span="b", revision=2))
    assert ids(store.on_span("t", "a", is_root=False)) == []
    assert ids(store.on_span("t", "b", is_root=False)) == ["f1"]


@pytest.mark.parametrize("label", [Label.PASS, Label.CANNOT_CHECK])
def test_only_what_fails_goes_onto_a_span(store, label):
    store.put(finding(label=label))
    assert store.on_span("t", "s", is_root=True) == []


def test_the_root_carries_what_no_other_span_did(store):
    store.put(finding(1, span="a"))
    store.put(finding(2, span="b"))
    store.put(finding(3, span=None))
    store.on_span("t", "a", is_root=False)
    assert ids(store.on_span("t", "root", is_root=True)) == ["f2", "f3"]


def test_a_span_that_is_asked_for_again_carries_the_same(store):
    store.put(finding(1, span=None))
    first = store.on_span("t", "root", is_root=True)
    assert store.on_span("t", "root", is_root=True) == first


def test_another_trace_carries_nothing(store):
    store.put(finding())
    assert store.on_span("other", "s", is_root=True) == []


def test_past_the_cap_the_oldest_trace_goes_and_is_counted(store, counters):
    for number in range(3):
        store.put(finding(number, trace="old"))
    for number in range(3):
        store.put(finding(number, trace="new"))
    assert {found.trace_id for found in store} == {"new"}
    assert counters["findings_forgotten"] == 3


def test_one_trace_alone_loses_its_oldest(store, counters):
    for number in range(8):
        store.put(finding(number))
    assert ids(store) == ["f3", "f4", "f5", "f6", "f7"]
    assert ids(store.on_span("t", "s", is_root=False)) == ["f3", "f4", "f5", "f6", "f7"]
    assert counters["findings_forgotten"] == 3


def test_a_store_for_none_keeps_none(counters):
    store = FindingStore(0, counters)
    store.put(finding())
    assert list(store) == []


def test_a_finding_of_a_session_may_stand_on_another_trace_now(store, counters):
    first = structs.replace(finding(trace="t", span=None), scope=Scope.SESSION)
    moved = structs.replace(first, trace_id="u", revision=2)
    assert store.put(first) is None
    other = finding(2, trace="t")
    store.put(other)
    assert store.put(moved) == first
    assert store.get(moved) == store.get(first) == moved
    assert sorted(ids(store)) == sorted(ids([other, moved]))
    assert store.put(structs.replace(moved, trace_id="t", revision=3)) == moved
    assert store.on_span("u", "s", is_root=True) == []
    assert counters["findings_forgotten"] == 0


def test_what_was_forgotten_of_a_session_is_not_known_by_its_trace():
    counters: Counter[str] = Counter()
    for cap in (0, 1):
        store = FindingStore(cap, counters)
        first = structs.replace(finding(trace="t"), scope=Scope.SESSION)
        store.put(first)
        store.put(structs.replace(first, id="other"))
        assert store.put(structs.replace(first, trace_id="u", revision=2)) is None
