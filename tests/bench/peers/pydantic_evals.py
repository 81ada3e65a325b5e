"""pydantic-evals holds the tools of a span tree against an expected order."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from pydantic_evals.evaluators import (  # type: ignore[import-not-found]
    EvaluatorContext,
    TrajectoryMatch,
)
from pydantic_evals.otel import SpanNode, SpanTree  # type: ignore[import-not-found]

from tests.bench.peers.serving import serve

START = datetime(2026, 1, 1, tzinfo=UTC)


def node(number: int, tool: str) -> SpanNode:
    return SpanNode(
        name=f"execute_tool {tool}",
        trace_id=1,
        span_id=number + 1,
        parent_span_id=None,
        start_timestamp=START + timedelta(seconds=number),
        end_timestamp=START + timedelta(seconds=number, microseconds=1),
        attributes={"gen_ai.tool.name": tool},
    )


def in_order(given: tuple[list[str], list[str]]) -> Callable[[], float]:
    tools, expected = given
    tree = SpanTree()
    tree.add_spans([node(number, tool) for number, tool in enumerate(tools)])
    match = TrajectoryMatch(expected, order="in_order")
    context = EvaluatorContext(
        name=None,
        inputs=None,
        metadata=None,
        expected_output=None,
        output=None,
        duration=0.0,
        _span_tree=tree,
        attributes={},
        metrics={},
    )
    return lambda: match.evaluate(context).value


serve({"in order": in_order})
