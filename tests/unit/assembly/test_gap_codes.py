"""Every code of the closed list of gaps: telemetry that has it, and the same telemetry that has not."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from toolscore_otel.assembly import Assembler, Limits
from toolscore_otel.model import ClosedBy, Gap, InstrumentationScope, LogRecord, Span

Items = Sequence[Span | LogRecord]

TOOL = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "search",
    "gen_ai.tool.call.id": "c1",
    "gen_ai.tool.call.arguments": '{"q": 1}',
    "gen_ai.tool.call.result": '{"n": 2}',
}
AGENT = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "clerk"}
PYDANTIC_AI = InstrumentationScope("pydantic-ai")
CHAT = {"gen_ai.operation.name": "chat"}
ASKS = [
    {
        "role": "assistant",
        "parts": [
            {"type": "tool_call", "id": "c1", "name": "search", "arguments": {"q": 1}},
        ],
    }
]


def span(number: int, attributes: dict[str, Any], **fields: Any) -> Span:
    known: dict[str, Any] = {
        "trace_id": "a" * 32,
        "span_id": f"{number:016x}",
        "parent_span_id": None if number == 1 else f"{1:016x}",
        "name": "span",
        "start_ns": number * 10,
        "end_ns": number * 10 + 5,
        "attributes": attributes,
    }
    return Span(**known | fields)


def run(**changes: Any) -> Items:
    """An agent's call of one tool; attributes of the tool's span are changed, None takes one out."""
    told = {key: value for key, value in (TOOL | changes).items() if value is not None}
    return [span(1, AGENT), span(2, told)]


def without(name: str) -> Items:
    return run(**{name: None})


def asked(**fields: Any) -> Span:
    """A model call inside the agent's run; without anything else about it, one that asks for the tool."""
    told = fields or {"gen_ai.output.messages": json.dumps(ASKS)}
    return span(3, CHAT | told, start_ns=12, end_ns=14)


def two_calls_at_once(call_id: str | None) -> Items:
    parts = [{"type": "tool_call", "name": "search", "id": call_id and f"c{n}"} for n in (1, 2)]
    said = json.dumps([{"role": "assistant", "parts": parts}])
    tools = TOOL | {"gen_ai.tool.call.arguments": "", "gen_ai.tool.call.id": ""}
    return [
        span(1, AGENT),
        span(2, CHAT | {"gen_ai.output.messages": said}),
        *(
            span(n, tools | ({"gen_ai.tool.call.id": f"c{n - 2}"} if call_id else {}))
            for n in (3, 4)
        ),
    ]


def conversation(trace: str, start_ns: int, attributes: dict[str, Any], number: int) -> Span:
    told = attributes | {"gen_ai.conversation.id": "talk"}
    return span(
        number, told, trace_id=trace * 32, parent_span_id=None, start_ns=start_ns, end_ns=start_ns + 5
    )  # fmt: skip


def ran_elsewhere() -> Items:
    chat = CHAT | {"gen_ai.output.messages": json.dumps(ASKS)}
    return [conversation("a", 10, chat, 1), conversation("b", 50, TOOL, 2)]


def logged(trace_id: str | None) -> Items:
    return [
        LogRecord(
            trace_id=trace_id,
            span_id=None,
            time_ns=5,
            event_name="codex.tool_result",
            attributes={"tool_name": "search", "call_id": "c1", "conversation.id": "talk"},
        )
    ]


