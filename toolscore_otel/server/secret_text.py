"""Text that must not be seen: tokens, header values, keys."""

from __future__ import annotations

import hmac

HIDDEN = "[hidden]"
"""Stands for it wherever it is shown."""


class SecretText:
    """A text that shows itself only to who asks for it by `reveal`. Two are equal if their texts are."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text itself, for the one place that sends or compares it."""
        return self._text

    def matches(self, text: str) -> bool:
        """Whether it is this text; takes as long whether it is or not."""
        ours, theirs = (one.encode(errors="surrogatepass") for one in (self._text, text))
        return hmac.compare_digest(ours, theirs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SecretText) and self.matches(other.reveal())

    def __hash__(self) -> int:
        return hash((SecretText, self._text))

    def __bool__(self) -> bool:
        return bool(self._text)

    def __repr__(self) -> str:
        return f"SecretText({HIDDEN})"

    def __str__(self) -> str:
        return HIDDEN
