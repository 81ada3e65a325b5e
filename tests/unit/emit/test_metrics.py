"""Sums of findings and calls."""

from typing import Any

import pytest

from toolscore_otel import Contract
from toolscore_otel.emit.metrics import BOUNDS, DURATION, DURATIONS, TRACES, Sums
from toolscore_otel.emit.series import KINDS, series_of
from toolscore_otel.model import (
    CallKind,
    Finding,
    FindingKind,
    Gap,
    Label,
    Score,
    Severity,
    Stage,
    Status,
    ToolCall,
    Trajectory,
)
from toolscore_otel.rules import CLAUSES

CONTRACT = Contract.from_dict(
    {"contract": "support", "language": 1, "labels": {"team": "x"}, "forbid": [{"tool": "rm"}]}
)
SECOND = 1_000_000_000


def finding(**fields):
    known = {
        "id": "f1",
        "rule": "forbid.1",
        "kind": FindingKind.FORBIDDEN_CALL,
        "severity": Severity.ERROR,
        "contract": "support",
        "label": Label.FAIL,
        "explanation": "",
        "labels": {"team": "x"},
        "trace_id": "0" * 31 + "1",
        "tool": "rm",
        "service": "shop",
    }
    return Finding(**(known | fields))


def call(**fields):
    known: dict[str, Any] = {
        "tool": "search",
        "status": Status.OK,
        "service": "shop",
        "start_ns": SECOND,
        "end_ns": 3 * SECOND,
        "key": "c1",
    }
    return ToolCall(**(known | fields))


def closed(*calls, trace="t1", **fields):
    return Trajectory(trace_id=trace, calls=calls, **fields)


def shown(sums, metric, **options):
    return {series.key: series.value for series in sums.collected(metric, **options)}


def total(sums, metric="toolscore.findings"):
    return sum(series.value for series in sums.collected(metric, is_last=True))


@pytest.fixture
def sums():
    made = Sums()
    made.add_contracts([CONTRACT])
    return made


def test_every_clause_has_its_kinds_of_findings():
    assert KINDS.keys() == {clause.key for clause in CLAUSES}


def test_a_contract_stands_at_zero_before_anything_happens(sums):
    found = shown(sums, "toolscore.findings")
    assert set(found.values()) == {0}
    assert {dict(key)["label"] for key in found if dict(key)["rule"] == "forbid.1"} == {
        "fail",
        "cannot_check",
    }


def test_the_first_finding_of_a_contract_counts_at_once(sums):
    sums.finding(finding(), None)
    assert sum(shown(sums, "toolscore.findings").values()) == 1


def test_a_finding_makes_no_series_that_did_not_stand_before(sums):
    before = shown(sums, "toolscore.findings").keys()
    sums.finding(finding(), None)
    assert shown(sums, "toolscore.findings").keys() == before


def test_a_loop_may_be_one_severity_less():
    loops = Contract.from_dict({"contract": "l", "language": 1, "loop": {"same_call": 3}})
    assert {dict(key)["severity"] for key in series_of(loops)} == {"error", "warning"}


def test_a_label_of_the_contract_hides_none_of_ours():
    odd = Contract.from_dict(
        {"contract": "c", "language": 1, "labels": {"rule": "mine"}, "forbid": ["rm"]}
    )
    assert {dict(key)["rule"] for key in series_of(odd)} == {"forbid.1"}


def test_a_violation_counts_once_whatever_its_revisions(sums):
    first = finding()
    second = finding(revision=2, agent="ops")
    sums.finding(first, None)
    sums.finding(second, first)
    sums.finding(finding(revision=3, count=2), second)
    assert total(sums) == 1


def test_a_correction_is_counted_apart(sums):
    first = finding()
    sums.finding(first, None)
    sums.finding(finding(revision=2, label=Label.PASS), first)
    assert total(sums) == 1
    assert total(sums, "toolscore.findings.corrected") == 1


