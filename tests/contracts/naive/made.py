"""Random contracts as plain data, and random calls, over small alphabets."""

from typing import Any

from hypothesis import strategies as st

from toolscore_otel.conventions.content import arguments
from toolscore_otel.model import CallKind, ContentState, CostSource, Stage, Status, ToolCall

MS = 1_000_000
TOOLS: dict[str, Any] = {
    "a": {
        "cost_usd": 0.4,
        "labels": ["in"],
        "timeout_ms": 2,
        "parameters": {"type": "object", "required": ["q"], "properties": {"q": {"enum": [1]}}},
    },
    "b": {"aliases": ["bb"], "labels": ["out"], "mutating": True, "fails_when": 2},
    "p": {"polling": True, "labels": ["human_approval"], "cost_usd": {"per_second": 100}},
    "exec": {"name_from": "args.q", "labels": ["sh"]},
    "exec:git": {"labels": ["out"], "mutating": True},
}
VALUES: list[Any] = [
    1,
    {"$any": True},
    {"$exists": False},
    {"$exists": True},
    {"$not": 1},
    {"$gt": 1},
    {"$one_of": [1, "git push"]},
    {"$type": "string"},
    {"$or": [1, {"$regex": "git"}]},
    {"$all": [{"$ge": 1}, {"$lt": 2}]},
    {"$between": [1, 2]},
    {"$contains": "git"},
    {"$glob": "git*"},
]
ARGS: list[Any] = [{}, {"q": 1}, {"q": 2}, {"q": 1, "r": 1}, {"q": "git push"}]
CUT = '{"q": 1, "'


def mappings(required: dict[str, Any], optional: dict[str, Any], most: int = 1) -> Any:
    """Mappings with these keys, and at most so many of the optional ones."""
    names = st.lists(st.sampled_from(sorted(optional)), max_size=most, unique=True)
    return names.flatmap(
        lambda chosen: st.fixed_dictionaries(required | {name: optional[name] for name in chosen})
    )


tools = st.sampled_from(["a", "a", "*", "*", "b", "bb", "p", "exec", "exec:git", ["a", "b"]])
matchers = st.sampled_from(VALUES)
_keys = {
    "label": st.sampled_from(["in", "out", ["in", "sh"]]),
    "mutating": st.booleans(),
    "args": st.one_of(st.just({}), st.fixed_dictionaries({"q": matchers})),
    "result": matchers,
    "status": st.sampled_from(["ok", "error", "unknown", ["ok", "error"]]),
    "agent": st.sampled_from(["x", "*", "[xy]"]),
    "kind": st.sampled_from(["handoff", ["tool", "handoff"]]),
    "latency_ms": st.sampled_from([{"$gt": 1}, {"$le": 1}]),
}
_stage = {"stage": st.sampled_from(["executed", "requested", "any"])}
selectors = mappings({"tool": tools}, _keys | _stage)
ran = mappings({"tool": tools}, _keys)
"""Selectors of calls that ran."""
plain = st.sampled_from(["a", "b", {"tool": "a", "args": {"q": 1}}, {"tool": "a", "status": "ok"}])
unless = st.one_of(ran, st.fixed_dictionaries({"before": st.one_of(plain, ran)}))


def excused(item: Any) -> Any:
    """The same, sometimes with `unless`."""
    return st.tuples(item, st.one_of(st.none(), st.none(), unless)).map(
        lambda pair: pair[0] if pair[1] is None else {**pair[0], "unless": pair[1]}
    )


def listed(item: Any) -> Any:
    return st.lists(item, min_size=1, max_size=2)


