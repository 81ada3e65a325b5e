import pytest
from msgspec import structs

from toolscore_otel.matchers import JudgedCall, MatcherError
from toolscore_otel.model import ContentState, FindingKind, Scope
from toolscore_otel.rules.loop import Loop, items

SAME = Loop(key="same_call", n=3)
RETRY = Loop(key="retry_after_error", n=2)
A, B = {"q": "a"}, {"q": "b"}


@pytest.fixture
def same(made):
    """Calls of one tool: arguments and result of each."""
    return lambda *pairs, **fields: [
        made(args=args, **({} if result is ... else {"result": result}), **fields)
        for args, result in pairs
    ]


@pytest.fixture
def tries(made):
    """Calls of one tool with equal arguments: how each ended."""
    return lambda *statuses, **fields: [
        made(args=A, status=status, result="x", **fields) for status in statuses
    ]


def test_equal_calls_with_equal_results_are_a_loop(same, watch):
    (verdict,) = watch(SAME, *same((A, 1), (A, 1), (A, 1))).fails
    assert FindingKind.RETRY_LOOP is verdict.kind
    assert not verdict.lowered
    text = "`search` was called 3 times with equal arguments and got the same each time"
    assert text == verdict.explanation
    assert (
        verdict.call.key,
        verdict.count,
        verdict.first.key,
        verdict.last.key,
    ) == ("c3", 3, "c1", "c3")


def test_the_finding_is_named_by_the_first_call_and_sits_on_the_completing_one(same, watch):
    watched = watch(SAME, *same((B, 1), (A, 1), (A, 1), (A, 1)))
    assert list(watched.stands) == ["c2"]
    assert watched.failing == ["c4"]


def test_fewer_are_no_loop(same, watch):
    assert watch(SAME, *same((A, 1), (A, 1))).close().silent


def test_a_run_grows_and_does_not_repeat(same, watch):
    watched = watch(SAME, *same(*[(A, 1)] * 8))
    assert [(v.count, v.call.key, v.last.key) for v in watched.fails] == [(8, "c3", "c8")]


def test_other_calls_may_stand_between(made, same, watch):
    first, second, third = same((A, 1), (A, 1), (A, 1))
    calls = [first, made("other"), second, *same((B, 1)), third]
    assert watch(SAME, *calls).failing == ["c3"]


def test_another_tool_or_other_arguments_are_another_call(made, same, watch):
    assert watch(SAME, *same((A, 1), (A, 1), (B, 1))).silent
    assert watch(SAME, *same((A, 1), (A, 1)), made("other", A, result=1)).silent


@pytest.mark.parametrize(
    ("one", "other"), [({"a": 1, "b": 2}, {"b": 2, "a": 1}), ({"a": 1}, {"a": 1.0})]
)
def test_equality_is_that_of_canonical_json(one, other, same, watch):
    assert watch(SAME, *same((one, one), (other, other), (one, other))).fails


@pytest.mark.parametrize(
    ("one", "other"), [({"a": True}, {"a": 1}), ({"a": "x "}, {"a": "x"}), ({}, {"a": None})]
)
def test_what_is_not_equal_in_json_is_not(one, other, same, watch):
    assert watch(SAME, *same((one, 1), (other, 1), (one, 1))).silent


def test_a_different_result_starts_the_count_anew(same, watch):
    assert watch(SAME, *same((A, 1), (A, 1), (A, 2), (A, 1), (A, 1))).silent
    watched = watch(SAME, *same((A, 1), (A, 2), (A, 2), (A, 2)))
    assert watched.failing == ["c9"]


def test_a_run_ended_by_a_different_result_can_be_followed_by_another(same, watch):
    results = [1, 1, 1, 2, 2, 2, 2]
    watched = watch(SAME, *same(*((A, result) for result in results)))
    assert sorted((v.call.key, v.count) for v in watched.fails) == [("c3", 3), ("c6", 4)]
    assert sorted(watched.stands) == ["c1", "c4"]


def test_results_not_observed_count_as_equal_and_lower_the_finding(same, watch):
    (verdict,) = watch(SAME, *same((A, ...), (A, ...), (A, ...))).fails
    assert verdict.lowered
    assert verdict.explanation.endswith("results were not observed, so this is a possible loop")
    assert watch(SAME, *same((A, 1), (A, ...), (A, 1))).fails[0].lowered
    (grown,) = watch(SAME, *same(*[(A, ...)] * 5)).fails
    assert (grown.count, grown.lowered) == (5, True)


