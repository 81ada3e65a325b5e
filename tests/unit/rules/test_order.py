import pytest
from msgspec import structs

from toolscore_otel.matchers import JudgedCall, MatcherError
from toolscore_otel.model import FindingKind, Gap, Scope
from toolscore_otel.rules.order import Order, items

GET_FIRST = Order(first="get", then="pay", reason="ledger")
HIDING = [Gap.SPAN_LIMIT, Gap.FRAGMENT, Gap.TOOL_SPANS_MISSING]


@pytest.mark.parametrize(
    ("keys", "path", "says"),
    [
        ({}, (), "says nothing: give {first, then}, {never, after, until} or {sequence, mode"),
        ({"unless": "x"}, (), "says nothing"),
        ({"first": "x"}, (), "`first` needs `then` beside it"),
        ({"then": "x"}, (), "`then` needs `first` beside it"),
        ({"until": "x"}, (), "`until` needs `never` beside it"),
        ({"mode": "strict"}, (), "`mode` needs `sequence` beside it"),
        ({"first": "x", "then": "y", "until": "z"}, ("until",), "does not go with `first`"),
        ({"sequence": ["x"], "after": "y"}, ("sequence",), "does not go with `after`"),
        ({"sequence": []}, ("sequence",), "at least one"),
        ({"sequence": "x"}, ("sequence",), "a list of selectors"),
        ({"sequence": ["x"], "unless": "y"}, ("unless",), "excuses single calls"),
        ({"first": {"tol": "x"}, "then": "y"}, ("first", "tol"), "did you mean `tool`"),
        ({"first": "x", "then": {}}, ("then",), "needs at least one key"),
        ({"never": "x", "after": 3}, ("after",), "a selector must be"),
        ({"never": "x", "after": "y", "until": []}, ("until",), "a selector must be"),
        ({"sequence": ["x", {"args": None}]}, ("sequence", 1, "args"), "is null"),
        ({"sequence": ["x"], "among": ["y"]}, ("among",), "a selector must be"),
        ({"first": "x", "then": "y", "unless": {"tol": 1}}, ("unless", "tol"), "unknown key"),
        ({"never": "x", "after": "y", "unless": {"tol": 1}}, ("unless", "tol"), "unknown key"),
    ],
)
def test_a_rule_of_no_form_is_an_error(keys, path, says):
    with pytest.raises(MatcherError) as caught:
        Order(**keys).compile()
    assert path == caught.value.path
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("data", "path"), [("x", ()), ([], ()), (["x"], (0,)), ([{"first": "x"}, 3], (1,))]
)
def test_a_clause_that_lists_no_rules_is_an_error(data, path):
    with pytest.raises(MatcherError) as caught:
        list(items(data))
    assert path == caught.value.path


def test_items_are_named_by_their_place():
    found = list(items([{"first": "x", "then": "y"}, {"sequence": ["x"]}]))
    assert [item.id for item in found] == ["order.1", "order.2"]
    assert [item.path for item in found] == [(0,), (1,)]


@pytest.mark.parametrize(
    ("keys", "tools", "uses_agent"),
    [
        ({"first": "x", "then": "y"}, None, False),
        ({"first": {"agent": "x"}, "then": "y"}, None, True),
        ({"first": "x", "then": {"agent": "y"}}, None, True),
        ({"first": "x", "then": "y", "unless": {"agent": "z"}}, None, True),
        ({"never": "x", "after": "y"}, None, False),
        ({"never": "x", "after": "y", "until": {"agent": "z"}}, None, True),
        ({"never": "x", "after": "y", "unless": {"before": {"agent": "z"}}}, None, True),
        ({"sequence": ["x", {"tool": ["y", "z"]}]}, {"x", "y", "z"}, False),
        ({"sequence": ["x", "y*"]}, None, False),
        ({"sequence": ["x"], "mode": "strict"}, None, False),
        ({"sequence": ["x"], "mode": "strict", "among": {"tool": ["x", "y"]}}, {"x", "y"}, False),
        ({"sequence": ["x"], "among": {"agent": "y"}}, {"x"}, True),
    ],
)
def test_a_rule_knows_what_it_is_about(keys, tools, uses_agent):
    compiled = Order(scope=Scope.AGENT, **keys).compile()
    assert compiled.tools == tools
    assert compiled.uses_agent is uses_agent
    assert compiled.scope is Scope.AGENT
    assert compiled.deferred is ("sequence" not in keys)
    assert compiled.without_calls is ("sequence" in keys)