numbers = st.integers(0, 2)
by = st.one_of(
    st.fixed_dictionaries({"before": st.one_of(plain, ran)}),
    st.fixed_dictionaries({"within_ms": st.integers(0, 6)}),
)
requires = st.one_of(
    st.builds(lambda s, n: {**s, "min": n}, selectors, st.integers(1, 3)),
    st.builds(lambda s, n, m: {**s, "min": n, "max": n + m}, ran, numbers, numbers),
    st.builds(lambda s, n, w: {**s, "min": n, "by": w}, ran, st.integers(1, 2), by),
    st.builds(lambda s, w: {**s, "if": w}, ran, st.one_of(plain, ran)),
)
one_of_two = st.sampled_from(
    ["a", "b", "*", {"tool": "a", "status": "ok"}, {"tool": "*", "args": {"q": 1}}]
)
firsts = excused(
    st.fixed_dictionaries(
        {"first": st.one_of(one_of_two, ran), "then": st.one_of(one_of_two, selectors)}
    )
)
flows = excused(
    mappings(
        {
            "never": st.one_of(one_of_two, selectors),
            "after": st.one_of(one_of_two, one_of_two, ran),
        },
        {"until": st.one_of(one_of_two, one_of_two, ran)},
    )
)
sequences = mappings(
    {
        "sequence": st.lists(st.one_of(plain, plain, ran), min_size=1, max_size=3),
        "mode": st.sampled_from(["strict", "in_order", "any_order", "superset", "subset"]),
    },
    {"among": ran},
)
limits = excused(st.builds(lambda s, n: {**s, "max": n}, selectors, numbers))
windows = excused(
    st.builds(
        lambda s, n, w: {**s, "max": n, "per": w},
        selectors,
        numbers,
        st.sampled_from(["1ms", "3ms"]),
    )
)
sums = excused(
    st.builds(
        lambda s, n, w, path: {**s, "max": n, w: path},
        ran,
        st.integers(0, 4),
        st.sampled_from(["sum", "distinct"]),
        st.sampled_from(["q", "args.q", "r"]),
    )
)
loops = mappings(
    {"n": st.integers(2, 3)},
    {"window": st.integers(4, 9), "ignore": listed(ran), "only": listed(ran), "unless": unless},
    1,
)
budgets_of_calls = excused(
    st.builds(
        lambda s, more: {"of": "call", **{k: v for k, v in s.items() if k != "latency_ms"}, **more},
        ran,
        mappings({"latency_ms": numbers}, {"cost_usd": st.sampled_from([0.2, 0.5])}),
    )
)
budgets_of_tools = excused(
    st.builds(
        lambda s, more: {"of": "tool", **{k: v for k, v in s.items() if k != "latency_ms"}, **more},
        ran,
        mappings({"latency_ms": st.integers(0, 5)}, {"cost_usd": st.sampled_from([0.2, 0.7])}),
    )
)
budgets_of_all = mappings(
    {"of": st.sampled_from(["trace", "agent", "session"])},
    {
        "latency_ms": st.integers(0, 9),
        "active_ms": st.integers(0, 9),
        "cost_usd": st.sampled_from([0.2, 0.7]),
        "calls": st.integers(0, 4),
    },
    4,
).filter(lambda item: len(item) > 1)
expected = mappings({"tool": st.sampled_from(["a", "b"])}, {"args": st.just({"q": 1})})
expectations = mappings(
    {"calls": st.lists(expected, max_size=3)},
    {"order": st.sampled_from(["strict", "in_order", "any_order", "superset", "subset"])},
)
argument_checks = excused(
    mappings({"check": st.just("schema")}, {"unknown": st.just("flag"), "tools": listed(selectors)})
)

CLAUSES: dict[str, Any] = {
    "forbid": listed(excused(selectors)),
    "allow_only": st.one_of(
        listed(selectors), excused(st.builds(lambda t: {"tools": t}, listed(selectors)))
    ),
    "require": listed(requires),
    "first": listed(firsts),
    "flow": listed(flows),
    "sequence": listed(sequences),
    "limit": listed(limits),
    "window": listed(windows),
    "sum": listed(sums),
    "same_call": loops,
    "retry_after_error": loops,
    "no_progress": loops,
    "cycle": loops,
    "budget_call": listed(budgets_of_calls),
    "budget_tool": listed(budgets_of_tools),
    "budget": listed(budgets_of_all),
    "arguments": argument_checks,
    "expect": listed(expectations),
}
"""By a name of ours: what a clause may say. The contract's own name of the clause is in `written`."""
_LOOPS = ("same_call", "retry_after_error", "no_progress", "cycle")
_NAMES = {
    "first": "order",
    "flow": "order",
    "sequence": "order",
    "window": "limit",
    "sum": "limit",
    "budget_call": "budget",
    "budget_tool": "budget",
}


def written(name: str, said: Any) -> dict[str, Any]:
    """A clause as a contract writes it."""
    return {"loop": {name: said}} if name in _LOOPS else {_NAMES.get(name, name): said}


