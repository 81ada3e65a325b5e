"""The readers, one for each convention, and what of a span tells which of them are to be asked.

Choosing is by what stands on the very span, since a span may carry several dialects, and one scope both kinds. Spans of one
kind look alike, so that is worked out once for each look.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import NamedTuple

from toolscore_otel.conventions import (
    agentops,
    attributes as names,
    braintrust,
    claude_code,
    codex,
    coding_agents as its,
    gemini,
    genai,
    genai_legacy,
    genkit,
    haystack,
    honeyhive,
    laminar,
    langfuse,
    logfire,
    mastra,
    mcp,
    mlflow,
    netra,
    opencode,
    openinference,
    traceloop,
    vercel,
    voltagent,
)
from toolscore_otel.conventions.reading import SpanReading
from toolscore_otel.model import Json, Span

Reader = Callable[[Span], SpanReading | None]

_LOOKS = 4_096
"""Of how many looks of spans it is kept which readers are to be asked."""


class Dialect(NamedTuple):
    """One convention.

    Attributes:
        convention: its name in `convention`.
        read: what it says of a span.
        marks: attributes; a span with none of them says nothing in it,
        names: unless its name begins so.
    """

    convention: str
    read: Reader
    marks: Collection[str] = ()
    names: tuple[str, ...] = ()


DIALECTS: tuple[Dialect, ...] = (
    Dialect(
        mcp.CONVENTION,
        mcp.read,
        marks={names.MCP_METHOD, names.MCP_GO_METHOD, names.MCP_GO_TOOL},
        names=(names.LOGFIRE_MCP_CLIENT_SPAN, names.LOGFIRE_MCP_SERVER_SPAN),
    ),
    Dialect(
        claude_code.CONVENTION,
        claude_code.read,
        names=(its.CLAUDE_TOOL_SPAN, its.CLAUDE_MODEL_SPAN),
    ),
    Dialect(traceloop.CONVENTION, traceloop.read, marks={names.TL_KIND}),
    Dialect(vercel.CONVENTION, vercel.read, marks={names.AI_OPERATION}),
    Dialect(genai.CONVENTION, genai.read, marks={names.OPERATION}),
    # Partial forms, some of which only their scope tells: of every span that may say anything.
    Dialect(genai_legacy.CONVENTION, genai_legacy.read, marks=names.MARKERS, names=("",)),
    Dialect(
        openinference.CONVENTION, openinference.read, marks={names.OI_KIND, names.TRACEAI_KIND}
    ),
    Dialect(
        logfire.CONVENTION,
        logfire.read,
        names=(
            names.LOGFIRE_FUNCTION_SPAN,
            names.LOGFIRE_AGENT_SPAN,
            names.LOGFIRE_HANDOFF_SPAN,
        ),
    ),
    Dialect(
        haystack.CONVENTION,
        haystack.read,
        marks={names.HAYSTACK_COMPONENT},
        names=(
            names.HAYSTACK_TOOL_SPAN,
            names.HAYSTACK_MODEL_SPAN,
            names.HAYSTACK_AGENT_SPAN,
            haystack.INVOKER_SPAN,
        ),
    ),
    Dialect(langfuse.CONVENTION, langfuse.read, marks={names.LANGFUSE_TYPE}),
    Dialect(mlflow.CONVENTION, mlflow.read, marks={names.MLFLOW_TYPE}),
    Dialect(laminar.CONVENTION, laminar.read, marks={names.LAMINAR_TYPE}),
    Dialect(agentops.CONVENTION, agentops.read, marks={names.AGENTOPS_KIND}),
    Dialect(netra.CONVENTION, netra.read, marks={names.NETRA_TYPE}),
    Dialect(honeyhive.CONVENTION, honeyhive.read, marks={names.HONEYHIVE_TYPE}),
    Dialect(
        braintrust.CONVENTION,
        braintrust.read,
        marks={names.BRAINTRUST_SPAN, names.BRAINTRUST_PARENT},
    ),
    Dialect(genkit.CONVENTION, genkit.read, marks={names.GENKIT_SUBTYPE}),
    Dialect(mastra.CONVENTION, mastra.read, names=(names.MASTRA_TOOL_SPAN,)),
    Dialect(voltagent.CONVENTION, voltagent.read, names=(names.VOLTAGENT_TOOL_SPAN,)),
    Dialect(gemini.CONVENTION, gemini.read, marks={names.OPERATION}),
    Dialect(codex.CONVENTION, codex.read, names=(its.CODEX_MODEL_SPAN, its.CODEX_CALL_SPAN)),
    Dialect(opencode.CONVENTION, opencode.read, names=(its.OPENCODE_TOOL_SPAN,)),
)
"""In the order of precedence: where a span carries several, the first gives and later ones fill what it did not observe.

Traceloop before GenAI, whose names it puts its wrappers under; frameworks of their own last.
"""

_NAMES = tuple({name for dialect in DIALECTS for name in dialect.names if name})
_LONGEST_NAME = max(map(len, _NAMES))


def readers_of(span_name: str, attributes: Mapping[str, Json]) -> tuple[Reader, ...]:
    """The readers to which a span may say something, in order; all others would give None."""
    marks = names.MARKERS.intersection(attributes)
    if not (marks or span_name.startswith(names.SPAN_NAMES)):
        return ()
    name = span_name[:_LONGEST_NAME] if span_name.startswith(_NAMES) else ""
    return _readers_of(name, marks)


@lru_cache(maxsize=_LOOKS)
def _readers_of(name: str, marks: frozenset[str]) -> tuple[Reader, ...]:
    return tuple(
        dialect.read
        for dialect in DIALECTS
        if name.startswith(dialect.names) or not marks.isdisjoint(dialect.marks)
    )
