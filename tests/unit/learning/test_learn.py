import pytest
from msgspec import structs

from toolscore_otel.contracts import load_text
from toolscore_otel.engine import Report, judge_calls
from toolscore_otel.learning import Learned, learn
from toolscore_otel.learning.proposal import rounded_up
from toolscore_otel.model import (
    CallKind,
    ContentState,
    Label,
    SpanStatus,
    Stage,
    ToolCall,
    Trajectory,
)
from toolscore_otel.secrets.samples import make_sample
from toolscore_otel.testing.made import make_call, make_span


def learned(hold, **options) -> Learned:
    found = learn(hold, **options)
    assert found is not None
    return found


def lines(found: Learned, clause: str) -> list[str]:
    """The lines of a clause, without its first."""
    block = next(part for part in found.text.split("\n\n") if part.startswith(f"{clause}:"))
    return [line.strip() for line in block.strip().split("\n")[1:]]


def telling(*trajectories: Trajectory):
    """What tells of traces, and finds nothing on them."""
    report = Report(trajectories=trajectories)
    return lambda contracts: report


def test_what_always_held_becomes_a_rule_with_its_evidence(trace, holding) -> None:
    calls = (("search", {"q": "kettle"}), ("get", {"id": "K-7"}), ("order", {"id": "K-7"}))
    found = learned(holding([trace(*calls) for _ in range(5)]), name="shop")
    assert found.text.startswith("# Proposed from 5 traces with 15 tool calls: ")
    assert found.contract.id == "shop"
    assert lines(found, "require") == [
        "- {tool: get}  # ran in 5 of 5 traces",
        "- {tool: order}  # ran in 5 of 5 traces",
        "- {tool: search}  # ran in 5 of 5 traces",
    ]
    assert lines(found, "order") == [
        "- {first: get, then: order}  # so in 5 of 5 traces with the second",
        "- {first: search, then: get}  # so in 5 of 5 traces with the second",
    ]
    assert lines(found, "limit")[0] == "- {tool: get, max: 3}  # at most 1 in one trace"
    assert lines(found, "loop")[0] == "same_call: 5  # never in 5 traces of at most 3 calls"
    assert lines(found, "budget") == [
        "- {of: trace, latency_ms: 20000}  # at most 10000; known of 5 of 5 traces"
    ]
    assert "arguments: {check: schema}" in found.text
    assert "applies_to: {service: test}  # the only service" in found.text
    assert "kettle" not in found.text


def test_few_traces_make_no_habits(trace, holding) -> None:
    traces = [trace("search", "get") for _ in range(4)]
    found = learned(holding(traces))
    assert "require:" not in found.text
    assert "order:" not in found.text
    assert "require:" in learned(holding(traces), min_traces=4).text


def test_what_did_not_always_hold_is_no_rule(trace, holding) -> None:
    traces = [trace("search", "get") for _ in range(5)]
    found = learned(holding([*traces, trace("get")]))
    assert lines(found, "require") == ["- {tool: get}  # ran in 6 of 6 traces"]
    assert "order:" not in found.text


def test_calls_that_overlap_prove_no_order(holding) -> None:
    traces = []
    for _ in range(5):
        agent = make_span(agent="desk", took_s=10)
        traces.append([
            agent,
            make_span("a", {}, parent=agent, took_s=2),
            make_span("b", {}, parent=agent, start_s=1),
        ])  # fmt: skip
    assert "order:" not in learned(holding(traces)).text


def test_arguments_that_were_not_observed_give_no_schema(trace, holding) -> None:
    found = learned(holding([trace("search", ("get", {"id": 1}))]))
    assert "  # 1 call in 1 trace; arguments not observed: no schema\n  search: {}\n" in found.text
    assert "  # 1 call in 1 trace; arguments observed in 1\n  get:\n" in found.text
    assert "arguments: {check: schema, tools: [get]}" in found.text


def test_arguments_that_are_no_object_give_no_schema(holding) -> None:
    agent = make_span(agent="desk")
    bad = make_span("patch", parent=agent, attributes={"gen_ai.tool.call.arguments": "*** Begin"})
    found = learned(holding([[agent, bad]]))
    assert "arguments are no JSON object in 1: no schema" in found.text
    assert "check: schema" not in found.text