def contracts(name: str) -> st.SearchStrategy[dict[str, Any]]:
    """Contracts of one clause."""
    heads = mappings(
        {"contract": st.just("c"), "language": st.just(1), "tools": st.just(TOOLS)},
        {
            "scope": st.sampled_from(["agent", "agent", "session"]),
            "applies_to": st.just({"agent": "x"}),
        },
        1,
    )
    return st.builds(lambda head, said: {**head, **written(name, said)}, heads, CLAUSES[name])


def _call(
    tool: str, args: Any, result: Any, times: tuple[int, int | None], how: dict[str, Any]
) -> ToolCall:
    asked = how["stage"] is Stage.REQUESTED
    start, took = times
    end = start if asked else None if took is None else start + took
    known: dict[str, Any] = {}
    if args == CUT:
        payload = arguments(args)
        known |= {"args_text": payload.text, "args_state": payload.state}
    elif args is not None:
        known |= {"args": args, "args_state": ContentState.OBSERVED}
    if result is not None and not asked:
        known |= {"result": result, "result_state": ContentState.OBSERVED}
    if how["cost_usd"] is not None and not asked:
        known |= {"cost_usd": how["cost_usd"], "cost_source": CostSource.REPORTED}
    return ToolCall(
        tool=tool,
        kind=how["kind"],
        stage=how["stage"],
        status=Status.UNKNOWN if asked else how["status"],
        agent=how["agent"],
        conversation_id=how["conversation"],
        trace_id=how["trace"],
        start_ns=(start + 1) * MS,
        end_ns=None if end is None else (end + 1) * MS,
        **known,
    )


Some = st.SearchStrategy[list[Any]]
_OK, _ERROR, _UNKNOWN = Status.OK, Status.ERROR, Status.UNKNOWN
_RAN, _ASKED = Stage.EXECUTED, Stage.REQUESTED


def some_of(*choices: list[Any]) -> Some:
    """One of these alphabets."""
    return st.sampled_from(choices)


alphabets = st.fixed_dictionaries(
    {
        "tool": some_of(
            ["a"], ["a"], ["a", "b"], ["a", "p"], ["exec", "a"], ["a", "b", "bb", "p", "exec", "z"]
        ),
        "args": some_of([{"q": 1}], [{"q": 1}, {"q": 2}], [{"q": 1}, None], [None, CUT, *ARGS]),
        "result": some_of([1], [1, 2], [1, None], [None, 1, 2, [1], "Done."]),
        "stage": some_of([_RAN], [_RAN], [_RAN, _RAN, _RAN, _ASKED], [_ASKED, _RAN]),
        "kind": some_of([CallKind.TOOL], [CallKind.TOOL], [CallKind.TOOL, CallKind.HANDOFF]),
        "status": some_of(
            [_OK], [_ERROR], [_OK, _ERROR], [_ERROR, _UNKNOWN], [_OK, _ERROR, _UNKNOWN]
        ),
        "agent": some_of([None], ["x"], [None, "x"], ["x", "y"], [None, "x", "y"]),
        "conversation": some_of([None], ["k"], [None, "k", "m"]),
        "trace": some_of(["t"], ["t"], ["t", "t", "u"]),
        "cost_usd": some_of([None], [0.3], [None, 0.3]),
        "after": some_of([0, 1], [0, 1], [0, 1, -1, -3], [0]),
        "took": some_of([1], [0, 1], [0, 1, 2], [1, None]),
    }
)
"""What the calls of one example are made of: small ones, so that calls agree with each other."""


@st.composite
def calls(draw: st.DrawFn, most: int = 6) -> list[ToolCall]:
    """Calls in the order of their beginnings, more or less; sometimes a block of them again and again.

    Args:
        most: how many, or how long a block.
    """
    drawn = draw(alphabets)
    one = st.fixed_dictionaries({key: st.sampled_from(choice) for key, choice in drawn.items()})
    parts = draw(st.lists(one, min_size=1, max_size=most))
    times = draw(st.sampled_from([1, 1, 1, 2, 3, 4]))
    parts = (parts[:3] * times)[: 2 * most] if times > 1 else parts
    found, reached = [], 1
    for part in parts:
        start = max(0, reached + part["after"])
        reached = start + (part["took"] or 0)
        spent = (start, part["took"])
        found.append(_call(part["tool"], part["args"], part["result"], spent, part))
    return found