@pytest.mark.parametrize("state", [ContentState.TRUNCATED, ContentState.UNPARSABLE])
def test_a_cut_or_broken_result_was_not_observed(state, made, watch):
    calls = [made(args=A, result_state=state, result_text="x") for _ in range(3)]
    assert watch(SAME, *calls).fails[0].lowered


def test_results_that_surely_differ_do_not_become_equal_through_one_not_observed(same, watch):
    assert watch(SAME, *same((A, 1), (A, ...), (A, 2))).close().silent
    watched = watch(SAME, *same((A, 1), (A, ...), (A, 2), (A, 2)))
    assert [(v.call.key, v.count, v.lowered) for v in watched.fails] == [("c7", 3, True)]


def test_a_sure_run_stays_sure_when_it_grows_by_what_was_not_observed(same, watch):
    (verdict,) = watch(SAME, *same((A, 1), (A, 1), (A, 1), (A, ...))).fails
    assert (verdict.count, verdict.lowered) == (4, False)


def test_a_possible_run_becomes_sure_when_enough_results_are_seen(same, watch):
    (verdict,) = watch(SAME, *same((A, ...), (A, 1), (A, 1), (A, 1))).fails
    assert (verdict.call.key, verdict.count, verdict.lowered) == ("c3", 4, False)


def test_two_possible_runs_around_one_call_are_two(same, watch):
    rule = Loop(key="same_call", n=2)
    watched = watch(rule, *same((A, 1), (A, ...), (A, ...), (A, 2)))
    assert sorted((v.call.key, v.count) for v in watched.fails) == [("c2", 3), ("c4", 3)]


def test_polling_tools_need_three_times_as_many(same, watch):
    calls = [JudgedCall(call, polling=True) for call in same(*[(A, 1)] * 9)]
    assert watch(SAME, *calls[:8]).silent
    assert watch(SAME, *calls).failing == ["c9"]


def test_only_the_last_calls_of_the_window_count(made, same, watch):
    rule = Loop(key="same_call", n=3, window=4)
    first, second, third = same((A, 1), (A, 1), (A, 1))
    late = made("other", at=15)
    assert watch(rule, first, second, late, third).fails
    assert watch(rule, first, second, late, made("other", at=16), third).silent


def test_a_run_that_the_window_leaves_behind_ends(made, same, watch):
    rule = Loop(key="same_call", n=2, window=2)
    a, b, c, d = same((A, 1), (A, 1), (A, 1), (A, 1))
    watched = watch(rule, a, b, made("other", at=25), c, d)
    assert watched.failing == ["c2", "c4"]


def test_the_window_is_30_calls_unless_said(made, same, watch):
    rule = Loop(key="same_call", n=2)
    others = [made(f"t{number}", B, result=1) for number in range(29)]
    first, again = same((A, 1), (A, 1))
    begin = {"start_ns": 0, "end_ns": 1}
    assert watch(rule, *others[1:], again).put(made(args=A, result=1, **begin)).fails
    assert watch(rule, *others, again).put(made(args=A, result=1, **begin)).silent
    assert first.key != again.key


def test_every_agent_invocation_is_looked_at_by_itself(same, watch):
    calls = [
        *same((A, 1), (A, 1), agent="x", invocation_id="1"),
        *same((A, 1), agent="x", invocation_id="2"),
    ]
    watched = watch(SAME, *calls)
    assert watched.silent
    assert watched.replace(calls[2], invocation_id="1").fails
    assert watched.replace(calls[2], invocation_id="2").silent


@pytest.mark.parametrize("before", ["1", None])
def test_a_run_may_move_to_another_invocation_as_a_whole(before, same, watch):
    calls = same(*[(A, 1)] * 3, invocation_id=before)
    watched = watch(SAME, *calls, *same((B, 1), invocation_id="2"))
    for call in calls:
        watched.state.drop(call.key)
    moved = [structs.replace(call, invocation_id="2") for call in calls]
    assert watched.put(*moved).failing == ["c3"]
    assert watched.replace(moved[0], invocation_id="1").silent


@pytest.mark.parametrize("kind", ["handoff", "agent", "output"])
def test_only_calls_of_kind_tool_are_looked_at(kind, same, watch):
    assert watch(SAME, *same(*[(A, 1)] * 3, kind=kind)).close().silent


def test_calls_that_were_only_asked_for_repeat_too(same, watch):
    assert watch(SAME, *same(*[(A, ...)] * 3, stage="requested")).fails


