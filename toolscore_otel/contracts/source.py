"""Files -> documents: YAML 1.2 or JSON, strictly, with the line of everything.

- Core scalars only: `no` is text, times stay text. A key is text as it is written.
- A key that stands twice in a mapping is a problem. Tags (`!!str`) and merge keys (`<<`) are refused. Anchors and
  aliases work.
- Several documents in one file work; empty ones are skipped. JSON files (`*.json`) hold one.
- Whatever a file holds, reading it ends soon: size, depth and the number of values are limited.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from ruamel.yaml.reader import ReaderError

from toolscore_otel.contracts import scalars
from toolscore_otel.contracts.telling import problem
from toolscore_otel.contracts.tree import Builder, Document, UnreadableError
from toolscore_otel.errors import ContractError, Location, Problem, clip
from toolscore_otel.model import Json

MAX_BYTES = 2_000_000
"""Of one file."""

_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]|[^\s,:{}\[\]"]+')
_AT_BYTE = re.compile(r"\s*\(byte (\d+)\)")
_HINTS = {
    "mapping values are not allowed here": "text that holds `: ` needs quotes",
    "that cannot start any token": "text that begins so needs quotes",
    "expected <block end>": "this line does not fit the indentation of those above",
    "<stream end>": "something is opened and not closed",
    "unexpected end of stream": "a quote is opened and not closed",
    "unknown escape character": "in double quotes a backslash is written twice, in single quotes once",
}
"""What to do about what the parser says most often."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def read_file(path: Path, name: str | None = None) -> tuple[Document, ...]:
    """The documents of a file.

    Args:
        path: where it is.
        name: as the user named it, for messages; the path where left out.

    Raises:
        ContractError: it cannot be opened or read; every problem has its line.
    """
    name = str(path) if name is None else name
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise _error(name, None, f"cannot be read: {_reason(error)}") from error
    if len(content) > MAX_BYTES:
        raise _error(name, None, f"is larger than {MAX_BYTES} bytes")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _error(name, line, "is not UTF-8 text") from error
    return read_text(text, name, is_json=path.suffix == ".json")


def read_text(text: str, name: str, *, is_json: bool = False) -> tuple[Document, ...]:
    """The documents of a text.

    Args:
        text: YAML or JSON.
        name: what stands for the file in messages.
        is_json: which of the two.

    Raises:
        ContractError: with every problem that was found before reading had to stop.
    """
    problems: list[Problem] = []
    documents: list[Document] = []
    try:
        for builder in _json(text, name) if is_json else _yaml(text, name):
            problems += builder.problems
            documents.append(builder.document)
    except UnreadableError as fault:
        problems.append(problem(Location(name, fault.line), fault.message))
    if problems:
        raise ContractError(problems)
    return tuple(document for document in documents if document.data is not None)


def _error(name: str, line: int | None, message: str) -> ContractError:
    return ContractError([problem(Location(name, line), message)])


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, IsADirectoryError):
        return "it is a folder"
    return (error.strerror or type(error).__name__).lower()


def _yaml(text: str, name: str) -> Iterator[Builder]:
    builder = Builder(name)
    yaml: Any = YAML(typ="safe", pure=True)
    try:
        for event in yaml.parse(text):
            if _is(event, DocumentStartEvent):
                builder = Builder(name)
                _check_version(event)
            elif _is(event, DocumentEndEvent):
                yield builder
            else:
                _feed(builder, event)
    except ReaderError as error:
        raise _no_character(text, error) from error
    except MarkedYAMLError as error:
        raise _fault(error) from error


def _is(event: Any, *kinds: type) -> bool:
    """Whether it is an event of these kinds; the parser's classes are not typed, so nothing is narrowed."""
    return isinstance(event, kinds)


def _no_character(text: str, error: Any) -> UnreadableError:
    at: int = error.position
    code = ord(text[at])
    line = text.count("\n", 0, at) + 1
    return UnreadableError(line, f"the character U+{code:04X} cannot stand in YAML")


