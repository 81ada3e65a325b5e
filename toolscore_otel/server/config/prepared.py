"""What stands in the file -> what is decoded: variables put in, secrets out of sight, empty keys left out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolscore_otel.contracts.tree import Path as KeyPath
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import Json
from toolscore_otel.server.config.environment import UnsetError, Written, expanded, value_of
from toolscore_otel.server.config.notes import ConfigNotes
from toolscore_otel.server.secret_text import SecretText

_PROTOCOLS = ("receivers", "otlp", "protocols")
_SECRETS: tuple[KeyPath, ...] = (
    ("receivers", "otlp", "auth", "bearer_tokens"),
    ("secrets", "key"),
    ("findings", "webhook", "url"),
)
_OFF: tuple[KeyPath, ...] = (("admin",), ("metrics", "prometheus"))
"""Where null means: none of it."""


def prepared(data: Json, notes: ConfigNotes, environment: Mapping[str, str]) -> Any:
    """The data to decode; texts from variables are `Written`, secret ones `SecretText`.

    Args:
        data: of the document.
        notes: where references that cannot be followed go.
        environment: variables.
    """
    return _prepared(data, (), notes, environment)


def plain(data: Any) -> Any:
    """Prepared data with every `Written` text as what it holds."""
    if isinstance(data, Written):
        return data[:]
    if is_mapping(data):
        return {key: plain(value) for key, value in data.items()}
    if is_list(data):
        return [plain(value) for value in data]
    return data


def beside(folder: Path, name: str) -> str:
    """A path as named in a file of a folder; absolute ones and `pack:NAME` stay."""
    return name if name.startswith("pack:") or not name else str(folder / name)


def _prepared(data: Json, path: KeyPath, notes: ConfigNotes, environment: Mapping[str, str]) -> Any:
    if is_mapping(data):
        below = {k: _prepared(v, (*path, k), notes, environment) for k, v in data.items()}
        return {k: v for k, v in below.items() if v is not None or (*path, k) in _OFF}
    if is_list(data):
        return [_prepared(v, (*path, n), notes, environment) for n, v in enumerate(data)]
    if data is None:
        return {} if path[:-1] == _PROTOCOLS else None
    try:
        if _is_secret(path):
            return _secret(data, path, notes, environment)
        return value_of(data, environment) if isinstance(data, str) else data
    except UnsetError as error:
        notes.error(path, str(error))
        return None


def _is_secret(path: KeyPath) -> bool:
    """Whether what stands here is a secret, or stands where a mapping with one belongs."""
    if "headers" in path:
        return True
    for secret in _SECRETS:
        length = min(len(path), len(secret))
        if length >= len(secret) - 1 and path[:length] == secret[:length]:
            return True
    return False


def _secret(
    data: Json, path: KeyPath, notes: ConfigNotes, environment: Mapping[str, str]
) -> SecretText:
    if not isinstance(data, str):
        notes.error(path, "must be a text: put it in quotes")
        return SecretText("")
    return SecretText(expanded(data, environment))
