"""Under which names model calls write what they used, and what it cost.

Names of one meaning stand together, the present one first, then older ones and those of single vendors.

Source:
    As for `attributes`; the code of the instrumentations named beside an entry.
"""

from __future__ import annotations

from msgspec import Struct


class CountNames(Struct, frozen=True, kw_only=True):
    """Names of token counts.

    Attributes:
        apart: reasoning tokens that are never among those of the answer.
        total: of all tokens; it shows which of the others are parts of which.
    """

    input: tuple[str, ...]
    output: tuple[str, ...]
    cached: tuple[str, ...] = ()
    cache_write: tuple[str, ...] = ()
    reasoning: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    total: tuple[str, ...] = ()


INPUT_TOKENS = (
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.prompt_tokens",
    "gen_ai.response.prompt_tokens",  # Semantic Kernel for Java
)

GENAI = CountNames(
    input=INPUT_TOKENS,
    output=(
        "gen_ai.usage.output_tokens",
        "gen_ai.usage.completion_tokens",
        "gen_ai.response.completion_tokens",
    ),
    cached=(
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_read_input_tokens",  # Traceloop before 0.5x, Strands
        "gen_ai.usage.cached_input_tokens",
        "gen_ai.usage.details.cache_read_tokens",  # pydantic-ai
        "gen_ai.usage.input_tokens.cached",  # Sentry
        "gen_ai.usage.prompt_tokens_details.cached_tokens",  # OpenLIT
        "gen_ai.usage.cache_read_tokens",
    ),
    cache_write=(
        "gen_ai.usage.cache_write.input_tokens",
        "gen_ai.usage.cache_creation.input_tokens",  # v1.40 and 1.41
        "gen_ai.usage.cache_creation_input_tokens",  # Traceloop before 0.5x
        "gen_ai.usage.cache_write_input_tokens",  # Strands
        "gen_ai.usage.details.cache_write_tokens",  # pydantic-ai
        "gen_ai.usage.input_tokens.cache_write",  # Sentry
        "gen_ai.usage.prompt_tokens_details.cache_creation_tokens",  # OpenLIT
        "gen_ai.usage.cache_write_tokens",
    ),
    reasoning=(
        "gen_ai.usage.reasoning.output_tokens",
        "gen_ai.usage.reasoning_tokens",
        "gen_ai.usage.details.reasoning_tokens",
        "gen_ai.usage.output_tokens.reasoning",  # Sentry
        "gen_ai.usage.completion_tokens_details.reasoning_tokens",  # OpenLIT
        "codex.usage.reasoning_output_tokens",
    ),
    apart=("gen_ai.usage.experimental.reasoning_tokens",),  # ADK 1.x
    total=("gen_ai.usage.total_tokens", "llm.usage.total_tokens", "codex.usage.total_tokens"),
)
OPENINFERENCE = CountNames(
    input=("llm.token_count.prompt",),
    output=("llm.token_count.completion",),
    cached=(
        "llm.token_count.prompt_details.cache_read",
        *GENAI.cached,  # the Microsoft Agent Framework's spans
    ),
    cache_write=("llm.token_count.prompt_details.cache_write", *GENAI.cache_write),
    reasoning=("llm.token_count.completion_details.reasoning", *GENAI.reasoning),
    total=("llm.token_count.total",),
)
VERCEL = CountNames(
    input=(*INPUT_TOKENS, "ai.usage.inputTokens", "ai.usage.promptTokens"),
    output=(*GENAI.output, "ai.usage.outputTokens", "ai.usage.completionTokens"),
    cached=(
        *GENAI.cached,
        "ai.usage.inputTokenDetails.cacheReadTokens",
        "ai.usage.cachedInputTokens",
    ),
    cache_write=(*GENAI.cache_write, "ai.usage.inputTokenDetails.cacheWriteTokens"),
    reasoning=(
        *GENAI.reasoning,
        "ai.usage.outputTokenDetails.reasoningTokens",
        "ai.usage.reasoningTokens",
    ),
    total=(*GENAI.total, "ai.usage.totalTokens"),
)
AI_DETAILS = "ai.usage.inputTokenDetails."
"""How names begin that AI SDK 6 writes, and no older one."""

