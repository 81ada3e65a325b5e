"""Scores of traces, agent invocations and sessions, in the report and for whoever is told of what closes."""

from __future__ import annotations

import pytest
from msgspec import structs

from toolscore_otel.engine.report import merged
from toolscore_otel.engine.scoring import Scoring
from toolscore_otel.model import Label
from toolscore_otel.secrets.samples import make_sample

ALWAYS = ["required_recall", "redundant_rate", "error_rate"]


def scores(engine):
    return engine.engine.report().scores


def values(engine, *names):
    return [(s.name, s.value) for s in scores(engine) if not names or s.name in names]


def brief(finding):
    return finding.kind.value, finding.label.value, finding.explanation


def test_what_needs_no_expectation_is_always_given(contract, fed, agent, tool):
    engine = fed(contract(require=["a", "b"]))
    engine.feed(agent("r"), tool("1", "a", {"x": 1}), tool("2", "a", {"x": 1}, failed=True))
    engine.close()
    assert values(engine) == [
        ("required_recall", 0.5),
        ("redundant_rate", 0.5),
        ("error_rate", 0.5),
    ]
    assert {(s.contract, s.trace_id, s.label, s.explanation) for s in scores(engine)} == {
        ("c", "t", None, "")
    }
    assert len(merged([engine.engine.report()] * 2).scores) == 6


def test_an_expectation_gives_all_others_in_the_order_of_the_language(contract, fed, agent, tool):
    rule = {"id": "r", "calls": ["a", "b"], "min": {"order": 0.8}, "max": {"error_rate": 0}}
    engine = fed(contract(expect=[rule]))
    engine.feed(agent("r"), tool("1", "a"))
    engine.close()
    found = {s.name: s for s in scores(engine)}
    assert list(found) == [
        *("selection_precision", "selection_recall", "selection_f1"),
        *("argument_f1", "argument_exact", "required_recall", "edit_distance", "order"),
        *("redundant_rate", "error_rate", "hard_fail"),
    ]
    assert (found["order"].value, found["order"].label) == (0.5, Label.FAIL)
    assert found["order"].explanation == "rule `r`; `min: {order: 0.8}`"
    assert (found["error_rate"].label, found["hard_fail"].label) == (Label.PASS, None)
    assert [s.name for s in scores(engine) if s.name == "error_rate"] == ["error_rate"]


def test_where_an_expectation_is_not_meant_nothing_is_held_against_it(contract, fed, tool):
    engine = fed(contract(expect=[{"when": {"scenario": "x"}, "calls": []}]))
    engine.feed(tool("1", "a"))
    engine.close()
    assert [s.name for s in scores(engine)] == ALWAYS


def test_what_is_in_shadow_gives_no_score_and_its_findings_fail_nothing(contract, fed, agent, tool):
    rules = [{"calls": [], "shadow": True, "max": {"error_rate": 0}}]
    engine = fed(
        contract(expect=rules, require=[{"tool": "b", "shadow": True}]),
        contract(contract="d", shadow=True, forbid=["z"]),
    )
    engine.feed(agent("r"), tool("1", "a", failed=True))
    engine.close()
    assert values(engine) == [
        ("required_recall", None),
        ("redundant_rate", 0.0),
        ("error_rate", 1.0),
    ]
    assert engine.engine.report().failing() == ()
    assert engine.fails == ["expect.1", "expect.1", "require.1"]


def test_a_score_beyond_its_bound_is_a_finding_of_the_trajectory(contract, fed, agent, tool):
    engine = fed(contract(expect=[{"max": {"error_rate": 0.2}, "reason": "so it is agreed"}]))
    engine.feed(agent("r"), tool("1", "a", failed=True), tool("2", "b"))
    assert [brief(f) for f in engine.close()] == [
        ("score_above", "fail", "`error_rate` is 0.5, above 0.2: so it is agreed")
    ]


def test_a_late_span_corrects_what_was_said_of_a_score(contract, fed, agent, tool):
    engine = fed(contract(expect=[{"calls": ["a"], "min": {"selection_recall": 1}}]))
    engine.feed(agent("r"), tool("1", "b"))
    engine.close()
    assert len(engine.fails) == 2
    engine.feed(tool("2", "a"))
    engine.close()
    assert engine.fails == []
    assert values(engine, "selection_recall") == [("selection_recall", 1.0)]


def test_calls_that_may_be_hidden_leave_a_score_without_a_value(contract, fed, tool):
    rule = {"calls": ["a"], "min": {"selection_f1": 1}}
    engine = fed(contract(expect=[rule]), spans_per_trajectory=1)
    engine.feed(tool("1", "b"), tool("2", "b", at=20))
    engine.close()
    assert values(engine, "selection_f1") == [("selection_f1", None)]
    (said,) = [s.explanation for s in scores(engine) if s.name == "selection_f1"]
    assert said.startswith("rule `expect.1`; `min: {selection_f1: 1}`; what it would be cannot be")


