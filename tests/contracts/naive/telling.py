"""Calls as the spans that tell of them: a tool span each, a chat span for what was only asked for."""

import json
from collections.abc import Sequence
from typing import Any

from toolscore_otel.model import (
    ContentState,
    Resource,
    Span,
    SpanStatus,
    Stage,
    Status,
    ToolCall,
)


def spans_of(calls: Sequence[ToolCall]) -> list[Span]:
    """The spans; each trace has a root, a model call and an agent's invocation for each agent.

    An invocation begins with its first call and ends with its last. It and the model call are of the conversation of their
    first call: else they may be a session of their own, in which nothing is called.
    """
    spans = [_told(call, at) for at, call in enumerate(calls)]
    for trace in {call.trace_id for call in calls}:
        ours = [call for call in calls if call.trace_id == trace]
        spans += [_around(ours, "root", None, {}), _around(ours[:1], "chat", "root", _CHAT)]
        for agent in sorted({call.agent for call in ours if call.agent}):
            attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent}
            spans.append(_around([c for c in ours if c.agent == agent], agent, "root", attributes))
    return spans


_CHAT = {"gen_ai.operation.name": "chat", "gen_ai.response.finish_reasons": ["stop"]}


def _around(calls: list[ToolCall], name: str, parent: str | None, attributes: Any) -> Span:
    conversation = calls[0].conversation_id
    return Span(
        trace_id=calls[0].trace_id,
        span_id=f"{name}-{calls[0].trace_id}",
        parent_span_id=parent and f"{parent}-{calls[0].trace_id}",
        start_ns=min(call.start_ns or 0 for call in calls),
        end_ns=max(call.end_ns or 0 for call in calls),
        attributes=attributes | ({_CONVERSATION: conversation} if conversation else {}),
        resource=_RESOURCE,
    )


_CONVERSATION = "gen_ai.conversation.id"
_RESOURCE = Resource({"service.name": "s"})


def _told(call: ToolCall, at: int) -> Span:
    asked = call.stage is Stage.REQUESTED
    return Span(
        trace_id=call.trace_id,
        span_id=f"s{at}",
        parent_span_id=f"{call.agent or 'root'}-{call.trace_id}",
        start_ns=call.start_ns,
        end_ns=call.end_ns,
        attributes={
            key: value
            for key, value in (_asked(call) if asked else _ran(call)).items()
            if value is not None
        },
        status=SpanStatus.ERROR if call.status is Status.ERROR else SpanStatus.UNSET,
        resource=_RESOURCE,
    )


def _ran(call: ToolCall) -> dict[str, Any]:
    observed = call.args_state is ContentState.OBSERVED
    returned = call.result_state is ContentState.OBSERVED
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.tool,
        "gen_ai.tool.call.id": call.call_id,
        "gen_ai.tool.call.arguments": json.dumps(call.args) if observed else call.args_text,
        "gen_ai.tool.call.result": json.dumps(call.result) if returned else None,
        _CONVERSATION: call.conversation_id,
        "gen_ai.usage.cost": call.cost_usd,
    }


def _asked(call: ToolCall) -> dict[str, Any]:
    part = {"type": "tool_call", "id": call.call_id, "name": call.tool}
    if call.args_state is ContentState.OBSERVED:
        part["arguments"] = call.args
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [part]}]),
        _CONVERSATION: call.conversation_id,
    }