PROVIDERS_OWN = CountNames(
    input=("input_tokens", "prompt_tokens", "inputTokens", "prompt_token_count"),
    output=("output_tokens", "completion_tokens", "outputTokens", "candidates_token_count"),
    cached=(
        "prompt_tokens_details.cached_tokens",
        "input_tokens_details.cached_tokens",
        "input_token_details.cache_read",  # LangChain
        "cache_read_input_tokens",
        "cacheReadInputTokens",
        "cached_content_token_count",
        "cachedContentTokens",  # Genkit
        "anthropic.cacheReadInputTokens",  # AI SDK, as the next
        "bedrock.usage.cacheReadInputTokens",
        "openai.cachedPromptTokens",
    ),
    cache_write=(
        "prompt_tokens_details.cache_write_tokens",
        "input_tokens_details.cache_write_tokens",
        "input_token_details.cache_creation",
        "cache_creation_input_tokens",
        "cacheWriteInputTokens",
        "anthropic.cacheCreationInputTokens",
        "bedrock.usage.cacheWriteInputTokens",
    ),
    reasoning=(
        "completion_tokens_details.reasoning_tokens",
        "output_tokens_details.reasoning_tokens",
        "output_token_details.reasoning",
        "thoughts_token_count",
        "thoughtsTokens",  # Genkit
        "openai.reasoningTokens",  # AI SDK
    ),
    total=("total_tokens", "totalTokens", "total_token_count"),
)
"""In the object that a provider (or LangChain, or Genkit) answers with, nested keys dotted."""
BESIDE_IN_OBJECTS = frozenset({"cache_read_input_tokens", "cacheReadInputTokens"})
"""Keys by which Anthropic's and Bedrock's own objects are known, where `input_tokens` or `inputTokens` leaves these out."""

LANGFUSE = CountNames(
    input=("input", *PROVIDERS_OWN.input),
    output=("output", *PROVIDERS_OWN.output),
    cached=(
        "input_cached_tokens",
        "input_cache_read",
        "cache_read_input_tokens",
        *PROVIDERS_OWN.cached,
    ),
    cache_write=(
        "input_cache_creation",
        "input_cache_write_tokens",
        "cache_creation_input_tokens",
        "cache_write_input_tokens",
        *PROVIDERS_OWN.cache_write,
    ),
    reasoning=(
        "output_reasoning_tokens",
        "output_reasoning",
        "reasoning",
        *PROVIDERS_OWN.reasoning,
    ),
    total=("total", *PROVIDERS_OWN.total),
)
"""In `langfuse.observation.usage_details`; `input` and `output` there leave out what stands under the other keys."""
LANGFUSE_OWN = frozenset({"input", "output"})
"""Keys by which Langfuse's own objects are known; others hold a provider's as it is."""

RAW_OBJECTS = (
    ("gen_ai.usage.raw", ()),  # logfire
    ("gcp.vertex.agent.llm_response", ("usage_metadata",)),  # ADK
    ("ai.response.providerMetadata", ()),  # AI SDK
)
"""Attributes that hold a provider's object as JSON, and the keys under which it stands in there."""

BRAINTRUST = CountNames(
    input=("prompt_tokens",),
    output=("completion_tokens",),
    cached=("prompt_cached_tokens",),
    cache_write=("prompt_cache_creation_tokens",),
    reasoning=("completion_reasoning_tokens",),
    total=("tokens",),
)
BRAINTRUST_WRITES = ("prompt_cache_creation_5m_tokens", "prompt_cache_creation_1h_tokens")
"""By how long they are kept, where the sum is not written."""

CLAUDE_LOG = CountNames(
    input=("input_tokens",),
    output=("output_tokens",),
    cached=("cache_read_tokens",),
    cache_write=("cache_creation_tokens",),
)
CODEX_LOG = CountNames(
    input=("input_token_count",),
    output=("output_token_count",),
    cached=("cached_token_count",),
    cache_write=("cache_write_token_count",),
    reasoning=("reasoning_token_count",),
    total=("tool_token_count",),
)
"""What it calls tokens of tools is the sum of all."""
GEMINI_LOG = CountNames(
    input=("input_token_count",),
    output=("output_token_count",),
    cached=("cached_content_token_count",),
    apart=("thoughts_token_count",),
)
GEMINI_TOOL_TOKENS = "tool_token_count"
"""Results of tools that Gemini's API ran itself: asked with, and apart from the prompt."""

COSTS = (
    "gen_ai.usage.cost",
    "gen_ai.usage.cost.amount",
    "gen_ai.usage.total_cost",
    "gen_ai.usage.cost_usd",
    "gen_ai.cost.total_cost",  # litellm
    "operation.cost",  # pydantic-ai, logfire
    "llm.cost.total",  # OpenInference
    "llm.usage.cost",
    "gen_ai.client.estimated_cost",  # Quarkus: text such as 0.0001USD
    "cost_usd",  # Claude Code
)
CURRENCY = "gen_ai.usage.cost.currency"
COST_PARTS = (
    ("gen_ai.usage.input_cost", "gen_ai.usage.output_cost"),
    ("gen_ai.cost.input_cost", "gen_ai.cost.output_cost"),
    ("llm.cost.prompt", "llm.cost.completion"),
)
"""Two parts that make the whole, where that is not written."""
COST_DETAILS = "langfuse.observation.cost_details"
COST_NAMES = frozenset({*COSTS, *(name for parts in COST_PARTS for name in parts), COST_DETAILS})
"""All of them, for the cheap question whether there is any."""
