"""Text of others inside Markdown: shown as it is, as text, wherever the Markdown is read.

What has a meaning in CommonMark, in GitHub's tables, formulas, mentions and links is written as a character reference, which
shows the sign and means nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from toolscore_otel.report.terminal import plain

_MEANING = re.compile(r"[&<>`*\[\]|\\~$@#]|(?<!\w)_|_(?!\w)|:(?=//)|(?<=www)\.", re.IGNORECASE)
_NO_MENTION = "&#8288;"
"""Nothing to see: a name right after `@` or `#` would be a mention."""


def escaped(text: str) -> str:
    """One line of text without any meaning."""
    return _signs(plain(text))


def code(text: str) -> str:
    """A name, set as code."""
    return f"<code>{escaped(text)}</code>" if text else ""


def prose(text: str) -> str:
    """A sentence of ours, with the names that stand in backticks set as code."""
    parts = plain(text).split("`")
    if len(parts) % 2 == 0:  # a name with a backtick in it
        return escaped(text)
    told = (
        f"<code>{_signs(part)}</code>" if n % 2 else _signs(part) for n, part in enumerate(parts)
    )
    return "".join(told)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], right: str = "") -> Iterator[str]:
    """The lines of a table.

    Args:
        head: names of the columns; those in `right` stand at the right edge.
        rows: cells that are Markdown already.
        right: names, with blanks between them.
    """
    yield f"| {' | '.join(head)} |"
    edges = ("---:" if name and name in right.split() else "---" for name in head)
    yield f"|{'|'.join(edges)}|"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _signs(text: str) -> str:
    return _MEANING.sub(_reference, text)


def _reference(found: re.Match[str]) -> str:
    sign = found[0]
    return f"&#{ord(sign)};" + (_NO_MENTION if sign in "@#" else "")
