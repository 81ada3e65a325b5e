"""The configuration as plain data, for people to read: every key, every default, no secret."""

from __future__ import annotations

from typing import Any

import msgspec

from toolscore_otel.secrets import Scanner, redact_json
from toolscore_otel.server.config.keys import ServerConfig
from toolscore_otel.server.secret_text import SecretText


def as_data(config: ServerConfig) -> dict[str, Any]:
    """What is in force, as mappings, lists and scalars.

    What is meant to be a secret stands as `[hidden]`; one that stands elsewhere, in a path say, as a mark.
    """
    data: dict[str, Any] = redact_json(msgspec.to_builtins(config, enc_hook=_shown), Scanner())
    return data


def _shown(value: Any) -> str:
    if isinstance(value, SecretText):
        return str(value)
    raise NotImplementedError(type(value).__name__)