def test_arguments_not_observed_let_the_count_begin_after_them(same, watch):
    watched = watch(SAME, *same((A, 1), (A, 1), (None, 1), (A, 1))).close()
    assert not watched.fails
    assert {"arguments"} == watched.lacks
    watched = watch(SAME, *same((A, 1), (None, 1), (A, 1), (A, 1), (A, 1))).close()
    assert watched.failing == ["c9"]
    assert list(watched.stands) == ["c7"]


def test_arguments_not_observed_of_another_tool_do_not_matter(made, same, watch):
    first, second, third = same((A, 1), (A, 1), (A, 1))
    assert watch(SAME, first, second, made("other", at=25), third).close().failing == ["c3"]


def test_ignored_calls_are_left_out(made, same, watch):
    rule = Loop(key="same_call", n=3, ignore=[{"tool": "search"}])
    assert watch(rule, *same(*[(A, 1)] * 3)).close().silent
    assert watch(rule, *(made("other", A, result=1) for _ in range(3))).fails


def test_with_only_no_others_are_looked_at(made, same, watch):
    rule = Loop(key="same_call", n=3, only=["search"])
    assert watch(rule, *same(*[(A, 1)] * 3)).fails
    assert watch(rule, *(made("other", A, result=1) for _ in range(3))).close().silent


def test_excused_calls_do_not_count(same, watch):
    rule = Loop(key="same_call", n=3, unless={"agent": "boss"})
    assert watch(rule, *same(*[(A, 1)] * 3, agent="boss")).silent
    assert watch(rule, *same(*[(A, 1)] * 3, agent="clerk")).fails
    assert {"agent"} == watch(rule, *same(*[(A, 1)] * 3)).close().lacks


def test_calls_excused_by_an_earlier_one_do_not_count(made, same, watch):
    rule = Loop(key="same_call", n=3, unless={"before": "ask"})
    watched = watch(rule, *same(*[(A, 1)] * 3))
    assert watched.fails
    assert watched.put(made("ask", at=0, took=1)).silent
    assert watched.drop("c4").fails
    assert rule.compile().deferred


def test_whether_a_call_is_ignored_may_be_open(same, watch):
    rule = Loop(key="same_call", n=3, ignore=[{"agent": "poller"}])
    assert rule.compile().uses_agent
    assert {"agent"} == watch(rule, *same((A, 1), (A, 1), (A, 1))).close().lacks


def test_repeats_of_a_failed_call_that_do_not_succeed_are_a_loop(tries, watch):
    assert watch(RETRY, *tries("error", "error")).close().silent
    (verdict,) = watch(RETRY, *tries("error", "error", "error", agent="desk")).fails
    text = "agent `desk` called `search` again twice with equal arguments after it had failed, "
    assert f"{text}without success" == verdict.explanation
    assert (
        verdict.call.key,
        verdict.count,
        verdict.first.key,
        verdict.last.key,
    ) == ("c5", 3, "c3", "c5")
    assert not verdict.lowered


def test_a_success_ends_the_run(tries, watch):
    assert watch(RETRY, *tries("error", "error", "ok", "error", "error")).close().silent
    assert watch(RETRY, *tries("ok", "error", "error", "error")).failing == ["c9"]


def test_results_do_not_matter_to_retries(made, watch):
    calls = [made(args=A, result=n, status="error") for n in range(3)]
    assert watch(RETRY, *calls).fails


def test_whether_a_repeat_succeeded_may_be_open(tries, watch):
    watched = watch(RETRY, *tries("error", "unknown", "error")).close()
    assert {"status"} == watched.lacks
    assert not watched.fails
    assert {"status"} == watch(RETRY, *tries("error", "error", "unknown")).close().lacks


def test_a_repeat_that_was_only_asked_for_has_no_known_end(tries, watch):
    calls = [*tries("error", "error"), *tries("error", stage="requested")]
    assert {"status"} == watch(RETRY, *calls).close().lacks


def test_calls_that_change_are_taken_along(same, watch):
    calls = same((A, 1), (A, 1), (A, 1))
    watched = watch(SAME, *calls)
    assert watched.replace(calls[1], args=B).silent
    assert watched.replace(calls[1], args=A).fails
    assert watched.drop("c1", "unknown").silent


def test_the_order_of_arrival_does_not_matter(same, watch):
    calls = same((A, 1), (A, 1), (A, 2), (A, 2), (A, 2), (A, 2))
    assert watch(SAME, *calls).stands == watch(SAME, *reversed(calls)).stands


