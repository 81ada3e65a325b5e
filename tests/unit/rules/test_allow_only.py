import pytest

from toolscore_otel.matchers import JudgedCall, MatcherError
from toolscore_otel.model import FindingKind
from toolscore_otel.rules.allow_only import AllowOnly, items


def dispatched(call, word=None, *, labels=frozenset()):
    """A call of the dispatcher `exec`, as a registry sees it: of what it ran, or of what was not observed."""
    if word is None:
        return JudgedCall(call, names=("exec",), dispatcher="exec", dispatches=True, labels=labels)
    return JudgedCall(call, names=(f"exec:{word}", "exec"), dispatches=True, labels=labels)


def test_a_call_that_nothing_allows_fails(made, watch):
    rule = AllowOnly(tools=["search", {"tool": "pay", "args": {"sum": 1}}], reason="small desk")
    watched = watch(rule, made("search"), made("pay", {"sum": 1}), made("pay", {"sum": 2}))
    assert watched.failing == ["c3"]
    (verdict,) = watched.fails
    assert FindingKind.FORBIDDEN_CALL is verdict.kind
    assert verdict.explanation == "`pay` was called, which no rule allows: small desk"


def test_what_was_only_asked_for_must_be_allowed_too(made, watch):
    assert watch(AllowOnly(tools=["search"]), made("rm", stage="requested")).fails
    assert watch(AllowOnly(tools=["search"]), made("search", stage="requested")).silent


@pytest.mark.parametrize("kind", ["handoff", "agent", "output"])
def test_only_calls_of_kind_tool_must_be_allowed(kind, made, watch):
    assert watch(AllowOnly(tools=["search"]), made("rm", kind=kind)).silent


def test_what_was_not_observed_cannot_be_checked(made, watch):
    rule = AllowOnly(tools=[{"tool": "pay", "args": {"sum": 1}}, {"tool": "pay", "agent": "boss"}])
    assert {"arguments", "agent"} == watch(rule, made("pay")).lacks


def test_one_selector_that_allows_is_enough(made, watch):
    rule = AllowOnly(tools=[{"tool": "pay", "args": {"sum": 1}}, "pay"])
    assert watch(rule, made("pay")).silent


def test_unless_excuses(made, watch):
    rule = AllowOnly(tools=["search"], unless={"agent": "boss"})
    assert watch(rule, made("rm", agent="boss")).silent
    assert watch(rule, made("rm", agent="clerk")).fails
    assert {"agent"} == watch(rule, made("rm")).lacks
    assert rule.compile().uses_agent
    assert AllowOnly(tools=[{"agent": "x"}]).compile().uses_agent


def test_unless_before_excuses(made, watch):
    rule = AllowOnly(tools=["ask"], unless={"before": "ask"})
    assert watch(rule, made("ask"), made("rm")).silent
    assert watch(rule, made("rm"), made("ask")).fails
    assert rule.compile().deferred
    assert not rule.compile().per_call


def test_a_finding_goes_with_its_call(made, watch):
    assert watch(AllowOnly(tools=["search"]), made("rm")).drop("c1").silent


def test_the_bare_name_of_a_dispatcher_allows_nothing_of_what_it_ran(made, watch):
    assert watch(AllowOnly(tools=["exec"]), dispatched(made("exec:rm"), "rm")).fails
    assert watch(AllowOnly(tools=["exec:git"]), dispatched(made("exec:git"), "git")).silent
    assert watch(AllowOnly(tools=["exec"]), JudgedCall(made("exec"), names=("exec",))).silent


@pytest.mark.parametrize("allowed", ["exec", "exec:git", "exec:*", "*:git", "?xec"])
def test_what_a_dispatcher_ran_and_was_not_observed_cannot_be_checked(allowed, made, watch):
    watched = watch(AllowOnly(tools=[allowed]), dispatched(made("exec")))
    assert "dispatch" in watched.lacks
    assert not watched.fails


@pytest.mark.parametrize("allowed", ["*", "ex*", "exec*", ["search", "e?ec*"]])
def test_a_name_that_allows_whatever_was_run_allows_what_was_not_observed(allowed, made, watch):
    assert watch(AllowOnly(tools=[{"tool": allowed}]), dispatched(made("exec"))).silent


def test_a_selector_without_a_tool_allows_whatever_was_run(made, watch):
    call = dispatched(made("exec", agent="boss"))
    assert watch(AllowOnly(tools=[{"agent": "boss"}]), call).silent


def test_what_was_not_observed_does_not_matter_where_no_command_is_allowed(made, watch):
    assert watch(AllowOnly(tools=["search"]), dispatched(made("exec"))).fails


def test_the_clause_is_a_list_or_a_mapping():
    assert next(items(["a"])).data == {"tools": ["a"]}
    assert next(items({"tools": ["a"], "reason": "x"})).data == {"tools": ["a"], "reason": "x"}
    assert next(items(["a"])).id == "allow_only"
    with pytest.raises(MatcherError, match="list of selectors"):
        next(items("a"))


@pytest.mark.parametrize(
    ("tools", "path"), [([], ("tools",)), ([3], ("tools", 0)), (["a", {"x": 1}], ("tools", 1, "x"))]
)
def test_selectors_that_make_no_sense_are_errors_with_their_path(tools, path):
    with pytest.raises(MatcherError) as caught:
        AllowOnly(tools=tools).compile()
    assert path == caught.value.path
