"""HTML put together so that no text of others can ever be markup: every text goes through `escape`, every element through `tag`."""

from __future__ import annotations

import re
from html import escape as _escape

from toolscore_otel.report.terminal import plain

_NOT_SHOWN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]"
)
"""Control signs, half surrogate pairs, and what turns the direction of the text around it."""


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def escape(text: str) -> Html:
    """Text of others, over as many lines as it has."""
    return Html(_escape(_NOT_SHOWN.sub("\N{REPLACEMENT CHARACTER}", text)))


def line(text: str) -> Html:
    """Text of others as one line."""
    return escape(plain(text))


def tag(name: str, /, *inside: str, **attributes: str | int | bool | None) -> Html:
    """An element.

    Args:
        name: of the element.
        inside: what is no `Html` is escaped.
        attributes: what is no `Html` is escaped; None and False are left out, True stands without a value; `class_` is `class`, `data_x` is `data-x`.
    """
    told = "".join(
        f" {key.rstrip('_').replace('_', '-')}"
        + (
            ""
            if value is True
            else f'="{value if isinstance(value, Html) else escape(str(value))}"'
        )
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _EMPTY:
        return Html(f"<{name}{told}>")
    return Html(f"<{name}{told}>{joined(*inside)}</{name}>")


def sentence(text: str) -> Html:
    """A sentence of ours as one line, with the names that stand in backticks set as code."""
    parts = plain(text).split("`")
    if len(parts) % 2 == 0:  # a name with a backtick in it
        return line(text)
    return joined(*(tag("code", part) if n % 2 else part for n, part in enumerate(parts)))


def joined(*parts: str) -> Html:
    """Parts after each other; what is no `Html` is escaped."""
    return Html("".join(part if isinstance(part, Html) else escape(part) for part in parts))


_EMPTY = frozenset({"input", "meta"})
"""Elements without an end tag."""