def test_a_call_without_what_must_come_before_it_is_a_finding_on_that_call(made, watch):
    (verdict,) = watch(GET_FIRST, made("pay"), made("get")).fails
    assert FindingKind.ORDER_VIOLATED is verdict.kind
    assert verdict.call.key == "c1"
    text = "`pay` was called, and no call of tool get was before it: ledger"
    assert text == verdict.explanation


def test_each_offending_call_is_a_finding_and_one_before_is_enough_for_all(made, watch):
    watched = watch(GET_FIRST, made("pay"), made("pay"))
    assert watched.failing == ["c1", "c2"]
    assert watched.put(made("get", at=0)).silent
    assert watched.drop("c3").failing == ["c1", "c2"]


def test_an_overlap_proves_nothing(made, watch):
    assert watch(GET_FIRST, made("get", at=0, took=50), made("pay", at=20)).failing == ["c2"]
    assert watch(GET_FIRST, made("get", at=0, took=20), made("pay", at=20)).silent


def test_what_was_not_observed_makes_it_uncertain(made, watch):
    rule = Order(first={"tool": "get", "args": {"id": 1}}, then="pay")
    (verdict,) = watch(rule, made("get"), made("pay")).unsure
    assert "needed a call of tool get, args id is 1 and had one before it" in verdict.explanation
    assert verdict.missing == ("arguments",)
    assert watch(rule, made("get"), made("get", {"id": 1}), made("pay")).silent
    assert {"times"} == watch(GET_FIRST, made("get", at=None), made("pay")).lacks
    unsure = Order(first="get", then={"tool": "pay", "args": {"id": 1}})
    assert {"arguments"} == watch(unsure, made("pay")).lacks
    assert watch(unsure, made("get"), made("pay")).silent


def test_calls_that_only_were_asked_for_need_it_too(made, watch):
    watched = watch(GET_FIRST, made("pay", stage="requested"))
    (verdict,) = watched.fails
    assert verdict.explanation.startswith("`pay` was asked for, and no call of tool get")


def test_a_request_before_it_may_have_run_unseen(made, watch):
    asked = made("get", stage="requested", took=0)
    assert {"spans"} == watch(GET_FIRST, asked, made("pay")).lacks
    assert watch(GET_FIRST, made("pay", at=5), made("get", stage="requested", took=0)).fails
    assert watch(GET_FIRST, made("look", stage="requested", took=0), made("pay")).fails
    assert watch(GET_FIRST, asked, made("get", at=12), made("pay", at=30)).silent
    narrow = Order(first={"tool": "get", "args": {"id": 1}}, then="pay")
    assert watch(narrow, made("get", {"id": 2}, stage="requested", took=0), made("pay")).fails


def test_requests_that_count_by_themselves_are_before_it_or_not(made, watch):
    rule = Order(first={"tool": "get", "stage": "requested"}, then="pay")
    assert watch(rule, made("get", stage="requested", took=0), made("pay")).silent
    assert watch(rule, made("get"), made("pay")).fails


@pytest.mark.parametrize("gap", HIDING)
def test_what_must_come_before_may_be_hidden(gap, made, watch):
    watched = watch(GET_FIRST, made("pay"))
    assert watched.fails
    watched.close([gap])
    assert {"spans"} == watched.lacks
    assert not watched.fails
    assert watched.put(made("pay")).lacks
    assert watched.close().failing == ["c1", "c2"]
    assert watched.drop("c1").failing == ["c2"]


def test_a_call_outside_of_every_invocation_is_judged_as_well(made, watch):
    watched = watch(GET_FIRST, made("pay"))
    assert watched.note(watched.state.close(None)).failing == ["c1"]


def test_what_could_not_be_checked_stays_so_at_closing(made, watch):
    rule = Order(first="get", then={"tool": "pay", "args": {"id": 1}})
    assert {"arguments"} == watch(rule, made("pay")).close([Gap.FRAGMENT]).lacks


def test_excused_calls_need_nothing(made, watch):
    rule = Order(first="get", then="pay", unless=[{"args": {"dry": True}}, {"before": "ok"}])
    assert watch(rule, made("pay", {"dry": True})).silent
    assert watch(rule, made("ok"), made("pay", {})).silent
    assert watch(rule, made("pay", {})).fails
    assert {"arguments"} == watch(rule, made("pay")).lacks


def test_a_finding_says_who_called_as_it_is_known_now(made, watch):
    judged = JudgedCall(made("pay"))
    watched = watch(GET_FIRST, judged)
    judged.call = structs.replace(judged.call, agent="desk")
    watched.state.renew(judged)
    (verdict,) = watched.note(watched.state.changes()).fails
    assert verdict.explanation.startswith("agent `desk` called `pay`")
    assert not watched.state.changes()