def test_a_dispatched_call_not_observed_may_be_any_of_its_dispatcher(same, watch):
    def dispatched(call, word):
        if word is None:
            return JudgedCall(call, names=("exec",), dispatcher="exec", dispatches=True)
        return JudgedCall(call, names=(f"exec:{word}", "exec"), dispatches=True)

    first, second = same((A, 1), (A, 1), tool="exec:git")
    (blind,) = same((None, 1), tool="exec")
    calls = [dispatched(first, "git"), dispatched(second, "git"), dispatched(blind, None)]
    assert {"arguments"} == watch(SAME, *calls).close().lacks


def test_every_key_is_a_rule_and_the_others_go_with_each():
    found = list(items({"same_call": 3, "retry_after_error": {"n": 2, "window": 5}, "window": 9}))
    assert [item.id for item in found] == ["loop.same_call", "loop.retry_after_error"]
    assert [item.data for item in found] == [
        {"key": "same_call", "window": 9, "n": 3},
        {"key": "retry_after_error", "window": 5, "n": 2},
    ]


def test_what_is_left_out_beside_the_rules_and_inside_of_one_is_left_out():
    beside = {"ignore": ["x"], "only": ["y"], "unless": {"agent": "z"}}
    inside = {"n": 2, "ignore": ["a"], "only": ["b"], "unless": ["c"]}
    (same, cycle) = items({"same_call": 3, "cycle": inside, **beside})
    assert same.data == {"key": "same_call", "n": 3, **beside}
    both = {"ignore": ["a", "x"], "only": ["b"], "unless": ["c", {"agent": "z"}]}
    assert cycle.data == {"key": "cycle", "n": 2, **both}
    (wrong,) = items({"cycle": {"n": 2, "ignore": "a"}, "ignore": ["x"]})
    assert wrong.data["ignore"] == "a"


@pytest.mark.parametrize(
    ("scope", "expected"),
    [(None, Scope.TRACE), (Scope.SESSION, Scope.TRACE), (Scope.AGENT, Scope.AGENT)],
)
def test_a_session_shows_no_more_than_its_traces_do(scope, expected):
    assert expected == Loop(key="cycle", n=2, scope=scope).compile().scope


def test_a_tool_without_a_name_may_be_any(same, watch):
    watched = watch(SAME, *same((A, 1), (A, 1), (A, 1), tool="")).close()
    assert {"name"} == watched.lacks
    assert not watched.fails


@pytest.mark.parametrize(
    ("value", "stands"),
    [
        ("[REDACTED]", "unsure"),
        ("[REDACTED:password]", "unsure"),
        ("[REDACTED:password.0123456789abcdef]", "fails"),
        ("see [REDACTED]", "fails"),
    ],
)
def test_arguments_behind_a_placeholder_were_not_observed(value, stands, same, watch):
    arguments = {"user": ["x", 1], "password": value}
    assert getattr(watch(SAME, *same(*[(arguments, 1)] * 3)).close(), stands)


def test_a_result_behind_a_placeholder_counts_as_equal(same, watch):
    (verdict,) = watch(SAME, *same(*[(A, {"text": "***"})] * 3)).fails
    assert verdict.lowered


@pytest.mark.parametrize(
    ("data", "message", "path"),
    [
        ([], "mapping", ()),
        ({"window": 3}, "no rule", ()),
        ({"same_cal": 3}, "unknown key", ("same_cal",)),
        ({"cycle": {"n": 3, "key": "x"}}, "unknown key", ("cycle", "key")),
    ],
)
def test_a_clause_that_makes_no_sense_is_an_error(data, message, path):
    with pytest.raises(MatcherError, match=message) as caught:
        list(items(data))
    assert path == caught.value.path


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        (Loop(key="same_call", n=1), ("n",)),
        (Loop(key="retry_after_error", n=0), ("n",)),
        (Loop(key="no_progress", n=1), ("n",)),
        (Loop(key="cycle", n=1), ("n",)),
        (Loop(key="same_call", n=3, window=1), ("window",)),
        (Loop(key="same_call", n=3, ignore=[3]), ("ignore", 0)),
        (Loop(key="same_call", n=3, only=["x", {"tol": 1}]), ("only", 1, "tol")),
    ],
)
def test_numbers_and_selectors_that_make_no_sense_are_errors(rule, path):
    with pytest.raises(MatcherError) as caught:
        rule.compile()
    assert path == caught.value.path
