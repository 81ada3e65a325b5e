"""Secrets in a table: a column whose head tells what stands in it, in CSV, TSV or Markdown, or in the columns that SQL inserts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolscore_otel.secrets.checks import generated_no_uuid, password
from toolscore_otel.secrets.confirm import Claims, Found
from toolscore_otel.secrets.names import names_password, names_secret

HEAD = (
    r"(?i)(?:pass|passwd|password|passphrase|pwd|secret|token|api[ _-]?key|access[ _-]?key|secret[ _-]?key|private[ _-]?key)"
    r"""[\\"'`*]{0,6}[ \t]{0,20}(?:(?:[,;|\t]|\\{1,3}t)[A-Za-z0-9_.,;|:\\"'`*() \t-]{0,200})?(?:\\{1,3}r|\r)?(?:\n|\\{1,3}n)"""
    r"""|(?i:pass|passwd|password|passphrase|pwd|secret|token|api_?key|access_?key|secret_?key|private_?key)[\\"'`\]]{0,4}(?:[ \t]{0,4},[^()]{0,200})?[ \t]{0,4}\)\s{0,4}(?i:values)"""
)
"""Detection form of the line with the heads."""

_LINE = re.compile(r"[^\n]*\n?")
_RULE = re.compile(r"[\s|:+-]+")
_MOST_NAME_CHARS = 40
_LEAST_PASSWORD_CHARS, _LEAST_SECRET_CHARS, _MOST_CHARS = 6, 16, 400
_INSERTED = re.compile(
    r"\((?P<heads>[^()]{1,600})\)\s{0,8}values\s{0,8}\((?P<row>[^()]{1,4000})\)", re.IGNORECASE
)
_SEPARATORS = ("|", "\t", ",", ";")


def in_columns(text: str, claims: Claims) -> Iterator[Found]:
    """What stands below heads that tell of secrets.

    A table ends with the first line that has another number of cells.

    Args:
        text: one string, decoded.
        claims: of this text.
    """
    for rows in _INSERTED.finditer(text):
        if rows["heads"].count(",") == rows["row"].count(","):
            columns = _heads(rows["heads"], ",")
            yield from _in_row(rows["row"], rows.start("row"), ",", columns, claims)
    heads: dict[int, str] = {}
    separator, cells = "", 0
    for line in _LINE.finditer(text):
        row = line[0].rstrip("\r\n")
        if heads and row.count(separator) == cells:
            if _RULE.fullmatch(row) is None:
                yield from _in_row(row, line.start(), separator, heads, claims)
            continue
        separator = next((each for each in _SEPARATORS if each in row), "")
        cells = row.count(separator) if separator else 0
        heads = _heads(row, separator) if separator else {}


def _heads(row: str, separator: str) -> dict[int, str]:
    """The columns of secrets by their number, with the kind of what stands in them."""
    heads: dict[int, str] = {}
    for number, cell in enumerate(row.split(separator)):
        name = cell.strip(" \t\"'`*[]")
        if "=" in name or "(" in name:
            return {}
        if len(name) > _MOST_NAME_CHARS:
            return {}
        if names_password(name):
            heads[number] = "password_assignment"
        elif names_secret(name):
            heads[number] = "secret_assignment"
    return heads


def _in_row(
    row: str, start: int, separator: str, heads: dict[int, str], claims: Claims
) -> Iterator[Found]:
    for number, cell in enumerate(row.split(separator)):
        kind = heads.get(number)
        value = cell.strip(" \t\"'`*")
        if kind is not None and _is_secret(kind, value):
            at = start + cell.index(value)
            extent = (at, at + len(value))
            if claims.take(extent, extent):
                yield Found(kind, *extent, "medium", value)
        start += len(cell) + 1


def _is_secret(kind: str, value: str) -> bool:
    if " " in value or len(value) > _MOST_CHARS:
        return False
    if kind == "password_assignment":
        return len(value) >= _LEAST_PASSWORD_CHARS and password(value)
    return len(value) >= _LEAST_SECRET_CHARS and generated_no_uuid(value)
