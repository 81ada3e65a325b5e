"""What the span of an agent invocation adds up over its run: tokens and money of all its model calls together.

Some write under these names what is no such sum: the last model call's tokens, or all that an object that outlives the run
has used since it was made. Of these nothing is taken. Claude's SDK writes what the run used, and what its process, which may
serve several runs, has cost so far.

Source:
    Recordings whose model calls tell theirs, too, held against these; strands-agents, pydantic-ai, smolagents and AI SDK 5,
    their code; anthropics/claude-code #83239 on what a result says to have cost.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

from toolscore_otel.conventions import usage, usage_names, vercel
from toolscore_otel.conventions.reading import ModelReading, RollUp, SpanReading
from toolscore_otel.model import Span

NOT_OF_THE_RUN: tuple[tuple[str, str, str], ...] = (
    ("strands.*", "*", "all that the agent has used since it was made"),
    ("pydantic-ai", "*", "a usage object that several runs may share"),
    ("*.smolagents", "*", "a monitor that a run need not set back"),
    ("agent_framework", "0.*", "the last model call"),
    ("opentelemetry.instrumentation.openai_agents", "*", "one model call"),
)
"""Scope, version, and what stands there instead."""

COST_SO_FAR = "*.claude_agent_sdk"
"""The scope of instrumentations whose cost is that of all runs of one process so far."""

_NAMES = (usage.GENAI, usage.OPENINFERENCE, usage.VERCEL)
_TELLING = usage_names.COST_NAMES.union(
    *((*named.counts.input, *named.counts.output) for named in _NAMES)
)
"""A span with none of these adds up nothing."""


def read(span: Span, found: SpanReading) -> RollUp | None:
    """What an agent invocation adds up; None where that says nothing, and for what is none.

    Args:
        span: attributes flat.
        found: what else was read of it.
    """
    agent = found.agent
    if agent is None or agent.is_step or found.model is not None or found.calls:
        return None
    if _TELLING.isdisjoint(span.attributes) or not _is_of_the_run(span, agent.convention):
        return None
    told = [usage.model_call(agent.convention, span, named) for named in _NAMES]
    used = next((one for one in told if _tells_tokens(one)), told[0])
    if not _tells_tokens(used) and used.cost_usd is None:
        return None
    return RollUp(used=used, is_cost_so_far=fnmatchcase(span.scope.name, COST_SO_FAR))


def _tells_tokens(used: ModelReading) -> bool:
    return (used.input_tokens, used.output_tokens) != (None, None)


def _is_of_the_run(span: Span, convention: str) -> bool:
    scope = span.scope
    if convention == vercel.CONVENTION:  # before version 6, the last step's
        return any(name.startswith(usage_names.AI_DETAILS) for name in span.attributes)
    return not any(
        fnmatchcase(scope.name, name) and fnmatchcase(scope.version or "", version)
        for name, version, _ in NOT_OF_THE_RUN
    )
