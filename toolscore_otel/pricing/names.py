"""As what a price list may know a model that telemetry names in one of many ways.

Before the model's own name may stand who serves it (LiteLLM: `azure/gpt-4o`), a region, a path of a cloud. Whoever serves it
makes the price: a model of that name at somebody else's has another one. So does a region that costs more, and a fine-tuned
model; where the list has no entry for these, the price is not known.

Source:
    LiteLLM's provider routes; OpenTelemetry's `gen_ai.provider.name`; ids of Bedrock's inference profiles, of Vertex AI's
    publisher models and of OpenAI's fine-tuned models.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

Known = tuple[str, str | None]
"""A model, and a provider of the list; None: whichever makes it."""

_BEDROCK = re.compile(
    r"(?:[a-z-]{2,6}\.)?(?:ai21|amazon|anthropic|cohere|deepseek|meta|mistral|openai|qwen|writer)\.[\w-]"
)
"""How Bedrock names a model, whoever tells of it: region, vendor, model."""

_EVERYWHERE = frozenset({"global", "global-standard"})
_REGION = re.compile(r"(?:eu|us|au|jp|apac|uk|us-gov|[a-z]{2,}-[a-z]+-?\d+|\d+-month-commitment)\Z")
"""What stands between server and model where it is served in one region, or was paid for beforehand."""

_OWN_MACHINES = frozenset(
    {
        *("ollama", "ollama_chat", "vllm", "hosted_vllm", "lm_studio", "lmstudio", "llamafile"),
        *("llama.cpp", "llama_cpp", "localai", "sglang", "text-generation-inference", "xinference"),
    }
)
"""Servers that anybody runs: nobody has a list price for them."""

_FINE_TUNED = "ft:"

_PROVIDERS = (
    ("azure", "azure"),
    ("bedrock", "aws"),
    ("vertex", "google"),
    ("gcp.", "google"),
    ("gemini", "google"),
    ("x_ai", "x-ai"),
    ("xai", "x-ai"),
    ("together_ai", "together"),
    ("fireworks_ai", "fireworks"),
    ("github_copilot", "github-copilot"),
)
"""Beginning of a provider's name in telemetry or of a route, and the list's."""


def candidates(model: str, provider: str | None) -> Iterable[Known]:
    """As what a list may know a model, the likeliest first; nothing where its price cannot be known.

    Args:
        model: as telemetry names it.
        provider: as telemetry names it; one that the list does not know does not hide a model of a known name.
    """
    served = _listed(provider)
    route, *path = model.split("/")
    if _is_regional(path) or {served, route.lower()} & _OWN_MACHINES:
        return ()
    name = path[-1] if path else model
    if _BEDROCK.match(name):
        return dict.fromkeys([(model, served), (name, "aws")])
    if not path:
        owner = "openai" if model.startswith(_FINE_TUNED) else None
        return dict.fromkeys([(model, served), (model, owner)])
    if route == "models" or "publishers" in (route, *path):
        return dict.fromkeys([(name, served), (name, "google")])
    server = _listed(route)
    rest = "/".join(path)
    return dict.fromkeys(
        [(model, served), (model, None), (rest, server), (name, server), (name, served or server)]
    )


def _listed(provider: str | None) -> str | None:
    """A provider as the list names it, where that is another name."""
    if provider is None:
        return None
    said = provider.lower()
    return next((known for name, known in _PROVIDERS if said.startswith(name)), said)


def _is_regional(path: list[str]) -> bool:
    """Whether a region stands between who serves a model and its name, other than all of them."""
    return any(_REGION.match(part) for part in path[:-1] if part not in _EVERYWHERE)
