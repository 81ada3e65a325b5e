"""Whether input tokens include those of the cache, by who counted them: an API, or an instrumentation that adds them up.

To Anthropic's API and to Bedrock's, `input_tokens` are those that no cache served. All others count them in, and so does the
GenAI convention ("SHOULD include all types of input tokens") and OpenInference. Instrumentations of these two APIs differ,
some by version. `PRODUCERS` is what is known of them; of any other one nothing is, where such an API was asked.

Source:
    Anthropic, "Prompt caching, tracking cache performance"; AWS, "TokenUsage"; OpenTelemetry GenAI attributes, v1.40 on; the
    code of each instrumentation, in the version named, or recorded.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

from msgspec import Struct

from toolscore_otel.conventions.counts import Cached
from toolscore_otel.model import InstrumentationScope

_APIS_OF_THEIR_OWN = ("anthropic", "claude", "bedrock", "amazon", "nova-")
"""In the name of a provider or a model."""


class Producer(Struct, frozen=True, kw_only=True):
    """One instrumentation.

    Attributes:
        scope: pattern of its instrumentation scope.
        cached: how it counts, where Anthropic's or Bedrock's API was asked.
        version: pattern of the scope's version.
        models: part of the name of the provider or model; empty: any.
        source: what shows it.
    """

    scope: str
    cached: Cached
    version: str = "*"
    models: str = ""
    source: str


PRODUCERS: tuple[Producer, ...] = (
    Producer(
        scope="opentelemetry.instrumentation.genai.*",
        cached=Cached.WITHIN,
        source="opentelemetry-instrumentation-genai-anthropic 1.3b0: the sum of the three",
    ),
    Producer(
        scope="com.anthropic.sdk.python",
        cached=Cached.WITHIN,
        source="anthropic 2.14, recorded beside the former: the same numbers",
    ),
    Producer(
        scope="opentelemetry.instrumentation.anthropic",
        cached=Cached.WITHIN,
        source="Traceloop 0.62.4: the sum of the three; so since openllmetry #2175 of 2024",
    ),
    Producer(
        scope="opentelemetry.instrumentation.bedrock",
        cached=Cached.BESIDE,
        source="Traceloop 0.62.4: Converse's inputTokens as they are",
    ),
    Producer(
        scope="opentelemetry.instrumentation.langchain",
        cached=Cached.WITHIN,
        models="anthropic",
        source="Traceloop 0.62.4: LangChain's usage_metadata, a sum in langchain-anthropic",
    ),
    Producer(
        scope="openinference.instrumentation.*",
        cached=Cached.WITHIN,
        source="anthropic 3.1, bedrock 0.1.61, langchain 0.1.80, claude-agent-sdk 0.1.22: the sum; since openinference #1429",
    ),
    Producer(
        scope="openlit.instrumentation.anthropic",
        cached=Cached.BESIDE,
        source="OpenLIT 1.45: the API's input_tokens as they are",
    ),
    Producer(
        scope="openlit.instrumentation.bedrock",
        cached=Cached.BESIDE,
        source="OpenLIT 1.45: Converse's inputTokens as they are",
    ),
    Producer(
        scope="agent_framework",
        cached=Cached.BESIDE,
        models="anthropic",
        source="agent-framework-anthropic 1.0: the API's input_tokens as they are",
    ),
    Producer(
        scope="strands.telemetry.tracer",
        cached=Cached.BY_TOTAL,
        source="strands-agents 1.62, telemetry/metrics.py: providers differ, and the total tells",
    ),
    Producer(
        scope="gcp.vertex.agent",
        cached=Cached.WITHIN,
        source="google-adk 2.13, models/anthropic_llm.py: the sum of the three",
    ),
    Producer(
        scope="logfire.anthropic",
        cached=Cached.WITHIN,
        version="5.*",
        source="logfire #1812 of March 2026: the sum of the three, before that not",
    ),
    Producer(
        scope="logfire.claude_agent_sdk",
        cached=Cached.WITHIN,
        source="logfire 5.4, recorded: 900 asked, 100 read, 10 written are 1010",
    ),
    Producer(
        scope="pydantic-ai",
        cached=Cached.WITHIN,
        source="pydantic-ai 1 and 2: RequestUsage, by genai-prices, is the sum",
    ),
    Producer(
        scope="com.anthropic.claude_code.*",
        cached=Cached.WITHIN,
        source="Claude Code 2.1, recorded: gen_ai.usage.input_tokens is the sum of input_tokens and the cached ones",
    ),
    Producer(
        scope="litellm",
        cached=Cached.WITHIN,
        source="LiteLLM writes every API's usage as OpenAI's",
    ),
    Producer(
        scope="opentelemetry.instrumentation.litellm",
        cached=Cached.WITHIN,
        source="as LiteLLM",
    ),
    Producer(
        scope="@mastra/*",
        cached=Cached.WITHIN,
        source="Mastra 1, observability/usage.ts: input with the cached ones",
    ),
    Producer(scope="codex_*", cached=Cached.WITHIN, source="Codex, recorded: OpenAI's usage"),
    Producer(scope="gemini-cli", cached=Cached.WITHIN, source="Gemini CLI: Gemini's usage"),
)
"""The first that fits is it."""


def counts_apart(provider: str | None, model: str | None) -> bool:
    """Whether one of the two APIs was asked, by whatever way: to these, input tokens are those that no cache served."""
    asked = _asked(provider, model)
    return any(part in asked for part in _APIS_OF_THEIR_OWN)


def cached_by_api(provider: str | None, model: str | None) -> Cached:
    """How the tokens of a cache stand to those of the input, where whoever wrote them passed on what the API counted."""
    return Cached.BESIDE if counts_apart(provider, model) else Cached.WITHIN


def cached_by(scope: InstrumentationScope, provider: str | None, model: str | None) -> Cached:
    """How the tokens of a cache stand to those of the input, as far as it is known who counted them.

    Args:
        scope: of the span or log record.
        provider: as recorded.
        model: as recorded.
    """
    if (provider or model) and not counts_apart(provider, model):
        return Cached.WITHIN
    asked = _asked(provider, model)
    for one in PRODUCERS:
        if (
            fnmatchcase(scope.name, one.scope)
            and fnmatchcase(scope.version or "", one.version)
            and one.models in asked
        ):
            return one.cached
    return Cached.UNKNOWN


def _asked(provider: str | None, model: str | None) -> str:
    return f"{provider or ''} {model or ''}".lower()
