import pytest

from toolscore_otel.matchers import JudgedCall, MatcherError
from toolscore_otel.model import FindingKind, Scope
from toolscore_otel.rules.limit import Limit, items


def test_as_many_as_allowed_are_fine(made, watch):
    assert watch(Limit(tool="search", max=2), made(), made()).silent
    assert watch(Limit(tool="search", max=0)).silent


def test_the_next_one_is_a_finding_on_it(made, watch):
    watched = watch(Limit(tool="search", max=2, reason="slow"), made(), made("x"), made(), made())
    (verdict,) = watched.fails
    assert FindingKind.LIMIT_EXCEEDED is verdict.kind
    assert verdict.explanation == "3 calls of tool search, where at most 2 may be made: slow"
    assert (
        verdict.call.key,
        verdict.count,
        verdict.first.key,
        verdict.last.key,
    ) == ("c4", 3, "c1", "c4")


def test_further_ones_make_the_same_finding_grow(made, watch):
    watched = watch(Limit(tool="search", max=1), *(made() for _ in range(4)))
    assert [(v.count, v.call.key, v.last.key) for v in watched.fails] == [(4, "c2", "c4")]


def test_a_call_that_comes_late_moves_the_finding(made, watch):
    watched = watch(Limit(tool="search", max=1), made(at=10), made(at=30))
    assert watched.failing == ["c2"]
    assert watched.put(made(at=0)).failing == ["c1"]


def test_fewer_again_is_no_finding(made, watch):
    assert watch(Limit(tool="search", max=1), made(), made()).drop("c1").silent


def test_only_executed_calls_count(made, watch):
    calls = [made(stage="requested"), made(stage="requested"), made()]
    assert watch(Limit(tool="search", max=1), *calls).silent
    assert watch(Limit(tool="search", max=1, stage="any"), *calls).fails


def test_calls_without_times_count_and_stand_last(made, watch):
    calls = [made(at=None), made(at=50), made(at=40)]
    (verdict,) = watch(Limit(tool="search", max=2), *calls).fails
    assert verdict.call.key == "c1"


def test_calls_that_might_match_cannot_be_checked_where_they_would_be_too_many(made, watch):
    rule = Limit(tool="search", args={"q": 1}, max=1)
    assert watch(rule, made()).close().silent
    watched = watch(rule, made(), made(args={"q": 1})).close()
    assert {"arguments"} == watched.lacks
    assert [verdict.count for verdict in watched.unsure] == [1]
    assert watch(rule, made(), made(args={"q": 2})).close().silent


def test_calls_that_might_match_do_not_matter_where_there_are_too_many_anyway(made, watch):
    rule = Limit(tool="search", args={"q": 1}, max=1)
    watched = watch(rule, made(), made(args={"q": 1}), made(args={"q": 1})).close()
    assert [verdict.count for verdict in watched.fails] == [2]
    assert not watched.unsure


def test_excused_calls_are_not_counted(made, watch):
    rule = Limit(tool="search", max=1, unless={"agent": "boss"})
    assert watch(rule, made(agent="boss"), made(agent="boss"), made(agent="clerk")).silent
    assert {"agent"} == watch(rule, made(), made(agent="clerk")).close().lacks


def test_calls_excused_by_an_earlier_one_are_not_counted(made, watch):
    rule = Limit(tool="search", max=1, unless={"before": "ask"})
    watched = watch(rule, made(), made("ask"), made(), made())
    assert watched.silent
    assert watched.drop("c2").failing == ["c3"]
    assert watched.put(made("ask", at=0, took=1)).silent
    assert rule.compile().deferred
    assert rule.compile().tools is None


def test_what_stands_is_said_again_when_it_is_known_who_called(made, watch):
    calls = [JudgedCall(made()), JudgedCall(made())]
    watched = watch(Limit(tool="search", max=1), *calls)
    watched.state.renew(calls[1])
    assert [v.count for v in watched.state.changes().values()] == [2]


def test_calls_that_do_not_matter_change_nothing(made, watch):
    state = watch(Limit(tool="search", max=0)).state
    assert state.changes() == {}
    watched = watch(Limit(tool="search", max=0), made("other"))
    assert watched.drop("c1").silent


@pytest.mark.parametrize(
    ("keys", "scope"),
    [
        ({}, "trace"),
        ({"scope": Scope.AGENT}, "agent"),
        ({"per": "agent"}, "agent"),
        ({"per": "trace", "scope": Scope.AGENT}, "trace"),
        ({"per": "session"}, "session"),
        ({"per": "60s"}, "trace"),
        ({"per": "60s", "scope": Scope.AGENT}, "agent"),
    ],
)
def test_it_counts_over_per_or_else_its_scope(keys, scope):
    assert scope == Limit(tool="x", max=1, **keys).compile().scope


@pytest.mark.parametrize("per", ["day", "", "60", "s", "1.5s", "0ms", "1h30m", " 1s", "-1s", "1S"])
def test_what_is_neither_scope_nor_duration_is_an_error(per):
    with pytest.raises(MatcherError, match="duration such as") as caught:
        Limit(tool="x", max=1, per=per).compile()
    assert caught.value.path == ("per",)


def test_a_scope_of_its_own_that_differs_from_per_is_an_error():
    assert [i.id for i in items([{"tool": "x", "max": 1, "per": "agent"}])] == ["limit.1"]
    assert list(items([{"tool": "x", "max": 1, "per": "agent", "scope": "agent"}]))
    with pytest.raises(MatcherError, match="another scope") as caught:
        list(items([{"tool": "x", "max": 1, "per": "agent", "scope": "trace"}]))
    assert caught.value.path == (0, "per")


@pytest.mark.parametrize(
    ("keys", "message", "path"),
    [
        ({"max": -1}, "`max` is a number of calls, 0 or more", ("max",)),
        ({"max": -0.5, "sum": "a"}, "`max` is a sum, 0 or more", ("max",)),
        ({"max": 1.5}, "`max` is a number of calls, a whole one", ("max",)),
        ({"max": 1.5, "distinct": "a"}, "`max` is a number of values, a whole one", ("max",)),
        ({"max": 1, "sum": "a", "distinct": "b"}, "give one, or write two rules", ("distinct",)),
        ({"max": 1, "sum": "a..b"}, "`sum` is the path of one argument", ("sum",)),
        ({"max": 1, "sum": "args."}, "`sum` is the path of one argument", ("sum",)),
        ({"max": 1, "distinct": "a.*"}, "`distinct` is the path of one argument", ("distinct",)),
    ],
)
def test_limits_that_make_no_sense_are_errors(keys, message, path):
    with pytest.raises(MatcherError, match=message) as caught:
        Limit(tool="x", **keys).compile()
    assert path == caught.value.path


def test_a_rule_knows_what_it_is_about():
    assert frozenset({"x"}) == Limit(tool="x", max=1).compile().tools
    assert Limit(tool="x", max=1, agent="y").compile().uses_agent
    assert not Limit(tool="x", max=1).compile().per_call
