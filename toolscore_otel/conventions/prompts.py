"""What was said to a model and by it, in pieces, wherever it stands on a span or in a log record.

A conversation is repeated whole by each of its model calls, so it comes message by message: who has looked at one need not
look again. Nothing is understood here of what a message means; every place is looked at, also where two tell the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TypeVar

import msgspec

from toolscore_otel.conventions import attributes as names, content, prompt_names
from toolscore_otel.conventions.envelopes import lines_in, text_in
from toolscore_otel.conventions.fields import a_list, an_object
from toolscore_otel.conventions.logs import event_of
from toolscore_otel.model import ContentState, Json, LogRecord, Span

Piece = tuple[str, str]
"""Where it stands (the name of an attribute or event, then keys and places, dotted), and its text."""

Split = TypeVar("Split", list[msgspec.Raw], dict[str, msgspec.Raw])

_SAID_FOR_PEOPLE = {names.DETAILS_EVENT, *prompt_names.AGENTS_EVENTS}
"""The body of their records is none of what was said."""

_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])


def of_span(span: Span) -> Iterator[Piece]:
    """The messages of a model call, in its attributes and events."""
    for name, value in span.attributes.items():
        if is_prompt(name):
            yield from _pieces(name, value)
    for event in span.events:
        if event.name in prompt_names.PROMPT_EVENTS:
            yield from _of_event(event.name, event.attributes)


def of_log(record: LogRecord) -> Iterator[Piece]:
    """The messages in a log record that is an event of them."""
    event = event_of(record.event_name, record.attributes)
    if event in prompt_names.PROMPT_EVENTS:
        yield from _of_event(event, record.attributes)
        if says_it_all(event):
            yield from _pieces(event, record.body)


def says_it_all(event: str | None) -> bool:
    """Whether the body of a log record of such events is a message."""
    return event in prompt_names.PROMPT_EVENTS and event not in _SAID_FOR_PEOPLE


def is_prompt(name: str) -> bool:
    """Whether an attribute of a model call holds messages."""
    return name in prompt_names.PROMPTS or name.startswith(prompt_names.FLAT_PROMPTS)


def is_instruction(path: str) -> bool:
    """Whether a piece is what a model is always told, which some record although they hide all that is said to it."""
    return prompt_names.INSTRUCTIONS in path or path.startswith(names.SYSTEM_EVENT)


def says_something(text: str) -> bool:
    """Whether a piece holds anything that was said: no placeholder, and more than who spoke."""
    found = content.structure(text)
    if found is None:
        return bool(text.strip()) and not content.has_placeholder(text)
    left: list[tuple[str, Json]] = [("", found)]
    while left:
        key, value = left.pop()
        if isinstance(value, str):
            if (
                value.strip()
                and key not in prompt_names.SAYS_NOTHING
                and not content.is_hidden(value)
            ):
                return True
        elif (inner := an_object(value)) is not None:
            left += inner.items()
        else:
            left += ((key, entry) for entry in a_list(value) or ())
    return False


def may_be_cut(path: str) -> bool:
    """Whether a structure that is broken there was cut; arguments alone may be broken because the model wrote them so."""
    return not path.startswith(prompt_names.FLAT_PROMPTS)


def is_cut(text: str) -> bool:
    """Whether a piece ends inside a structure, as one does that a length limit has cut."""
    return content.result(text).state is ContentState.TRUNCATED


def _of_event(event: str, attributes: Mapping[str, Json]) -> Iterator[Piece]:
    for name, value in attributes.items():
        if name in prompt_names.PROMPTS_OF_EVENTS:
            yield from _pieces(f"{event}.{name}", value)


def _pieces(path: str, value: Json) -> Iterator[Piece]:
    if path.rpartition(".")[2] in prompt_names.SAYS_NOTHING:
        return
    if isinstance(value, str):
        yield from _in_text(path, value)
    elif (listed := a_list(value)) is not None:
        for number, entry in enumerate(listed):
            yield from _pieces(f"{path}.{number}", entry)
    elif (inner := an_object(value)) is not None:
        yield path, _as_text(inner)


def _in_text(path: str, recorded: str) -> Iterator[Piece]:
    text = text_in(recorded)
    opening = text.lstrip()[:1]
    if opening == "[" and (listed := _split(text, _LIST)) is not None:
        yield from _numbered(path, listed)
    elif opening == "{" and (members := _split(text, _OBJECT)) is not None:
        yield from _in_request(path, text, members)
    elif opening == "{" and (lines := lines_in(text)) is not None:
        yield from ((f"{path}.{number}", line) for number, line in enumerate(lines))
    else:
        yield path, text


def _split(text: str, decoder: msgspec.json.Decoder[Split]) -> Split | None:
    """A JSON text taken apart at the top, and nothing in it unpacked."""
    try:
        return decoder.decode(text)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return None


def _numbered(path: str, listed: list[msgspec.Raw]) -> Iterator[Piece]:
    for number, raw in enumerate(listed):
        yield f"{path}.{number}", bytes(raw).decode()


def _in_request(path: str, text: str, members: dict[str, msgspec.Raw]) -> Iterator[Piece]:
    """A request with the conversation in it: that message by message, the rest together."""
    rest = dict(members)
    for key in prompt_names.HISTORIES:
        listed = _split(bytes(members.get(key, b"")).decode(), _LIST)
        if listed is not None:
            del rest[key]
            yield from _numbered(f"{path}.{key}", listed)
    if len(rest) == len(members):
        yield path, text
    elif rest:
        yield path, msgspec.json.encode(rest).decode()


def _as_text(value: Json) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except ValueError:  # lone surrogates
        return json.dumps(value)
