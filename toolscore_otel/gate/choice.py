"""How one run chose its tools, beside what was expected of it: right tool, right arguments, calls per task.

These are the scores of the Agent Wranglers' playbook, free to use under CC BY 4.0 with credit:
<a href="https://agentwranglers.se/playbook/agents-as-users/tool-choice-evals/tool-choice-gate">Agent Wranglers agents as
users playbook</a>. What was not observed is unknown here and never wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean

from toolscore_otel.contracts import Contract
from toolscore_otel.matchers import Answer, JudgedCall
from toolscore_otel.metrics.arguments import given
from toolscore_otel.metrics.expected_calls import ExpectedCall
from toolscore_otel.model import CallKind, Scope, Trajectory
from toolscore_otel.rules.expect import Expect
from toolscore_otel.rules.intake import order_of
from toolscore_otel.rules.shape import may_hide_calls

RIGHT_TOOL = "right_tool"
RIGHT_ARGS = "right_args"
CALLS_PER_TASK = "calls_per_task"
FIELD = f"{RIGHT_ARGS}."
"""Begins the score of one argument."""

CHOICE_SCORES = (RIGHT_TOOL, RIGHT_ARGS, CALLS_PER_TASK)

Values = Mapping[str, float | None]
"""Scores of one run by name; None where what was not observed decides."""

_FIRST_IS_FIRST = frozenset({"in_order", "strict"})
"""Orders in which the first call is to be the first one listed."""

_SCORE = {Answer.YES: 1.0, Answer.NO: 0.0, Answer.UNKNOWN: None}


def choice_scores(contract: Contract, trajectory: Trajectory) -> Values:
    """The three scores of one run.

    Args:
        contract: applies to the run; its `expect` rules about whole traces say what was expected, those in shadow aside.
        trajectory: one trace.

    Returns:
        Nothing where no rule expects anything of this run. Where several do, the mean of what is known by each. Beside the
        three, `right_args.NAME` for each argument that the expected call names, where the right tool was called.
    """
    expected = list(_expected(contract, trajectory))
    if not expected:
        return {}
    calls = _calls(contract, trajectory)
    if may_hide_calls(trajectory):
        return dict.fromkeys(CHOICE_SCORES)
    answers = [_choice(calls, listed, in_order=in_order) for listed, in_order in expected]
    fields: dict[str, list[float | None]] = {}
    for listed, in_order in expected:
        for name, value in _fields(calls, listed[:1] if in_order else listed):
            fields.setdefault(f"{FIELD}{name}", []).append(value)
    return {
        RIGHT_TOOL: mean_of_known(_SCORE[answer] for answer, _ in answers),
        RIGHT_ARGS: mean_of_known(_SCORE[answer] for _, answer in answers),
        CALLS_PER_TASK: float(len(calls)),
        **{name: mean_of_known(values) for name, values in fields.items()},
    }


def mean_of_known(values: Iterable[float | None]) -> float | None:
    """The mean of those that are known; None where none is."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _expected(
    contract: Contract, trajectory: Trajectory
) -> Iterator[tuple[Sequence[ExpectedCall], bool]]:
    """The calls that each rule expects, and whether the first of them is to come first."""
    for rule in contract.rules:
        record, expectation = rule.record, rule.expectation
        if (
            isinstance(record, Expect)
            and expectation is not None
            and expectation.calls is not None
            and rule.scope is Scope.TRACE
            and not record.shadow
            and expectation.is_meant(trajectory)
        ):
            yield expectation.calls, record.order in _FIRST_IS_FIRST


def _calls(contract: Contract, trajectory: Trajectory) -> list[JudgedCall]:
    """Calls of tools that the contract sees, in order; those only asked for, too: they were chosen."""
    seen = [
        contract.judge(call)
        for call in trajectory.calls
        if call.kind is CallKind.TOOL and contract.sees_call(call)
    ]
    named = any(call.agent for call in trajectory.calls)
    for call in seen:
        call.agents_named = named
    return sorted(seen, key=order_of)


def _choice(
    calls: Sequence[JudgedCall], expected: Sequence[ExpectedCall], *, in_order: bool
) -> tuple[Answer, Answer]:
    """Whether the right tool was called first, or none where none was expected; and with the right arguments."""
    if not (expected and calls):
        answer = Answer.NO if expected or calls else Answer.YES
        return answer, answer
    wanted = expected[:1] if in_order else expected
    first = _may_be_first(calls)
    tools = [_any(_is_tool(one, call) for one in wanted) for call in first]
    args = [
        _any(_both(_is_tool(one, call), one.has_arguments(call)) for one in wanted)
        for call in first
    ]
    return _agreed(tools), _agreed(args)


def _fields(
    calls: Sequence[JudgedCall], wanted: Sequence[ExpectedCall]
) -> Iterator[tuple[str, float | None]]:
    """The arguments that are expected of the first call's tool, and whether each is right; None where it was not observed."""
    first = _may_be_first(calls)
    meant = [one for one in wanted if len(first) == 1 and _is_tool(one, first[0]) is Answer.YES]
    if meant:
        best = max(meant, key=lambda one: one.agreeing(first[0]))
        for name, worth in best.wanted.worths(given(first[0].call)).items():
            if name:
                yield name, None if worth is None else float(worth == 1)


def _may_be_first(calls: Sequence[JudgedCall]) -> list[JudgedCall]:
    """The call that began first, and those of which it is not known when they began."""
    return [call for n, call in enumerate(calls) if n == 0 or call.call.start_ns is None]


def _is_tool(expected: ExpectedCall, call: JudgedCall) -> Answer:
    return (expected.could_be or expected.who).match(call)


def _any(answers: Iterable[Answer]) -> Answer:
    found = set(answers)
    return next((one for one in (Answer.YES, Answer.UNKNOWN) if one in found), Answer.NO)


def _both(one: Answer, other: Answer) -> Answer:
    found = {one, other}
    return next((one for one in (Answer.NO, Answer.UNKNOWN) if one in found), Answer.YES)


def _agreed(answers: Sequence[Answer]) -> Answer:
    """What all say; unknown where they differ."""
    return answers[0] if len(set(answers)) == 1 else Answer.UNKNOWN
