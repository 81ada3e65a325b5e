"""Every rule says what a few plain lines say that were written straight from the contract language.

Calls come in any order, some twice and some changed in between; the plain lines look at the whole list at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

from hypothesis import example, given, strategies as st
from msgspec import structs

from toolscore_otel.engine.presenting import Presenting
from toolscore_otel.matchers import Answer, JudgedCall, before
from toolscore_otel.model import ContentState, Label, Stage, Status, ToolCall, Trajectory
from toolscore_otel.rules import RunContext, Verdict
from toolscore_otel.rules.budget import Budget
from toolscore_otel.rules.forbid import Forbid
from toolscore_otel.rules.limit import Limit
from toolscore_otel.rules.loop import Loop
from toolscore_otel.rules.order import Order
from toolscore_otel.rules.require import Require
from toolscore_otel.rules.sequence import Mode

KNOWN = ContentState.OBSERVED


def one_call(
    *,
    tool: str,
    args: int | None,
    result: int | None,
    status: Status,
    stage: Stage,
    times: tuple[int | None, int | None],
    cost_usd: float | None,
) -> ToolCall:
    start, took = times
    return ToolCall(
        tool=tool,
        args=None if args is None else {"q": args},
        result=result,
        status=status,
        stage=stage,
        start_ns=start,
        end_ns=None if start is None or took is None else start + took,
        cost_usd=cost_usd,
    )


ran = st.just(Stage.EXECUTED)
at_any_time = st.tuples(
    st.one_of(st.none(), st.integers(0, 6)), st.one_of(st.none(), st.integers(0, 3))
)
any_calls = st.builds(
    one_call,
    tool=st.sampled_from(["a", "b"]),
    args=st.sampled_from([None, 1, 2]),
    result=st.sampled_from([None, 1, 2]),
    status=st.sampled_from(Status),
    stage=st.sampled_from([Stage.EXECUTED, Stage.EXECUTED, Stage.REQUESTED]),
    times=at_any_time,
    cost_usd=st.sampled_from([None, 0.1, 0.2]),
)


def keyed(calls: Sequence[ToolCall]) -> list[ToolCall]:
    return [
        structs.replace(call, key=str(n), position=n, agent="desk", invocation_id="i")
        for n, call in enumerate(calls)
    ]


lists = st.lists(any_calls, max_size=7).map(keyed)


def in_order(calls: Iterable[ToolCall]) -> list[ToolCall]:
    late = 1 << 63
    return sorted(
        calls, key=lambda c: (late if c.start_ns is None else c.start_ns, c.position, c.key)
    )


def stands(rule: Any, calls: Sequence[ToolCall], data: st.DataObject) -> dict[str, Verdict]:
    """The verdicts that stand once the calls were put in any order, some dropped and put again, some changed before."""
    state = rule.compile().start(RunContext(None, Presenting([])))
    found: dict[str, Verdict | None] = {}
    for call in data.draw(st.permutations(calls), "order of arrival"):
        if data.draw(st.booleans(), "known otherwise before"):
            state.put(JudgedCall(structs.replace(data.draw(any_calls), key=call.key)))
            if data.draw(st.booleans(), "said in between"):
                found |= state.changes()
            state.drop(call.key)
        judged = JudgedCall(call)
        if data.draw(st.booleans(), "agent known later"):
            judged.call = structs.replace(call, agent=None, invocation_id=None)
            state.put(judged)
            if data.draw(st.booleans(), "said without agent"):
                found |= state.changes()
            judged.call = call
            state.renew(judged)
        else:
            state.put(judged)
        if data.draw(st.booleans(), "said"):
            found |= state.changes()
    found |= state.changes()
    found |= state.close(Trajectory())
    standing = {subject: verdict for subject, verdict in found.items() if verdict is not None}
    about = [c for v in standing.values() for c in (v.call, v.first, v.last) if c is not None]
    assert all(call.agent == "desk" for call in about)
    return standing


def labels(found: dict[str, Verdict]) -> dict[str, Label]:
    return {subject: verdict.label for subject, verdict in found.items()}


def ask(call: ToolCall, tool: str = "a") -> Answer:
    """Whether a call is of this tool with the argument 1."""
    if call.tool != tool:
        return Answer.NO
    if call.args is None:
        return Answer.UNKNOWN
    return Answer.YES if call.args == {"q": 1} else Answer.NO


@given(lists, st.data())
def test_forbid_judges_each_call_by_itself(calls, data):
    words = {Answer.YES: Label.FAIL, Answer.UNKNOWN: Label.CANNOT_CHECK}
    expected = {c.key: words[ask(c)] for c in calls if ask(c) is not Answer.NO}
    assert expected == labels(stands(Forbid(tool="a", args={"q": 1}), calls, data))


@given(lists, st.data())
def test_unless_before_excuses_where_some_call_is_before(calls, data):
    rule = Forbid(tool="a", unless={"before": {"tool": "b", "args": {"q": 1}}})
    expected = {}
    for call in calls:
        earlier = [
            (ask(other, "b"), before(other, call))
            for other in calls
            if other is not call and other.stage is Stage.EXECUTED
        ]
        sure = any(pair == (Answer.YES, Answer.YES) for pair in earlier)
        may = any(Answer.NO not in pair for pair in earlier)
        if call.tool == "a" and not sure:
            expected[call.key] = Label.CANNOT_CHECK if may else Label.FAIL
    assert expected == labels(stands(rule, calls, data))


def counted(calls: Iterable[ToolCall]) -> tuple[list[ToolCall], int]:
    """The calls that count, in order, and how many might."""
    run = [call for call in in_order(calls) if call.stage is Stage.EXECUTED]
    return (
        [call for call in run if ask(call) is Answer.YES],
        sum(ask(call) is Answer.UNKNOWN for call in run),
    )


@given(lists, st.integers(0, 3), st.data())
def test_limit_counts(calls, most, data):
    found = stands(Limit(tool="a", args={"q": 1}, max=most), calls, data)
    sure, maybe = counted(calls)
    if len(sure) > most:
        (verdict,) = found.values()
        assert verdict.label is Label.FAIL
        assert (verdict.call, verdict.count) == (sure[most], len(sure))
        assert (verdict.first, verdict.last) == (sure[0], sure[-1])
    elif len(sure) + maybe > most:
        assert list(labels(found).values()) == [Label.CANNOT_CHECK]
        assert [maybe] == [verdict.count for verdict in found.values()]
    else:
        assert found == {}


@given(lists, st.integers(0, 3), st.integers(0, 3), st.data())
def test_require_counts(calls, least, more, data):
    rule = Require(tool="a", args={"q": 1}, min=least, max=least + more)
    sure, maybe = counted(calls)
    asked = sum(c.stage is Stage.REQUESTED and ask(c) is not Answer.NO for c in calls)
    expected = {}
    if len(sure) < least:
        helps = len(sure) + maybe + asked >= least
        expected["missing_call"] = Label.CANNOT_CHECK if helps else Label.FAIL
    if len(sure) > least + more:
        expected["limit_exceeded"] = Label.FAIL
    elif len(sure) + maybe > least + more:
        expected["limit_exceeded"] = Label.CANNOT_CHECK
    assert expected == labels(stands(rule, calls, data))


@given(lists, st.sampled_from([1, 2, 4]), st.data())
def test_budget_of_tool_adds_times(calls, limit, data):
    found = labels(stands(Budget(of="tool", tool="a", latency_ms=limit / 1e6), calls, data))
    took = [
        None if None in (c.start_ns, c.end_ns) else (c.end_ns or 0) - (c.start_ns or 0)
        for c in calls
        if c.tool == "a" and c.stage is Stage.EXECUTED
    ]
    known = [each for each in took if each is not None]
    if sum(known) > limit:
        assert found == {"latency_ms": Label.FAIL}
    elif len(known) < len(took):
        assert found == {"latency_ms": Label.CANNOT_CHECK}
    else:
        assert found == {}


@given(lists, st.sampled_from([0.0, 0.1, 0.3]), st.data())
def test_budget_of_tool_adds_what_costs_are_known(calls, limit, data):
    found = labels(stands(Budget(of="tool", tool="a", cost_usd=limit), calls, data))
    costs = [c.cost_usd for c in calls if c.tool == "a" and c.stage is Stage.EXECUTED]
    known = [round(10 * cost) for cost in costs if cost is not None]
    if sum(known) > round(10 * limit):
        assert found == {"cost_usd": Label.FAIL}
    elif costs and not known:
        assert found == {"cost_usd": Label.CANNOT_CHECK}
    else:
        assert found == {}


Run = tuple[int, int, int, bool]
"""Places of the first call and of the completing one, the number of calls, and whether all that is needed was observed."""


def naive_runs(
    calls: Sequence[ToolCall], need: int, window: int, *, by_result: bool
) -> list[tuple[Run, set[int]]]:
    """The runs of repetition among calls in order, and which calls are in each.

    Args:
        by_result: equal results repeat; else failures do, and a success ends the run.
    """
    runs: list[list[int]] = []
    done: list[int] = []
    sure: list[bool] = []
    run_of: dict[int, int] = {}
    for place in range(len(calls)):
        row = row_to(calls, place, window, by_result=by_result)
        if len(row) < need:
            continue
        mine = run_of.get(row[1])
        if mine is not None and by_result:
            results = {calls[p].result for p in (*runs[mine], place)} - {None}
            mine = mine if len(results) < 2 else None
        if mine is None:
            mine = len(runs)
            runs.append(sorted(row)[:-1])
            done.append(place)
            sure.append(False)
        runs[mine].append(place)
        run_of[place] = mine
        observed = all(calls[p].result is not None for p in row[:need])
        sure[mine] = sure[mine] or observed or not by_result
    return [
        ((run[0], end, len(run), is_sure), set(run))
        for run, end, is_sure in zip(runs, done, sure, strict=True)
    ]


def row_to(calls: Sequence[ToolCall], place: int, window: int, *, by_result: bool) -> list[int]:
    """The repetitions of one call up to itself, the newest first; empty where it is none."""
    call, row = calls[place], []
    seen: set[Any] = set()
    for at in range(place, max(-1, place - window), -1):
        other = calls[at]
        if other.tool != call.tool:
            continue
        if other.args_state is not KNOWN:
            break
        if other.args != call.args:
            continue
        if by_result:
            seen |= {other.result} - {None}
            if len(seen) > 1:
                break
        elif other.status is not Status.ERROR or other.stage is Stage.REQUESTED:
            break
        row.append(at)
    return row


@given(lists, st.integers(2, 3), st.integers(2, 5), st.data())
def test_same_call_finds_runs(calls, n, window, data):
    found = stands(Loop(key="same_call", n=n, window=window), calls, data)
    check(found, in_order(calls), naive_runs(in_order(calls), n, window, by_result=True))


@given(lists, st.integers(1, 2), st.integers(2, 5), st.data())
def test_retry_after_error_finds_runs(calls, n, window, data):
    found = stands(Loop(key="retry_after_error", n=n, window=window), calls, data)
    check(found, in_order(calls), naive_runs(in_order(calls), n + 1, window, by_result=False))


def check(
    found: dict[str, Verdict], calls: Sequence[ToolCall], runs: list[tuple[Run, set[int]]]
) -> None:
    expected = {
        calls[first].key: (calls[done].key, count, not is_sure)
        for (first, done, count, is_sure), _ in runs
    }
    fails = {s: v for s, v in found.items() if v.label is Label.FAIL}
    assert expected == {s: (v.call and v.call.key, v.count, v.lowered) for s, v in fails.items()}


few = st.lists(
    st.builds(
        one_call,
        tool=st.just("a"),
        args=st.sampled_from([None, 1, 2]),
        result=st.sampled_from([None, 1, 2]),
        status=st.sampled_from(Status),
        stage=ran,
        times=st.just((None, None)),
        cost_usd=st.none(),
    ),
    max_size=5,
).map(keyed)


@given(few, st.integers(2, 3))
@example(keyed([ToolCall(tool="a", args={"q": 1}, result=1)] * 3), 2)
def test_same_call_cannot_check_where_some_arguments_would_complete_a_run(calls, n):
    rule = Loop(key="same_call", n=n)
    assert hides(rule, calls) is could_hide(calls, n, by_result=True)


@given(few, st.integers(1, 2))
def test_retries_cannot_be_checked_where_some_end_would_complete_a_run(calls, n):
    rule = Loop(key="retry_after_error", n=n)
    assert hides(rule, calls) is could_hide(calls, n + 1, by_result=False)


def hides(rule: Loop, calls: Sequence[ToolCall]) -> bool:
    state = rule.compile().start(RunContext(None, Presenting([])))
    for call in calls:
        state.put(JudgedCall(call))
    state.changes()
    return any(verdict is not None for verdict in state.close(Trajectory()).values())


def could_hide(calls: Sequence[ToolCall], need: int, *, by_result: bool) -> bool:
    """Whether some way to fill in what was not observed gives a run of which no call is in one that is known."""
    runs = naive_runs(calls, need, 30, by_result=by_result)
    known = {place for _, members in runs for place in members}
    for ways in product(*(fillings(c, n, by_result=by_result) for n, c in enumerate(calls))):
        for _, members in naive_runs(ways, need, 30, by_result=by_result):
            if not members & known:
                return True
    return False


def fillings(call: ToolCall, number: int, *, by_result: bool) -> list[ToolCall]:
    args = [call.args] if call.args is not None else [{"q": 1}, {"q": 2}, {"q": 3}, {"q": -number}]
    statuses = [call.status]
    if call.status is Status.UNKNOWN and not by_result:
        statuses = [Status.OK, Status.ERROR]
    return [
        structs.replace(call, args=given_args, args_state=KNOWN, status=status)
        for given_args, status in product(args, statuses)
    ]


def violates_flow(x: ToolCall, calls: Sequence[ToolCall]) -> bool:
    """Whether `{never: a, after: b, until: b}` is broken by a call, each with other arguments, all of it observed."""
    others = [c for c in calls if c is not x and c.tool == "b" and c.stage is Stage.EXECUTED]
    sources = [y for y in others if y.args == {"q": 1} and before(y, x) is Answer.YES]
    ends = [z for z in others if z.args == {"q": 2} and before(z, x) is Answer.YES]
    return any(all(before(y, z) is Answer.NO for z in ends) for y in sources)


def violates_first(x: ToolCall, calls: Sequence[ToolCall]) -> bool:
    """Whether `{first: b, then: a}` is broken by a call, all of it observed."""
    return not any(
        ask(y, "b") is Answer.YES and before(y, x) is Answer.YES
        for y in calls
        if y is not x and y.stage is Stage.EXECUTED
    )


FLOW = Order(
    never={"tool": "a", "args": {"q": 1}},
    after={"tool": "b", "args": {"q": 1}},
    until={"tool": "b", "args": {"q": 2}},
)
FIRST = Order(first={"tool": "b", "args": {"q": 1}}, then={"tool": "a", "args": {"q": 1}})
seen_calls = st.lists(
    st.builds(
        one_call,
        tool=st.sampled_from(["a", "b"]),
        args=st.sampled_from([1, 2]),
        result=st.none(),
        status=st.just(Status.OK),
        stage=ran,
        times=st.tuples(st.integers(0, 6), st.integers(0, 3)),
        cost_usd=st.none(),
    ),
    max_size=6,
).map(keyed)


@given(st.sampled_from([(FLOW, violates_flow), (FIRST, violates_first)]), seen_calls, st.data())
def test_order_judges_each_call_by_what_is_before_it(form, calls, data):
    rule, violates = form
    broken = {x.key: Label.FAIL for x in calls if ask(x) is Answer.YES and violates(x, calls)}
    assert broken == labels(stands(rule, calls, data))


def unseen(call: ToolCall, data: st.DataObject) -> ToolCall:
    """The same call, of which not all was observed."""
    hides = data.draw(st.sets(st.sampled_from(["args", "start_ns", "end_ns"])), call.key)
    state = ContentState.NOT_OBSERVED if "args" in hides else call.args_state
    return structs.replace(call, **dict.fromkeys(hides), args_state=state)


def said_of(rule: Order, calls: Sequence[ToolCall], data: st.DataObject) -> dict[str, Label]:
    found = labels(stands(rule, calls, data))
    return {call.key: found.get(call.key, Label.PASS) for call in calls} | found


@given(st.sampled_from([FLOW, FIRST]), seen_calls, st.data())
def test_order_says_nothing_that_what_was_not_observed_would_turn(rule, calls, data):
    blurred = [unseen(call, data) for call in calls]
    found, right = said_of(rule, blurred, data), said_of(rule, calls, data)
    assert all(label in (Label.CANNOT_CHECK, right[key]) for key, label in found.items())


@given(st.sampled_from(Mode), seen_calls, st.data())
def test_a_sequence_says_the_same_in_whatever_order_calls_come(mode, calls, data):
    listed = [{"tool": "b", "args": {"q": 1}}, "a", {"tool": "a", "args": {"q": 2}}]
    rule = Order(sequence=listed, mode=mode)
    blurred = [unseen(call, data) for call in calls]
    found = stands(rule, blurred, data)
    assert found == stands(rule, blurred, data)
    right = stands(rule, calls, data)
    assert not found or {Label.CANNOT_CHECK} == {*labels(found).values()} or right
    assert found or not right