def test_what_never_ran_or_always_failed_is_remarked_upon(holding) -> None:
    agent = make_span(agent="desk")
    failed = make_span("get_wether", {}, parent=agent, error="unknown", status=SpanStatus.ERROR)
    assert "every call failed\n" in learned(holding([[agent, failed]])).text
    asked = make_call("get_wether", {}, stage=Stage.REQUESTED)
    text = learned(telling(Trajectory(calls=(asked,)))).text
    assert "never seen to run: is there such a tool?" in text
    assert "limit:" not in text


def test_a_rule_that_does_not_hold_is_left_out_and_named(trace, holding) -> None:
    found = learned(holding([trace(*[("search", {"q": 1})] * 5)]))
    assert "# Left out: `loop` {same_call: 5}: does not hold in 1 of them." in found.text
    assert "  same_call: 5" not in found.text
    assert found.dropped == 1


def test_a_rule_that_could_be_checked_nowhere_is_left_out(trace, holding) -> None:
    found = learned(holding([trace(*["search"] * 5)]))
    assert "# Left out: `loop` {same_call: 5}: what it looks at was not observed." in found.text


def test_a_list_that_does_not_hold_is_named_without_repeating_it(trace, holding) -> None:
    hold = holding([trace("search")])
    report = hold((load_text("contract: x\nlanguage: 1\nallow_only: [other]\n")[0],))
    clean = hold(())

    def claims(contracts):
        text = any(rule.record.id == "allow_only" for c in contracts for rule in c.rules)
        return report if text else clean

    found = learned(claims)
    assert "# Left out: `allow_only`: does not hold in 1 of them." in found.text
    assert found.contract.rules


def test_it_ends_with_nothing_where_no_rule_holds(trace, holding) -> None:
    hold = holding([trace(("search", {"q": 1}), ("get", {"q": 1})) for _ in range(5)])
    some = hold((load_text("contract: x\nlanguage: 1\nforbid: ['*']\n")[0],)).findings[0]

    def fails(contracts):
        rules = [rule.record.id for contract in contracts for rule in contract.rules]
        findings = tuple(structs.replace(some, rule=rule) for rule in rules)
        return Report(trajectories=hold(()).trajectories, findings=findings)

    assert learn(fails) is None


def test_what_is_said_of_no_rule_and_what_was_corrected_changes_nothing(trace, holding) -> None:
    hold = holding([trace("search")])
    some = hold((load_text("contract: x\nlanguage: 1\nforbid: ['*']\n")[0],)).findings[0]
    gap = structs.replace(some, contract="", rule="limit.1")
    corrected = structs.replace(some, label=Label.PASS, rule="limit.1")
    unseen = structs.replace(some, label=Label.CANNOT_CHECK, rule="limit.1")

    def telling_more(contracts):
        return structs.replace(hold(()), findings=(gap, corrected))

    assert learned(telling_more).dropped == 0
    two = holding([trace("search"), trace("search")])
    assert learned(lambda _: structs.replace(two(()), findings=(unseen,))).dropped == 0


def test_where_no_tool_was_called_a_budget_is_learned() -> None:
    found = learned(telling(Trajectory(latency_s=2.0, service="desk")))
    assert "tools:" not in found.text
    assert [rule.record.id for rule in found.contract.rules] == ["budget.1"]


def test_nothing_is_learned_from_nothing(holding) -> None:
    assert learn(holding([])) is None
    assert learn(holding([[make_span()]])) is None


def test_a_tool_whose_name_is_a_secret_is_left_out(trace, holding) -> None:
    secret = make_sample("github_token_classic", 1)
    found = learned(holding([trace(secret, "search")]))
    assert secret not in found.text
    assert (
        "# Left out: 1 tool whose name looks like a secret, and with it `allow_only`." in found.text
    )
    assert "allow_only:" not in found.text


def test_a_key_of_arguments_that_is_a_secret_is_left_out(trace, holding) -> None:
    secret = make_sample("github_token_classic", 2)
    assert secret not in learned(holding([trace(("search", {secret: 1, "q": 1}))])).text