def test_what_fails_again_after_a_correction_is_no_new_violation(sums):
    first, second = finding(), finding(revision=2, label=Label.PASS)
    sums.finding(first, None)
    sums.finding(second, first)
    sums.finding(finding(revision=3), second)
    assert total(sums) == 1


def test_what_could_not_be_checked_and_then_fails_is_a_violation(sums):
    first = finding(label=Label.CANNOT_CHECK)
    sums.finding(first, None)
    sums.finding(finding(revision=2), first)
    assert total(sums) == 2


def test_a_later_revision_of_what_is_no_longer_known_counts_nothing(sums):
    sums.finding(finding(revision=4), None)
    assert total(sums) == 0


def test_a_finding_by_tool_waits_until_its_agent_is_known(sums):
    first = finding()
    sums.finding(first, None)
    sums.finding(finding(revision=2, agent="ops"), first)
    assert total(sums, "toolscore.tool.findings") == 0
    sums.trajectory(closed(trace=first.trace_id))
    assert [dict(key)["agent"] for key in shown(sums, "toolscore.tool.findings")] == ["ops"]


def test_a_finding_by_tool_counts_once_though_its_trace_closes_twice(sums):
    sums.finding(finding(), None)
    sums.trajectory(closed(trace=finding().trace_id))
    sums.finding(finding(revision=2, count=2), finding())
    sums.trajectory(closed(trace=finding().trace_id))
    assert total(sums, "toolscore.tool.findings") == 1


@pytest.mark.parametrize("odd", [{"shadow": True}, {"tool": None}, {"label": Label.CANNOT_CHECK}])
def test_only_real_violations_count_by_tool(sums, odd):
    sums.finding(finding(**odd), None)
    sums.trajectory(closed(trace=finding().trace_id))
    assert total(sums, "toolscore.tool.findings") == 0


def test_findings_of_traces_that_never_close_are_counted_past_the_cap(sums):
    for number in range(TRACES + 1):
        sums.finding(finding(id=f"f{number}", trace_id=f"{number:032x}"), None)
    assert total(sums, "toolscore.tool.findings") == 1


def test_a_new_series_is_shown_at_zero_before_it_counts(sums):
    sums.trajectory(closed(call()))
    first = shown(sums, "toolscore.tool.calls")
    second = shown(sums, "toolscore.tool.calls")
    assert (list(first.values()), list(second.values())) == ([0], [1])


def test_the_last_collection_holds_nothing_back(sums):
    sums.trajectory(closed(call()))
    assert list(shown(sums, "toolscore.tool.calls", is_last=True).values()) == [1]


def test_calls_of_a_trace_that_closes_again_count_once(sums):
    sums.trajectory(closed(call()))
    sums.trajectory(closed(call(), call(key="c2")))
    assert total(sums, "toolscore.tool.calls") == 2


def test_a_call_that_was_only_asked_for_is_no_call_made(sums):
    sums.trajectory(closed(call(stage=Stage.REQUESTED)))
    assert total(sums, "toolscore.tool.calls") == 0


def test_cost_that_is_not_known_is_not_zero(sums):
    sums.trajectory(closed(call(), call(key="c2", cost_usd=0.5)))
    assert total(sums, "toolscore.tool.cost") == 0.5


def test_durations_are_taken_once(sums):
    sums.keeps_durations = True
    sums.trajectory(closed(call(), call(key="c2", end_ns=None)))
    assert [seconds for seconds, _ in sums.take_durations()] == [2.0]
    assert sums.take_durations() == []


def test_durations_that_nobody_takes_are_dropped_and_counted(sums):
    sums.keeps_durations = True
    sums.trajectory(closed(*(call(key=str(number)) for number in range(DURATIONS + 2))))
    assert len(sums.take_durations()) == DURATIONS
    assert sums.dropped["durations_dropped"] == 2


def test_durations_do_not_wait_where_no_meter_takes_them(sums):
    sums.trajectory(closed(call()))
    assert sums.take_durations() == []


