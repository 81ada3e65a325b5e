"""What was said of scores, and their events."""

from collections import Counter

import pytest

from toolscore_otel.contracts import Contract
from toolscore_otel.emit import score_event
from toolscore_otel.emit.score_store import MOST, ScoreRevision, ScoreStore
from toolscore_otel.model import ClosedBy, Label, Score

TRACE = "1".zfill(32)


@pytest.fixture
def counters():
    return Counter()


@pytest.fixture
def store(counters):
    return ScoreStore(1000, counters)


def score(name="error_rate", value: float | None = 0.5, **fields):
    return Score(name=name, value=value, contract="c", trace_id=TRACE, **fields)


def said(revisions):
    return [(r.score.name, r.score.value, r.revision) for r in revisions]


def test_what_has_a_value_is_said_and_what_does_not_apply_is_not(store):
    revisions = store.take(TRACE, [score(), score("order", None)])
    assert said(revisions) == [("error_rate", 0.5, 1)]


def test_what_stays_as_it_was_is_not_said_again(store):
    store.take(TRACE, [score(explanation="so")])
    assert store.take(TRACE, [score(explanation="otherwise")]) == []


@pytest.mark.parametrize("other", [{"value": 0.25}, {"label": Label.FAIL}, {"value": None}])
def test_what_has_changed_is_a_revision_under_the_same_id(store, other):
    (first,) = store.take(TRACE, [score()])
    (second,) = store.take(TRACE, [score(**other)])
    assert (second.id, second.revision) == (first.id, 2)
    assert store.take(TRACE, [score(**other)]) == []


def test_what_is_given_no_longer_is_taken_back_once(store):
    (first,) = store.take(TRACE, [score()])
    (gone,) = store.take(TRACE, [])
    assert (gone.id, gone.revision, gone.score.value) == (first.id, 2, None)
    assert gone.score.explanation == "corrected: by what is known now it does not apply"
    assert store.take(TRACE, []) == []
    assert said(store.take(TRACE, [score()])) == [("error_rate", 0.5, 3)]


def test_scores_of_one_name_are_told_apart_by_their_place(store):
    first, second = store.take(TRACE, [score(), score()])
    (changed,) = store.take(TRACE, [score(), score(value=1.0)])
    assert first.id != second.id == changed.id


def test_other_traces_and_contracts_have_ids_of_their_own(store):
    named = [*store.take(TRACE, [score()]), *store.take("2".zfill(32), [score()])]
    named += store.take("3", [Score(name="error_rate", value=0.5, contract="other")])
    assert len({revision.id for revision in named}) == 3


def test_what_was_said_elsewhere_is_known(store, counters):
    store.take(TRACE, [score()])
    other = ScoreStore(10, counters)
    other.put(TRACE, store.of(TRACE))
    assert other.take(TRACE, [score()]) == []
    assert said(other.take(TRACE, [score(value=1.0)])) == [("error_rate", 1.0, 2)]


def test_one_trajectory_says_no_more_than_so_many(store, counters):
    revisions = store.take(TRACE, [score()] * (MOST + 5))
    assert (len(revisions), counters["scores_untold"]) == (MOST, 5)
    assert len(store.take(TRACE, [score(value=1.0)] * (MOST + 5))) == MOST


def test_past_its_cap_the_oldest_trace_is_forgotten(counters):
    store = ScoreStore(2, counters)
    store.take("a", [score()])
    store.take("b", [score(), score("order")])
    assert (dict(store.of("a")), len(store.of("b"))) == ({}, 2)
    assert counters["scores_forgotten"] == 1


def test_a_trace_without_scores_takes_no_place(store):
    store.take(TRACE, [score(value=None)])
    assert store._traces == {}


def event(contract=None, closed_by=None, **fields):
    revision = ScoreRevision(id="s1", revision=2, score=score(**fields))
    return score_event(revision, contract, closed_by=closed_by)


def test_the_event_of_a_score_says_what_is_known():
    told = event()
    assert told.attributes == {
        "gen_ai.evaluation.name": "c/error_rate",
        "gen_ai.evaluation.score.value": 0.5,
        "toolscore.score.id": "s1",
        "toolscore.contract.id": "c",
        "toolscore.revision": 2,
    }
    assert (told.name, told.trace_id, told.span_id) == ("gen_ai.evaluation.result", TRACE, None)
    assert (told.severity_number, told.severity_text) == (9, "INFO")


def test_the_event_of_a_score_has_a_label_where_there_is_a_bound():
    told = event(label=Label.FAIL, explanation="rule `e`", closed_by=ClosedBy.IDLE)
    assert told.attributes["gen_ai.evaluation.score.label"] == "fail"
    assert told.attributes["gen_ai.evaluation.explanation"] == "rule `e`"
    assert told.attributes["toolscore.close.reason"] == "idle"
    assert told.severity_number == 9


def test_a_score_without_a_value_any_more_is_said_without_one():
    told = event(value=None, label=Label.CANNOT_CHECK)
    assert "gen_ai.evaluation.score.value" not in told.attributes
    assert told.attributes["gen_ai.evaluation.score.label"] == "cannot_check"


def test_a_score_carries_what_its_contract_says_of_itself():
    contract = Contract.from_dict(
        {
            "contract": "c",
            "language": 1,
            "version": "3",
            "runbook": "call",
            "labels": {"team": "a"},
            "forbid": ["rm"],
        }
    )
    told = event(contract).attributes
    assert told["toolscore.contract.hash"] == contract.hash
    assert told["toolscore.contract.version"] == "3"
    assert told["toolscore.runbook"] == "call"
    assert told["toolscore.label.team"] == "a"