def test_the_service_is_named_only_where_it_is_the_only_one_and_has_a_name(holding) -> None:
    def text(*services: str | None) -> str:
        calls = [make_call("a", {}, service=service) for service in services]
        return learned(telling(*(Trajectory(calls=(c,), service=c.service) for c in calls))).text

    assert "applies_to: {service: desk}" in text("desk", "desk")
    assert "applies_to" not in text("desk", "shop")
    assert "applies_to" not in text("desk", None)
    assert "applies_to" not in text("unknown_service:python")
    assert 'applies_to: {service: "[*]"}' in text("*")


@pytest.mark.parametrize(
    "name",
    [
        "no",
        "a: b",
        "# x",
        "*",
        "a[1]",
        'say "hi"',
        "Delegate work",
        "größe",
        "🚀",
        "a\tb",
        "-",
        "1e3",
    ],
)
def test_a_tool_of_any_name_is_found_again(name: str) -> None:
    call = make_call(name, {"q": 1}, start_ns=1, end_ns=2, span_id="1", key="1")
    found = learned(telling(*[Trajectory(calls=(call,))] * 5))
    warned: list[object] = []
    (again,) = load_text(found.text, warn=warned.append)
    assert warned == []
    assert list(again.tools) == [name]
    failed = {f.rule for f in judge_calls(again, [call]) if f.label is Label.FAIL}
    assert failed == set()
    other = ToolCall(tool=f"{name}x", args={}, span_id="1", key="1")
    assert "allow_only" in {f.rule for f in judge_calls(again, [other]) if f.label is Label.FAIL}


@pytest.mark.parametrize("name", ["", "x" * 500, "a\ud800"])
def test_a_name_that_no_contract_can_hold_is_left_out(name: str) -> None:
    calls = (make_call(name, {}), make_call("search", {}))
    assert list(learned(telling(Trajectory(calls=calls))).contract.tools) == ["search"]


def test_an_incomplete_trace_is_no_evidence_for_habits() -> None:
    whole = Trajectory(calls=(make_call("a", {}), make_call("b", {})))
    cut = Trajectory(calls=(make_call("b", {}),), incomplete=True)
    assert "- {tool: a}  # ran in 5 of 5 traces" in learned(telling(*[whole] * 5, cut)).text
    assert "require:" not in learned(telling(*[cut] * 9)).text


def test_a_call_without_times_proves_no_order() -> None:
    calls = (make_call("a", {}), make_call("b", {}, start_ns=5, end_ns=6))
    assert "order:" not in learned(telling(*[Trajectory(calls=calls)] * 5)).text


def test_long_lines_are_broken() -> None:
    tool = "t" * 70
    args = {f"argument_number_{n}": {"inner": n} for n in range(5)}
    calls = (
        make_call(tool, args),
        make_call(tool + "2"),
        *(make_call(f"other_tool_{n}", {}) for n in range(9)),
    )
    found = learned(telling(Trajectory(calls=calls)))
    assert max(map(len, found.text.split("\n"))) <= 100
    assert f"  # at most 1 in one trace\n  - {{tool: {tool}, max: 3}}\n" in found.text
    assert found.contract.tools[tool].parameters["properties"]["argument_number_4"]


@pytest.mark.parametrize(
    ("value", "up"), [(0.00024, 0.00024), (0.000241, 0.00025), (1.01, 1.1), (99, 99), (101, 110), (1234, 1300)]
)  # fmt: skip
def test_budgets_are_rounded_up_to_two_digits(value: float, up: float) -> None:
    assert rounded_up(value) == up


def test_handoffs_are_no_tools_and_cut_arguments_give_no_schema() -> None:
    calls = (
        make_call("search", args_text='{"q": "ket', args_state=ContentState.TRUNCATED),
        make_call("to_billing", {}, kind=CallKind.HANDOFF),
    )
    found = learned(telling(Trajectory(calls=calls)))
    assert "  # 1 call in 1 trace; arguments not observed: no schema\n  search: {}\n" in found.text
    assert "to_billing" not in found.text
