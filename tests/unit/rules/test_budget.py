from typing import Any

import pytest

from toolscore_otel.matchers import JudgedCall, MatcherError
from toolscore_otel.model import FindingKind, Scope
from toolscore_otel.rules.budget import Budget, items


def of_trace(limit, **fields: Any):
    """A budget of 100 of something."""
    keys: dict[str, Any] = {limit: 100, **fields}
    return Budget(of="trace", **keys)


def subjects(watched):
    return sorted(subject.replace("\x1f", "/") for subject in watched.stands)


def test_each_call_that_takes_too_long_is_a_finding(made, watch):
    rule = Budget(of="call", tool="search", latency_ms=100, reason="slow")
    watched = watch(rule, made(took=100), made(took=101), made("x", took=900), made(took=2500))
    assert watched.failing == ["c2", "c4"]
    (first, _) = watched.fails
    assert FindingKind.BUDGET_EXCEEDED is first.kind
    assert first.explanation == "`search` took 101 ms, more than the budget of 100 ms: slow"


def test_each_call_that_costs_too_much_is_a_finding(made, watch):
    watched = watch(Budget(of="call", cost_usd=0.1), made(cost_usd=0.1), made(cost_usd=0.125))
    assert watched.failing == ["c2"]
    assert watched.fails[0].explanation.endswith("cost $0.125, more than the budget of $0.10")


def test_limits_of_one_call_are_told_apart(made, watch):
    rule = Budget(of="call", latency_ms=1, cost_usd=0.1)
    assert subjects(watch(rule, made(cost_usd=1))) == ["c1/cost_usd", "c1/latency_ms"]


def test_exactly_the_budget_is_within_it(made, watch):
    assert watch(Budget(of="call", latency_ms=70), made(at=0.1, took=70)).silent
    assert watch(Budget(of="call", latency_ms=0), made(took=0)).silent


def test_what_one_call_took_or_cost_may_be_unknown(made, watch):
    rule = Budget(of="call", latency_ms=100, cost_usd=1)
    assert {"latency", "cost"} == watch(rule, made(took=None)).lacks
    assert {"cost"} == watch(rule, made(at=0)).lacks
    assert {"latency", "cost"} == watch(rule, made(at=None)).lacks


def test_a_call_that_might_match_cannot_be_checked_where_it_would_be_too_much(made, watch):
    rule = Budget(of="call", tool="search", args={"q": 1}, latency_ms=100)
    assert watch(rule, made(took=100)).silent
    assert {"arguments"} == watch(rule, made(took=101)).lacks
    assert {"arguments", "latency"} == watch(rule, made(took=None)).lacks


def test_only_executed_calls_of_kind_tool_cost(made, watch):
    rule = Budget(of="call", latency_ms=1)
    assert watch(rule, made(stage="requested"), made(kind="agent")).silent
    assert {"latency"} == watch(
        Budget(of="call", stage="any", latency_ms=1), made(stage="requested")
    ).lacks


def test_a_tools_timeout_is_the_default_of_its_latency(made, watch):
    slow = JudgedCall(made(took=60, cost_usd=0), timeout_ms=50)
    assert subjects(watch(Budget(of="call"), slow)) == ["c1/latency_ms"]
    assert subjects(watch(Budget(of="call", cost_usd=1), slow)) == ["c1/latency_ms"]
    assert watch(Budget(of="call", latency_ms=70), slow).silent
    assert watch(Budget(of="call"), made(took=60)).silent


def test_excused_calls_have_no_budget(made, watch):
    rule = Budget(of="call", latency_ms=1, unless={"agent": "batch"})
    assert watch(rule, made(agent="batch")).silent
    assert {"agent"} == watch(rule, made()).lacks
    deferred = Budget(of="call", latency_ms=1, unless={"before": "ask"}).compile()
    assert (deferred.deferred, deferred.per_call, deferred.tools) == (True, False, None)


def test_one_sum_over_all_calls_of_a_tool(made, watch):
    rule = Budget(of="tool", tool="search", latency_ms=100, reason="slow")
    watched = watch(rule, made(took=60), made("x", took=900), made(took=40))
    assert watched.silent
    (verdict,) = watched.put(made(took=1)).fails
    text = "3 calls of tool search took 101 ms, more than the budget of 100 ms: slow"
    assert text == verdict.explanation
    assert (
        verdict.call.key,
        verdict.count,
        verdict.first.key,
        verdict.last.key,
    ) == ("c4", 3, "c1", "c4")
    assert list(watched.stands) == ["latency_ms"]


