"""A sampler that lets rules see every call, whatever share of traces is exported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult

from toolscore_otel import conventions

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Link, SpanKind
    from opentelemetry.trace.span import TraceState
    from opentelemetry.util.types import Attributes


class ToolscoreSampler(Sampler):
    """Records agent, model and tool spans that another sampler drops; they are scored and not exported.

    It decides by what a span starts with: its name and its first attributes.

    Args:
        inner: decides what is exported.
    """

    def __init__(self, inner: Sampler) -> None:
        self._inner = inner

    def should_sample(  # noqa: PLR0917 - as the SDK has it
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        attributes: Attributes = None,
        links: Sequence[Link] | None = None,
        trace_state: TraceState | None = None,
    ) -> SamplingResult:
        """What the inner sampler says, with RECORD_ONLY for DROP where the span may matter."""
        result = self._inner.should_sample(
            parent_context, trace_id, name, kind, attributes, links, trace_state
        )
        if result.decision is not Decision.DROP:
            return result
        if not conventions.is_of_interest(name, attributes or ()):
            return result
        return SamplingResult(Decision.RECORD_ONLY, attributes, result.trace_state)

    def get_description(self) -> str:
        """Its name, around that of the inner sampler."""
        return f"ToolscoreSampler({self._inner.get_description()})"
