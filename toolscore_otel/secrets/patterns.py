"""Kinds of the caller's own: a name and a regular expression in RE2's syntax."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

from toolscore_otel.errors import ConfigError, clip
from toolscore_otel.secrets.confirm import Claims, Found
from toolscore_otel.secrets.kinds import KINDS

re2: Any = import_module("re2")  # has no types

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")


class Patterns:
    """Compiled kinds of a caller.

    Args:
        patterns: names and expressions. Where one has a group `secret`, only that is the secret.

    Raises:
        ConfigError: a name that is none or that is taken, or an expression that RE2 does not take.
    """

    __slots__ = ("_compiled",)

    def __init__(self, patterns: Iterable[tuple[str, str]]) -> None:
        compiled: dict[str, Any] = {}
        for name, expression in patterns:
            if not _NAME.fullmatch(name):
                raise ConfigError(
                    f"`{clip(name)}` names no secret pattern: use 1 to 64 of A-Z a-z 0-9 _ . -"
                )
            if name in KINDS or name in compiled:
                raise ConfigError(
                    f"the secret pattern `{name}` has the name of another kind; rename it"
                )
            compiled[name] = _compile(name, expression)
        self._compiled = compiled

    @property
    def names(self) -> tuple[str, ...]:
        """Their names, in order."""
        return tuple(self._compiled)

    def find(self, text: str, claims: Claims) -> Iterator[Found]:
        """What they find in a text."""
        if not text.isascii():  # RE2 takes no lone surrogates; this keeps the offsets
            text = text.encode("utf-8", "replace").decode()
        for name, pattern in self._compiled.items():
            group: int = pattern.groupindex.get("secret", 0)
            for match in pattern.finditer(text):
                extent: tuple[int, int] = match.span(group)
                if extent[0] < extent[1] and claims.take(extent, match.span()):
                    yield Found(name, *extent, "medium", text[slice(*extent)])


def _compile(name: str, expression: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(expression, options)
    except re2.error as error:
        said = error.args[0]
        why = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        raise ConfigError(
            f"the secret pattern `{name}` is no RE2 expression: {clip(why)}"
        ) from None
