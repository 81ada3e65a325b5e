import pytest
from msgspec import structs

from toolscore_otel.gate.choice import CHOICE_SCORES, choice_scores, mean_of_known
from toolscore_otel.model import CallKind, ContentState, Gap, Stage, ToolCall, Trajectory

LOOKUP = {"tool": "lookup", "args": {"id": "O-1"}}


def call(tool, args=None, at=0, **more):
    return ToolCall(tool=tool, args=args, key=f"{tool}{at}", start_ns=at, end_ns=at, **more)


def run(*calls, **more):
    return Trajectory(trace_id="t", calls=calls, scenario="refund", **more)


RIGHT, OTHER_ARGS, WRONG = (
    call("lookup", {"id": "O-1"}),
    call("lookup", {"id": "O-2"}),
    call("search", {}),
)


@pytest.mark.parametrize(
    ("calls", "tool", "args"),
    [
        ((RIGHT,), 1.0, 1.0),
        ((OTHER_ARGS,), 1.0, 0.0),
        ((WRONG,), 0.0, 0.0),
        ((), 0.0, 0.0),
        ((RIGHT, call("search", {}, at=1)), 1.0, 1.0),
        ((WRONG, call("lookup", {"id": "O-1"}, at=1)), 0.0, 0.0),
        ((call("lookup", {"id": "O-1", "more": 1}),), 1.0, 1.0),
        ((call("lookup"),), 1.0, None),
        ((call("lookup", args_state=ContentState.TRUNCATED, args_text='{"id": "O-'),), 1.0, None),
    ],
)
def test_the_first_call_decides(expecting, calls, tool, args):
    scores = choice_scores(expecting({"calls": [LOOKUP]}), run(*calls))
    assert {name: scores[name] for name in CHOICE_SCORES} == {
        "right_tool": tool,
        "right_args": args,
        "calls_per_task": len(calls),
    }


def test_each_argument_of_the_right_tool_has_a_score_of_its_own(expecting):
    wanted = {"tool": "lookup", "args": {"id": "O-1", "limit": 3, "to.city": "Ulm"}}
    contract = expecting({"calls": [wanted]})

    def fields(*calls):
        scores = choice_scores(contract, run(*calls))
        return {name.partition(".")[2]: value for name, value in scores.items() if "." in name}

    assert fields(call("lookup", {"id": "O-1", "limit": 4})) == {"id": 1.0, "limit": 0.0, "to.city": 0.0}  # fmt: skip
    assert fields(call("lookup")) == {"id": None, "limit": None, "to.city": None}
    assert fields(WRONG, call("lookup", {"id": "O-1"}, at=1)) == {}
    assert fields() == {}


def test_of_rules_that_expect_the_same_argument_the_mean_counts(expecting):
    contract = expecting({"calls": [LOOKUP]}, {"calls": [{"tool": "lookup", "args": {"id": "O-2"}}]})  # fmt: skip

    assert choice_scores(contract, run(RIGHT))["right_args.id"] == 0.5


def test_arguments_that_a_matcher_describes_as_a_whole_have_no_names(expecting):
    contract = expecting({"calls": [{"tool": "lookup", "args": {"$not": {"id": "O-9"}}}]})

    assert sorted(choice_scores(contract, run(RIGHT))) == sorted(CHOICE_SCORES)


@pytest.mark.parametrize(("calls", "score"), [((), 1.0), ((WRONG,), 0.0)])
def test_where_nothing_is_expected_no_call_is_the_right_choice(expecting, calls, score):
    scores = choice_scores(expecting({"calls": []}), run(*calls))
    assert (scores["right_tool"], scores["right_args"]) == (score, score)


@pytest.mark.parametrize(("order", "right"), [("in_order", 0.0), ("strict", 0.0), ("any_order", 1.0), ("superset", 1.0), ("subset", 1.0)])  # fmt: skip
def test_which_call_may_come_first_follows_from_the_order(expecting, order, right):
    contract = expecting({"calls": [LOOKUP, "refund"], "order": order})
    scores = choice_scores(contract, run(call("refund", {}), call("lookup", {"id": "O-1"}, at=1)))
    assert (scores["right_tool"], scores["right_args"]) == (right, right)


def test_of_two_that_may_come_first_the_one_with_these_arguments_counts(expecting):
    entries = [{"tool": "lookup", "args": {"id": n}} for n in ("O-1", "O-2")]
    contract = expecting({"calls": entries, "order": "any_order"})
    assert choice_scores(contract, run(OTHER_ARGS))["right_args"] == 1.0