def test_a_duration_counts_in_the_bucket_that_ends_at_or_above_it(sums):
    at_bound = call(end_ns=SECOND + 40_000_000)
    above = call(key="c2", end_ns=SECOND + 40_000_001)
    beyond = call(key="c3", end_ns=100 * SECOND)
    sums.trajectory(closed(at_bound, above, beyond))
    (found,) = sums.collected(DURATION, is_last=True)
    told = {bound: n for bound, n in zip((*BOUNDS, None), found.buckets, strict=True) if n}
    assert told == {0.04: 1, 0.08: 1, None: 1}
    assert found.value == pytest.approx(99.080000001)


def test_a_new_series_of_durations_is_shown_empty_before_it_counts(sums):
    sums.trajectory(closed(call()))
    (first,), (second,) = sums.collected(DURATION), sums.collected(DURATION)
    assert (first.value, sum(first.buckets)) == (0, 0)
    assert (second.value, sum(second.buckets)) == (2.0, 1)


def test_coverage_is_by_service_and_absent_where_nothing_was_asked_for(sums):
    sums.trajectory(
        closed(call(), call(key="c2", stage=Stage.REQUESTED), call(key="c3", kind=CallKind.HANDOFF))
    )
    assert [(dict(key), value) for key, value in sums.coverage()] == [({"service": "shop"}, 0.5)]
    assert list(Sums().coverage()) == []


def test_a_score_is_the_mean_over_closed_traces_each_counted_once(sums):
    def of(value):
        return [
            Score(name="order", value=value, contract="c"),
            Score(name="f1", value=None, contract="c"),
        ]

    sums.trajectory(closed(trace="t1"), of(1.0))
    sums.trajectory(closed(trace="t1"), of(0.0))
    sums.trajectory(closed(trace="t2"), of(0.5))
    assert [(dict(key), value) for key, value in sums.scores()] == [
        ({"contract": "c", "name": "order"}, 0.75)
    ]
    again = Sums()
    again.load(sums.take_changed())
    again.trajectory(closed(trace="t3"), of(0.0))
    assert [value for _, value in again.scores()] == [0.5]


def test_gaps_count_once_a_trajectory(sums):
    trajectory = closed(call(gaps=(Gap.NO_CALL_ID,)), gaps=(Gap.PARENT_MISSING,))
    sums.trajectory(trajectory)
    sums.trajectory(trajectory)
    counted = shown(sums, "toolscore.gaps", is_last=True)
    assert {dict(key)["gap"]: value for key, value in counted.items()} == {
        "no_call_id": 1,
        "parent_missing": 1,
    }


def test_names_past_the_cap_fold_into_one_and_are_counted():
    sums = Sums(names_per_label=2)
    sums.trajectory(closed(*(call(tool=f"t{n}", key=str(n)) for n in range(5))))
    assert {dict(key)["tool"] for key in shown(sums, "toolscore.tool.calls")} == {
        "t0",
        "t1",
        "_other",
    }
    assert sums.folded() == {"tool": 3}


def test_a_start_anew_forgets_what_was_counted_and_keeps_the_series(sums):
    series = shown(sums, "toolscore.findings").keys()
    sums.finding(finding(), None)
    sums.start_anew([CONTRACT])
    assert shown(sums, "toolscore.findings").keys() == series
    assert total(sums) == 0


def test_what_a_contract_describes_as_a_secret_stands_in_no_label() -> None:
    patterns = [{"name": "badge", "regex": "BADGE-[0-9]{6}"}]
    describes = {"contract": "c", "language": 1, "secrets": {"patterns": patterns}}
    sums = Sums()
    sums.add_contracts([Contract.from_dict(describes)])
    sums.trajectory(closed(call(tool="run BADGE-123456", agent="a BADGE-654321")))

    labels = repr(sums.points["toolscore.tool.calls"])
    assert "REDACTED:badge" in labels
    assert "123456" not in labels
    assert "654321" not in labels