def test_a_sum_grows_and_falls_with_its_calls(made, watch):
    rule = Budget(of="tool", tool="search", cost_usd=0.3)
    one = made(cost_usd=0.1)
    watched = watch(rule, one, made(cost_usd=0.2))
    assert watched.silent
    assert watched.put(made(cost_usd=0.001)).fails
    assert watched.drop("c3").silent
    assert watched.replace(one, cost_usd=0.2).fails
    assert watched.drop("c1", "unknown").silent


def test_one_sum_over_all_tools(made, watch):
    rule = Budget(of="tool", latency_ms=100)
    (verdict,) = watch(rule, made("a", took=60), made("b", took=60)).fails
    assert verdict.explanation == "2 calls of any tool took 120 ms, more than the budget of 100 ms"


def test_an_unknown_time_could_be_any(made, watch):
    rule = Budget(of="tool", tool="search", latency_ms=100)
    assert {"latency"} == watch(rule, made(took=1), made(took=None)).close().lacks
    (verdict,) = watch(rule, made(took=200), made(took=None)).fails
    assert verdict.explanation.startswith("2 calls of tool search took at least 200 ms")


def test_an_unknown_cost_counts_as_nothing_unless_none_is_known(made, watch):
    rule = Budget(of="tool", tool="search", cost_usd=1)
    assert watch(rule, made(cost_usd=0.5), made()).close().silent
    watched = watch(rule, made(), made()).close()
    assert {"cost"} == watched.lacks
    assert [verdict.count for verdict in watched.unsure] == [2]
    (verdict,) = watch(rule, made(cost_usd=2), made()).fails
    assert "at least $2.00" in verdict.explanation


@pytest.mark.parametrize(
    ("sure", "maybe", "lacks"),
    [
        ({"cost_usd": 1}, {"cost_usd": 1}, set()),
        ({"cost_usd": 1}, {"cost_usd": 1.5}, {"arguments"}),
        ({"cost_usd": 1}, {}, set()),
        ({}, {"cost_usd": 1}, {"cost"}),
        (None, {}, {"arguments", "cost"}),
        (None, {"cost_usd": 1}, set()),
        (None, {"cost_usd": 3}, {"arguments"}),
    ],
)
def test_calls_that_might_match_might_cost_too_much(sure, maybe, lacks, made, watch):
    rule = Budget(of="tool", tool="search", args={"q": 1}, cost_usd=2)
    calls = [] if sure is None else [made(args={"q": 1}, **sure)]
    watched = watch(rule, *calls, made(**maybe)).close()
    assert lacks == watched.lacks
    assert not watched.fails


def test_all_calls_that_may_count_are_those_that_cannot_be_checked(made, watch):
    rule = Budget(of="tool", tool="search", args={"q": 1}, latency_ms=100)
    watched = watch(rule, made(args={"q": 1}, took=60), made(took=60), made(took=10)).close()
    assert [verdict.count for verdict in watched.unsure] == [3]


def test_calls_that_might_match_might_take_too_long(made, watch):
    rule = Budget(of="tool", tool="search", args={"q": 1}, latency_ms=100)
    assert {"arguments", "latency"} == watch(rule, made(took=None)).close().lacks
    assert {"arguments"} == watch(rule, made(took=200)).close().lacks
    assert watch(rule, made(took=100)).close().silent


def test_what_may_pass_a_sum_is_said_at_closing_and_taken_back_when_it_does(made, watch):
    watched = watch(Budget(of="tool", tool="search", latency_ms=100), made(took=None))
    assert watched.silent
    assert {"latency"} == watched.close().lacks
    assert len(watched.put(made(took=200)).fails) == 1
    assert watched.close().lacks == set()


def test_excused_calls_are_not_summed(made, watch):
    rule = Budget(of="tool", tool="search", latency_ms=1, unless={"before": "ask"})
    watched = watch(rule, made("ask"), made())
    assert watched.silent
    assert watched.drop("c1").fails
    assert watched.state.changes() == {}


def test_a_call_that_an_earlier_one_excuses_late_is_taken_out_of_the_sum(made, watch):
    rule = Budget(of="tool", tool="search", latency_ms=1, unless={"before": "ask"})
    watched = watch(rule, made(at=500))
    assert watched.fails
    assert watched.put(made("ask", at=0)).silent


@pytest.mark.parametrize(
    ("limit", "within", "beyond", "text"),
    [
        ("latency_ms", {"latency_ns": 100_000_000}, {"latency_ns": 100_000_001}, "took 100 ms"),
        ("cost_usd", {"cost_usd": 100}, {"cost_usd": 100.5}, "cost $100.50"),
        ("tokens", {"tokens": 100}, {"tokens": 1_101}, "used 1,101 tokens"),
        ("calls", {"calls": 100}, {"calls": 101}, "made 101 calls"),
    ],
)
def test_a_whole_trace_is_held_against_its_sums(limit, within, beyond, text, watch):
    watched = watch(of_trace(limit, reason="why")).total(**within)
    assert watched.silent
    (verdict,) = watched.total(**beyond).fails
    assert f"the trace {text}, more than the budget of" in verdict.explanation
    assert verdict.explanation.endswith(": why")
    assert verdict.call is None
    assert watched.total(**within).silent