WITH: dict[Gap, Callable[[], Items]] = {
    Gap.ARGS_NOT_OBSERVED: lambda: without("gen_ai.tool.call.arguments"),
    Gap.ARGS_TRUNCATED: lambda: run(**{"gen_ai.tool.call.arguments": '{"q": "par'}),
    Gap.ARGS_UNPARSABLE: lambda: run(**{"gen_ai.tool.call.arguments": "q=1"}),
    Gap.RESULT_NOT_OBSERVED: lambda: without("gen_ai.tool.call.result"),
    Gap.RESULT_TRUNCATED: lambda: run(**{"gen_ai.tool.call.result": '{"n": "par'}),
    Gap.CONTENT_HIDDEN: lambda: run(**{"gen_ai.tool.call.result": "__REDACTED__"}),
    Gap.VALUES_UNREADABLE: lambda: run(**{"gen_ai.tool.call.arguments": '{"q": 1, "n": NaN}'}),
    Gap.NO_CALL_ID: lambda: without("gen_ai.tool.call.id"),
    Gap.NAME_FROM_SPAN: lambda: [
        span(1, AGENT),
        span(2, {"openinference.span.kind": "TOOL"}, name="search"),
    ],
    Gap.NAME_NOT_OBSERVED: lambda: without("gen_ai.tool.name"),
    Gap.AGENT_NOT_OBSERVED: lambda: run()[1:],
    Gap.STATUS_NOT_OBSERVED: lambda: [run()[0], span(2, TOOL, end_ns=None)],
    Gap.TIMES_NOT_OBSERVED: lambda: [run()[0], span(2, TOOL, start_ns=None)],
    Gap.SPAN_NOT_ENDED: lambda: [run()[0], span(2, TOOL, end_ns=None)],
    Gap.SPAN_ID_REUSED: lambda: [*run(), span(2, TOOL | {"gen_ai.tool.name": "book"})],
    Gap.ATTRIBUTES_DROPPED: lambda: [run()[0], span(2, TOOL, dropped_attributes=1)],
    Gap.PARENT_MISSING: lambda: run()[1:],
    Gap.SAMPLED_UPSTREAM: lambda: [run()[0], span(2, TOOL, trace_state="ot=th:8")],
    Gap.AMBIGUOUS_PAIRING: lambda: two_calls_at_once(None),
    Gap.SPAN_LIMIT: lambda: [*run(), *(span(n, TOOL) for n in range(3, 14))],
    Gap.FRAGMENT: lambda: run()[1:],
    Gap.MAY_HAVE_WAITED: lambda: [
        run()[0],
        span(2, TOOL | {"pydantic_ai.tool.deferral.name": "CallDeferred"}, scope=PYDANTIC_AI),
    ],
    Gap.REQUESTED_NOT_RUN: lambda: [run()[0], asked()],
    Gap.RAN_ELSEWHERE: ran_elsewhere,
    Gap.TOOL_SPANS_MISSING: lambda: [
        run()[0],
        asked(**{"gen_ai.response.finish_reasons": ["tool_calls"]}),
    ],
    Gap.COST_NOT_KNOWN: lambda: [
        *run(),
        asked(**{"gen_ai.request.model": "nobody-knows-1", "gen_ai.usage.input_tokens": 5}),
    ],
    Gap.ONLY_TOTALS_OBSERVED: lambda: [span(1, AGENT | {"gen_ai.usage.input_tokens": 5})],
    Gap.TRACE_NOT_OBSERVED: lambda: logged(None),
    Gap.REOPENED_AFTER_EVICTION: lambda: [
        *run(),
        *(span(1, AGENT, trace_id=f"{n:032x}") for n in range(3)),
        *run(),
    ],
}
WITHOUT: dict[Gap, Callable[[], Items]] = {
    Gap.AMBIGUOUS_PAIRING: lambda: two_calls_at_once("c"),
    Gap.TRACE_NOT_OBSERVED: lambda: logged("a" * 32),
    Gap.REQUESTED_NOT_RUN: lambda: [*run(), asked()],
}
"""Where the same, told better, is another telemetry than `run`."""

ELSEWHERE = {Gap.TOKENS_UNCLEAR}
"""Depends on the provider: `test_spending`."""


def gaps_of(items: Items) -> set[Gap]:
    assembler = Assembler(Limits(spans_per_trajectory=10, open_trajectories=2))
    for item in items:
        assembler.feed(item, now=0)
    assembler.close(ClosedBy.END_OF_INPUT)
    found: set[Gap] = set()
    for trace_id in assembler.trace_ids():
        trajectory = assembler.trajectory(trace_id)
        found.update(trajectory.gaps, *(call.gaps for call in trajectory.calls))
    return found


def test_every_code_has_telemetry_here() -> None:
    assert {*WITH, *ELSEWHERE} == set(Gap)


def test_a_call_of_which_all_is_told_has_no_gap() -> None:
    assert gaps_of(run()) == set()


@pytest.mark.parametrize("gap", WITH, ids=str)
def test_what_is_lacking_is_said(gap: Gap) -> None:
    assert gap in gaps_of(WITH[gap]())


@pytest.mark.parametrize("gap", WITHOUT, ids=str)
def test_what_is_told_better_is_not_said_to_be_lacking(gap: Gap) -> None:
    assert gap not in gaps_of(WITHOUT[gap]())


def test_a_trace_whose_spans_were_sampled_says_so_without_a_call() -> None:
    assert gaps_of([span(1, AGENT, trace_state="ot=th:8")]) == {Gap.SAMPLED_UPSTREAM}
    assert gaps_of([span(1, AGENT, trace_state="ot=th:0")]) == set()