def test_a_call_that_was_asked_for_may_have_run(contract, fed, asked, tool):
    engine = fed(contract(expect=[{"calls": ["a"], "min": {"selection_recall": 1}}]))
    engine.feed(tool("1", "b"), asked("2", "a"))
    engine.close()
    assert values(engine, "selection_recall") == [("selection_recall", None)]
    assert "expect.1" in engine.standing(Label.CANNOT_CHECK)


def test_a_request_that_is_expected_hides_nothing(contract, fed, agent, asked, tool):
    engine = fed(contract(expect=[{"calls": ["b", {"tool": "a", "stage": "requested"}]}]))
    engine.feed(agent("r"), tool("1", "b"), asked("2", "a"))
    engine.close()
    assert values(engine, "selection_f1") == [("selection_f1", 1.0)]


def test_each_invocation_of_an_agent_has_scores_of_its_own(contract, fed, agent, tool):
    engine = fed(contract(scope="agent", expect=[{"calls": ["a"]}]))
    engine.feed(agent("x"), tool("1", "a", parent="x"), agent("y", at=2000))
    engine.feed(tool("2", "b", parent="y", at=2010))
    engine.close()
    assert values(engine, "selection_f1") == [("selection_f1", 1.0), ("selection_f1", 0.0)]
    assert scores(engine)[0].explanation == "one agent invocation; rule `expect.1`"


def test_a_rule_of_another_scope_than_its_contract_gives_scores_there(contract, fed, agent, tool):
    engine = fed(contract(expect=[{"scope": "agent", "max": {"error_rate": 0}}]))
    engine.feed(agent("x"), tool("1", "a", parent="x", failed=True))
    engine.close()
    assert values(engine, "error_rate") == [("error_rate", 1.0), ("error_rate", 1.0)]
    assert [s.label for s in scores(engine) if s.name == "error_rate"] == [None, Label.FAIL]


def test_a_session_has_scores_once_it_is_over(contract, fed, agent, tool):
    secret = make_sample("github_token_classic", 3)
    engine = fed(contract(scope="session", require=["a"]))
    engine.feed(
        agent("r", talk=f"k {secret}"),
        tool("1", "a", talk=f"k {secret}"),
        tool("2", "b", talk=f"k {secret}", trace="u"),
    )
    assert scores(engine) == ()
    engine.close()
    assert values(engine)[0] == ("required_recall", 1.0)
    assert {(s.trace_id, s.explanation) for s in scores(engine)} == {("t", "the conversation")}
    assert secret not in str(scores(engine))
    assert "REDACTED" in (scores(engine)[0].conversation_id or "")


def test_a_contract_that_does_not_apply_gives_no_score(contract, fed, tool):
    engine = fed(
        contract(applies_to={"service": "x"}, forbid=["z"]),
        contract(contract="s", scope="session", applies_to={"service": "x"}, require=["z"]),
    )
    engine.feed(tool("1", "a", service="y"))
    engine.close()
    assert scores(engine) == ()


def test_a_session_that_nothing_belongs_to_any_more_has_none(contract, fed, tool):
    engine = fed(contract(scope="session", require=["a"]))
    engine.feed(tool("1", "a"))
    engine.feed(
        structs.replace(tool("1", "a", talk="k"), attributes=tool("1", "a", talk="k").attributes)
    )
    engine.close()
    assert {s.conversation_id for s in scores(engine)} <= {"k", None}


def test_who_is_told_of_what_closes_may_ask_for_its_scores(contract, fed, tool):
    engine = fed(contract(require=["a"]))
    heard = []
    engine.engine.on_close = lambda one: heard.extend(engine.engine.scores_of(one))
    engine.feed(tool("1", "a"))
    engine.close()
    assert [s.name for s in heard] == ALWAYS
    assert heard[0].value == 1.0


def test_what_is_open_or_unknown_has_no_scores(contract, fed, tool):
    engine = fed(contract(require=["a"]))
    engine.feed(tool("1", "a"))
    assert scores(engine) == ()
    other = fed(contract(require=["a"]))
    engine.close()
    (trajectory,) = engine.engine.report().trajectories
    assert other.engine.scores_of(trajectory) == []


@pytest.mark.parametrize("method", ["scores", "ranges"])
def test_scoring_that_raises_is_counted_and_never_a_verdict(
    monkeypatch, contract, fed, tool, method
):
    def broken(*_):
        raise RuntimeError

    monkeypatch.setattr(Scoring, method, broken)
    engine = fed(contract(expect=[{"max": {"error_rate": 0}}]))
    engine.feed(tool("1", "b", failed=True))
    engine.close()
    assert scores(engine) == ()
    assert set(engine.engine.rule_errors) == {"c/scores: RuntimeError"}


def test_a_rule_that_raises_at_its_scores_is_counted(monkeypatch, contract, fed, tool):
    def broken(*_):
        raise RuntimeError

    monkeypatch.setattr("toolscore_otel.rules.expect._Expecting.score", broken)
    engine = fed(contract(expect=[{"max": {"error_rate": 0}}]))
    engine.feed(tool("1", "b", failed=True))
    engine.close()
    assert set(engine.engine.rule_errors) == {"c/expect.1: RuntimeError"}