def test_limits_of_a_trace_are_told_apart(watch):
    watched = watch(Budget(of="trace", tokens=1, calls=1)).total(tokens=2, calls=2)
    assert subjects(watched) == ["calls", "tokens"]


@pytest.mark.parametrize(
    ("limit", "word"), [("latency_ms", "latency"), ("cost_usd", "cost"), ("tokens", "tokens")]
)
def test_a_sum_of_which_nothing_is_known_cannot_be_checked(limit, word, watch):
    watched = watch(of_trace(limit)).total(lacking=frozenset({word}))
    assert watched.silent
    assert {word} == watched.close().lacks
    assert watched.total(latency_ns=1, cost_usd=1, tokens=1).close().silent


def test_a_sum_that_lacks_something_could_be_more(watch):
    parts = {"tokens": 90, "latency_ns": 90, "lacking": frozenset({"tokens", "latency"})}
    watched = watch(Budget(of="trace", tokens=100, latency_ms=100)).total(**parts).close()
    assert {"tokens", "latency"} == watched.lacks
    over = watch(Budget(of="trace", tokens=80)).total(**parts).close()
    assert over.fails[0].explanation.startswith("the trace used at least 90 tokens")
    assert not over.unsure


def test_an_unknown_cost_of_a_trace_counts_as_nothing(watch):
    parts = {"cost_usd": 0.9, "lacking": frozenset({"cost"})}
    assert watch(Budget(of="trace", cost_usd=1)).total(**parts).close().silent


def test_a_trace_without_costs_to_be_known_has_none(watch):
    assert watch(Budget(of="trace", cost_usd=1)).total().close().silent


def test_single_calls_do_not_matter_to_a_trace(made, watch):
    watched = watch(Budget(of="trace", calls=0), made())
    assert watched.drop("c1").silent


def test_a_rule_knows_what_it_is_about():
    assert Budget(of="trace", calls=1, scope=Scope.AGENT).compile().scope is Scope.TRACE
    assert Budget(of="tool", calls=None, latency_ms=1, scope=Scope.AGENT).compile().scope is (
        Scope.AGENT
    )
    assert Budget(of="call", tool="x", latency_ms=1).compile().tools == frozenset({"x"})
    assert Budget(of="call", agent="x", latency_ms=1).compile().uses_agent
    assert Budget(of="call", latency_ms=1, unless={"agent": "x"}).compile().uses_agent
    assert Budget(of="call", latency_ms=1).compile().per_call
    assert not Budget(of="tool", latency_ms=1).compile().per_call


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        (Budget(of="call", latency_ms=-1), ("latency_ms",)),
        (Budget(of="trace", calls=1, tool="x"), ("tool",)),
        (Budget(of="trace", calls=1, unless="x"), ("unless",)),
        (Budget(of="call", tokens=1), ("tokens",)),
        (Budget(of="call", calls=1), ("calls",)),
        (Budget(of="tool", tokens=1), ("tokens",)),
        (Budget(of="tool", active_ms=1), ("active_ms",)),
        (Budget(of="session", calls=1, tool="x"), ("tool",)),
        (Budget(of="tool", tool="x"), ()),
        (Budget(of="trace"), ()),
        (Budget(of="call", latency_ms=1, args=None), ("args",)),
    ],
)
def test_keys_that_do_not_go_together_are_errors(rule, path):
    with pytest.raises(MatcherError) as caught:
        rule.compile()
    assert path == caught.value.path


def test_items_are_named_by_their_place():
    assert [item.id for item in items([{"of": "trace", "calls": 1}])] == ["budget.1"]


def test_a_whole_is_the_one_that_it_is_of():
    for whole in ("agent", "trace", "session"):
        assert Budget(of=whole, calls=1).compile().scope == whole
        assert list(items([{"of": whole, "scope": whole, "calls": 1}]))
    with pytest.raises(MatcherError, match="leave the scope out") as caught:
        list(items([{"of": "trace", "scope": "agent", "calls": 1}]))
    assert caught.value.path == (0, "scope")
    assert list(items([{"of": "tool", "scope": "agent", "tool": "x", "cost_usd": 1}]))


def test_calls_of_a_tool_are_counted_together(watch, made):
    watched = watch(Budget(of="tool", tool="a", calls=1)).put(made("a"), made("b"))
    assert watched.silent
    verdict = watched.put(made("a", at=None)).only()
    assert verdict.explanation == "2 calls of tool a, more than the budget of 1 call"
    assert (verdict.count, verdict.label) == (2, "fail")