def _check_version(event: Any) -> None:
    if event.version not in (None, (1, 2)):
        raise UnreadableError(
            event.start_mark.line + 1, "contracts are YAML 1.2: leave the `%YAML` line out"
        )


def _feed(builder: Builder, event: Any) -> None:
    line: int = event.start_mark.line + 1
    if _is(event, ScalarEvent, MappingStartEvent, SequenceStartEvent) and event.tag is not None:
        tag = clip(event.tag).replace("tag:yaml.org,2002:", "!!")
        message = f"the tag `{tag}` is not supported: put text in quotes, leave it out elsewhere"
        raise UnreadableError(line, message)
    if _is(event, MappingStartEvent):
        builder.begin({}, line, event.anchor)
    elif _is(event, SequenceStartEvent):
        builder.begin([], line, event.anchor)
    elif _is(event, MappingEndEvent, SequenceEndEvent):
        builder.end()
    elif _is(event, AliasEvent):
        builder.alias(event.anchor, line)
    elif _is(event, ScalarEvent):
        _scalar(builder, event, line)


def _scalar(builder: Builder, event: Any, line: int) -> None:
    text: str = event.value
    if event.style:
        text = _whole_characters(text, line)
        builder.scalar(text, text, line, event.anchor)
        return
    if text == "<<":
        raise UnreadableError(
            line, "merge keys (`<<`) are not part of YAML 1.2: write the keys out"
        )
    builder.scalar(_resolved(text, line), text, line, event.anchor)


def _resolved(text: str, line: int) -> Json:
    try:
        return scalars.resolve(text)
    except scalars.ScalarError as error:
        raise UnreadableError(line, str(error)) from error


def _whole_characters(text: str, line: int) -> str:
    """The text with what JSON writes as two escapes, halves of one character, put together."""
    if not _SURROGATE.search(text):
        return text
    try:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        raise UnreadableError(line, "an escape in this text stands for half a character") from None


def _fault(error: Any) -> UnreadableError:
    mark = error.problem_mark or error.context_mark
    line: int = mark.line + 1 if mark is not None else 1
    problem = str(error.problem or error.context)
    if "'\\t'" in problem:
        return UnreadableError(line, "a tab cannot indent in YAML: use spaces")
    message = f"is no YAML: {clip(problem)}"
    began = error.context_mark
    if error.problem and error.context and began is not None and began.line + 1 != line:
        message += f", {clip(error.context)} that begins on line {began.line + 1}"
    hint = next((hint for said, hint in _HINTS.items() if said in problem), None)
    return UnreadableError(line, message if hint is None else f"{message}: {hint}")


def _json(text: str, name: str) -> Iterator[Builder]:
    try:
        msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise _json_fault(text, str(error)) from error
    except (RecursionError, UnicodeEncodeError) as error:
        raise UnreadableError(
            1, "is no JSON that can be read: it nests too deeply, or holds half a character"
        ) from error
    builder = Builder(name)
    at, line = 0, 1
    for token in _JSON_TOKEN.finditer(text):
        line += text.count("\n", at, token.start())
        at = token.start()
        _feed_json(builder, token[0], line)
    yield builder


def _json_fault(text: str, message: str) -> UnreadableError:
    found = _AT_BYTE.search(message)
    at = int(found[1]) if found else len(text)
    line = text.encode()[:at].count(b"\n") + 1
    reason = _AT_BYTE.sub("", message).partition(" - at `")[0]
    reason = reason.removeprefix("JSON is malformed: ")
    return UnreadableError(line, f"is no JSON: {clip(reason)}")


def _feed_json(builder: Builder, piece: str, line: int) -> None:
    if piece == "{":
        builder.begin({}, line)
    elif piece == "[":
        builder.begin([], line)
    elif piece in "}]":
        builder.end()
    elif piece[0] == '"':
        text = msgspec.json.decode(piece)
        builder.scalar(text, text, line)
    else:
        builder.scalar(_resolved(piece, line), piece, line)