def test_a_tool_that_was_chosen_and_not_seen_to_run_was_chosen(expecting):
    asked = structs.replace(RIGHT, stage=Stage.REQUESTED)
    scores = choice_scores(expecting({"calls": [LOOKUP]}), run(asked))
    assert [scores[name] for name in CHOICE_SCORES] == [1.0, 1.0, 1.0]


def test_a_request_may_be_what_is_expected(expecting):
    contract = expecting({"calls": [{"tool": "lookup", "stage": "requested"}]})
    asked = structs.replace(RIGHT, stage=Stage.REQUESTED)
    assert choice_scores(contract, run(asked))["right_tool"] == 1.0
    assert choice_scores(contract, run(RIGHT))["right_tool"] == 0.0


def test_which_of_several_was_first_is_unknown_without_times_unless_all_say_the_same(expecting):
    contract = expecting({"calls": [LOOKUP]})
    untimed = [structs.replace(one, start_ns=None, end_ns=None) for one in (RIGHT, WRONG, RIGHT)]

    assert choice_scores(contract, run(*untimed[:2]))["right_tool"] is None
    assert choice_scores(contract, run(RIGHT, untimed[1]))["right_tool"] is None
    assert choice_scores(contract, run(untimed[0], untimed[2]))["right_tool"] == 1.0
    assert choice_scores(contract, run(untimed[1]))["right_tool"] == 0.0


@pytest.mark.parametrize("gap", [Gap.SPAN_LIMIT, Gap.FRAGMENT, Gap.TOOL_SPANS_MISSING])
def test_where_calls_may_be_hidden_nothing_is_known(expecting, gap):
    scores = choice_scores(expecting({"calls": []}), run(gaps=(gap,)))
    assert scores == {"right_tool": None, "right_args": None, "calls_per_task": None}


def test_names_are_those_of_the_registry_and_other_kinds_of_calls_are_none(expecting):
    contract = expecting({"calls": ["lookup"]}, tools={"lookup": {"aliases": ["mcp__*__lookup"]}})
    handoff = call("transfer_to_desk", {}, kind=CallKind.HANDOFF)
    scores = choice_scores(contract, run(handoff, call("mcp__shop__lookup", {}, at=1)))
    assert (scores["right_tool"], scores["calls_per_task"]) == (1.0, 1.0)


def test_calls_that_the_contract_does_not_see_do_not_count(expecting):
    contract = expecting({"calls": ["lookup"]}, applies_to={"service": "shop"})
    seen, other = (call("lookup", {}, at=n, service=s) for n, s in enumerate(("shop", "bank")))
    assert choice_scores(contract, run(other, seen))["calls_per_task"] == 1.0


def test_an_expected_agent_is_unknown_where_no_agent_is_named_at_all(expecting):
    contract = expecting({"calls": [{"tool": "lookup", "agent": "desk"}]})
    named = structs.replace(call("search", {}, at=1), agent="desk")

    assert choice_scores(contract, run(RIGHT))["right_tool"] is None
    assert choice_scores(contract, run(RIGHT, named))["right_tool"] == 0.0
    assert choice_scores(contract, run(structs.replace(RIGHT, agent="desk")))["right_tool"] == 1.0


@pytest.mark.parametrize(
    "rule",
    [
        {"calls": [LOOKUP], "when": {"scenario": "other"}},
        {"calls": [LOOKUP], "shadow": True},
        {"calls": [LOOKUP], "scope": "session"},
        {"min": {"required_recall": 0.5}},
    ],
)
def test_a_rule_that_expects_no_calls_of_this_run_gives_no_scores(expecting, rule):
    assert choice_scores(expecting(rule), run(RIGHT)) == {}


def test_other_rules_expect_nothing(expecting):
    contract = expecting({"calls": [LOOKUP]}, forbid=["shell"])
    assert choice_scores(contract, run(RIGHT))["right_tool"] == 1.0


def test_several_rules_give_the_mean_of_what_is_known(expecting):
    contract = expecting({"calls": [LOOKUP]}, {"calls": ["search"]})
    assert choice_scores(contract, run(RIGHT))["right_tool"] == 0.5
    assert choice_scores(contract, run(call("lookup")))["right_args"] == 0.0
    assert mean_of_known([None, None]) is None
