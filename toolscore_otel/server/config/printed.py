"""The configuration as plain data, for people to read: every key, every default, no secret."""

from __future__ import annotations

from typing import Any

import msgspec

from toolscore_otel.server.config.keys import ServerConfig
from toolscore_otel.server.secret_text import SecretText


def as_data(config: ServerConfig) -> dict[str, Any]:
    """What is in force, as mappings, lists and scalars; secrets stand as `[hidden]`."""
    data: dict[str, Any] = msgspec.to_builtins(config, enc_hook=_shown)
    return data


def _shown(value: Any) -> str:
    if isinstance(value, SecretText):
        return str(value)
    raise NotImplementedError(type(value).__name__)
