"""Commands that are given as a list: `["mysql", "-u", "root", "-p..."]`. Told as a line, they are found as in a line."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping

from toolscore_otel.secrets.confirm import Claims, Found, in_text
from toolscore_otel.secrets.detection import Detected
from toolscore_otel.secrets.document import Leaf, Step, leaves
from toolscore_otel.secrets.encodings import Plain, without
from toolscore_otel.secrets.kinds import TABLE
from toolscore_otel.secrets.table.clients import CLIENTS
from toolscore_otel.secrets.table.commands import COMMANDS

_ITEM = r"""[\\"']{1,8}\s{0,9},\s{0,40}[\\"']{1,8}"""
FLAG = (
    rf"""["'](?:-[puaPUkNw](?:{_ITEM}|=)?[^\s"',\\-][^\s"'\\]{{3}}|-[bcnB]{{1,3}}[\\"']|(?:login|auth){_ITEM}[A-Za-z0-9_+/.=~-]{{16}})"""
    rf"""|--(?:proxy-)?user(?:=|{_ITEM})[^\s"':]{{1,60}}:|/(?:add|domain|active)[\\"']"""
)
"""Detection form of an option that may bring a password."""

_MARKS = re.compile(r"""\\{0,3}["'`]\s{0,9},\s{0,40}\\{0,3}[bfru]?["'`]""")
_COMMAND_KEYS = frozenset({"command", "cmd", "program", "executable", "binary", "exec", "path"})
_FIRST = TABLE.index(COMMANDS[0])
_ROWS = range(_FIRST, _FIRST + len(COMMANDS) + len(CLIENTS))


def commands_in(line: str, seen: Detected) -> list[Found]:
    """The secrets that commands are given in a line.

    Args:
        line: the words of a command, with blanks between them.
        seen: the detection forms in it.
    """
    ends: dict[int, list[int]] = {}
    for row, end in seen:
        if row in _ROWS:
            ends.setdefault(row, []).append(end)
    return in_text(line, ends, Claims(line)) if ends else []


def without_marks(text: str) -> Plain:
    """A text in which a list of strings stands (`['mysql', '-p...']`), with blanks between them instead."""
    return without(text, _MARKS, lambda _: " ")


def in_lists(text: str, detect: Callable[[str], Detected]) -> Mapping[int, list[Found]]:
    """The secrets that commands are given in the lists of a JSON text: where their string begins, and where they stand in it.

    Args:
        text: valid JSON.
        detect: finds the detection forms in a string.
    """
    found: dict[int, list[Found]] = {}
    for items in _commands(text):
        texts = [leaf.text for leaf in items]
        line = " ".join(texts).replace("\n", " ")  # a command ends with its line
        starts = [0]
        for one in texts:
            starts.append(starts[-1] + len(one) + 1)
        for secret in commands_in(line, detect(line)):  # each within one item
            at = bisect_right(starts, secret.start) - 1
            moved = secret.moved(secret.start - starts[at], secret.end - starts[at])
            found.setdefault(items[at].start, []).append(moved)
    return found


def _commands(text: str) -> Iterator[list[Leaf]]:
    """The strings of each list, behind the command that stands beside it."""
    lists: dict[tuple[Step, ...], list[Leaf]] = {}
    commands: dict[tuple[Step, ...], Leaf] = {}
    for leaf in leaves(text, None, lambda _start, _raw: True, None):
        if leaf.is_key or not leaf.path:
            continue
        *above, last = leaf.path
        if isinstance(last, int):
            lists.setdefault(tuple(above), []).append(leaf)
        elif last in _COMMAND_KEYS:
            commands[tuple(above)] = leaf
    for path, items in lists.items():
        command = commands.get(path[:-1]) if path else None
        yield [command, *items] if command is not None else items
