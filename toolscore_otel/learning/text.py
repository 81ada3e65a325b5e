"""A proposal as YAML for people: a contract whose every line says, in a comment, what it rests on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from toolscore_otel.learning.proposal import HEADROOM, Proposal, Rule, Tool
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import Json

WIDTH = 100
"""Columns that a line should not pass."""

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*", re.ASCII)
_WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
"""They are no texts to one or the other reader of YAML."""

_HEAD = """\
# Proposed from {traces} with {calls}: what held in all of them. It is what was
# seen, not what is right: take out what happened to be so, add what must never happen.
# `limit` and `budget` allow {headroom} times the most that was seen, `budget` rounded up. No schema
# forbids other arguments, and none says more than the calls showed. Mark a tool that changes
# something `mutating: true`, one that is asked again on purpose `polling: true`.
"""


def text_of(proposal: Proposal) -> str:
    """The contract."""
    return "\n".join(_lines(proposal)) + "\n"


def _lines(proposal: Proposal) -> Iterator[str]:
    traces, calls = _count(proposal.traces, "trace"), _count(proposal.calls, "tool call")
    yield _HEAD.format(traces=traces, calls=calls, headroom=HEADROOM).rstrip()
    for note in proposal.notes:
        yield f"# Left out: {note}."
    yield f"contract: {proposal.name}"
    yield "language: 1"
    yield "# shadow: true  # until you trust it: findings are told, and fail nothing"
    if proposal.service is not None:
        yield _said(f"applies_to: {flow({'service': proposal.service})}", "the only service", "")
    if proposal.tools:
        yield "\ntools:"
        for tool in proposal.tools:
            yield from _tool(tool)
    for clause, rules in groupby(proposal.rules, key=lambda rule: rule.clause):
        yield from _clause(clause, list(rules))


def _tool(tool: Tool) -> Iterator[str]:
    yield f"  # {tool.evidence}"
    if tool.parameters is None:
        yield f"  {flow(tool.name)}: {{}}"
    else:
        yield f"  {flow(tool.name)}:"
        yield from block("parameters", tool.parameters, "    ")


def _clause(clause: str, rules: Iterable[Rule]) -> Iterator[str]:
    yield ""
    for number, rule in enumerate(rules):
        if clause == "allow_only":
            yield f"allow_only:  # {rule.evidence}"
            yield from (f"  - {flow(name)}" for name in rule.data)
        elif clause == "arguments":
            yield f"# {rule.evidence}"
            yield from block(clause, rule.data, "")
        else:
            if number == 0:
                yield f"{clause}:"
            mark = "- " if rule.key is None else f"{rule.key}: "
            yield _said(f"  {mark}{flow(rule.data)}", rule.evidence, "  ")


def _said(line: str, evidence: str, indent: str) -> str:
    """A line with a comment: behind it, or above where it would be too long."""
    behind = f"{line}  # {evidence}"
    return behind if len(behind) <= WIDTH else f"{indent}# {evidence}\n{line}"


def block(key: str, value: Json, indent: str) -> Iterator[str]:
    """A key with its value: on one line where it fits, else a line for each thing in it."""
    line = f"{indent}{flow(key)}: {flow(value)}"
    if is_mapping(value) and len(line) > WIDTH:
        yield f"{indent}{flow(key)}:"
        for inner, entry in value.items():
            yield from block(inner, entry, indent + "  ")
    elif is_list(value) and len(line) > WIDTH:
        yield f"{indent}{flow(key)}:"
        yield from (f"{indent}  - {flow(entry)}" for entry in value)
    else:
        yield line


def flow(value: Json) -> str:
    """A value on one line."""
    if is_mapping(value):
        return "{" + ", ".join(f"{flow(key)}: {flow(entry)}" for key, entry in value.items()) + "}"
    if is_list(value):
        return "[" + ", ".join(map(flow, value)) + "]"
    if not isinstance(value, str):
        return json.dumps(value)
    if _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return '"' + "".join(map(_escaped, value)) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    return character if character.isprintable() else f"\\U{ord(character):08x}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
