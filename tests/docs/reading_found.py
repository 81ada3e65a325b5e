"""What readers take from where, found out by changing recorded spans and log records one value at a time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from msgspec import structs

from toolscore_otel.conventions import CONVENTIONS, READERS, read, read_log
from toolscore_otel.conventions.reading import CallReading, SpanReading
from toolscore_otel.model import LogRecord, Span, SpanStatus

Item = Span | LogRecord
FACTS = (
    *("marks", "tool name", "arguments", "result", "call id", "status", "agent", "cost of a call"),
    *("model", "tokens", "cost of a model call", "calls in messages", "conversation", "scenario"),
)
EXEMPLARS = 2
"""Spans of one instrumentation with the same names of attributes and events that are looked at."""

LEAVES = 24
"""How many values inside one structure are changed, one at a time."""

EVERYWHERE = ""
"""Stands for what is read whatever the convention: messages, the conversation, the scenario."""

MODEL = ("model", "provider", "response_id", "asks")
MESSAGES = ("request", "response")
TOKENS = (
    *("input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens"),
    "reasoning_tokens",
)


@dataclass
class Found:
    """What was found out of one convention.

    Attributes:
        places: fact -> where it was read from.
        unseen: names of attributes that its reader looks for, and that no recording has.
    """

    places: dict[str, set[str]] = field(default_factory=lambda: {fact: set() for fact in FACTS})
    unseen: list[str] = field(default_factory=list)


def find_out(items: Iterable[Item]) -> dict[str, Found]:
    """What all readers take from where, by convention; under `EVERYWHERE` what is not one reader's matter."""
    found = {name: Found() for name in (*CONVENTIONS, EVERYWHERE)}
    exemplars: dict[object, int] = {}
    present: set[str] = set()
    asked: dict[str, set[str]] = {name: set() for name in CONVENTIONS}
    for item in items:
        kind = _kind(item)
        exemplars[kind] = exemplars.get(kind, 0) + 1
        if exemplars[kind] > EXEMPLARS:
            continue
        present |= item.attributes.keys()
        if isinstance(item, Span):
            _listen(item, asked)
        _try_all(item, found)
    del found[EVERYWHERE].places["marks"]
    for name, of_reader in found.items():
        of_reader.places = {fact: places for fact, places in of_reader.places.items() if places}
        of_reader.unseen = sorted(asked.get(name, set()) - present)
    return found


def _kind(item: Item) -> object:
    events = item.events if isinstance(item, Span) else ()
    names = {_numberless(name) for name in item.attributes}
    inner = {(event.name, *sorted(event.attributes)) for event in events}
    event = None if isinstance(item, Span) else item.event_name
    return item.scope.name, type(item), event, frozenset(names), frozenset(inner)


def _numberless(name: str) -> str:
    return re.sub(r"\.\d+(?=\.|$)", ".N", name)


class _Listening(dict[str, Any]):
    """Attributes that remember what they were asked for by name."""

    def __init__(self, attributes: Mapping[str, Any], asked: set[str]) -> None:
        super().__init__(attributes)
        self.asked = asked

    def get(self, name: str, default: Any = None) -> Any:
        self.asked.add(name)
        return super().get(name, default)

    def __contains__(self, name: object) -> bool:
        self.asked.add(str(name))
        return super().__contains__(name)

    def __getitem__(self, name: str) -> Any:
        self.asked.add(name)
        return super().__getitem__(name)


def _listen(span: Span, asked: dict[str, set[str]]) -> None:
    for name, reader in zip(CONVENTIONS, READERS, strict=True):
        own: set[str] = set()
        if reader(structs.replace(span, attributes=_Listening(span.attributes, own))) is not None:
            asked[name] |= own


def _try_all(item: Item, found: dict[str, Found]) -> None:
    before = _facts(item)
    if not before:
        return
    for place, changed in _changes(item):
        after = _facts(changed)
        for (convention, entity), facts in before.items():
            now = after.get((convention, entity))
            places = found[convention].places
            if now is None:
                places["marks"].add(place)
            else:
                for fact in (fact for fact, value in facts.items() if now[fact] != value):
                    places[fact].add(place)


Facts = dict[tuple[str, str], dict[str, object]]
"""(convention, call | agent | model) -> fact -> value."""


def _facts(item: Item) -> Facts:
    found: Facts = {}
    whole = read(item) if isinstance(item, Span) else read_log(item)
    if isinstance(item, Span):
        for reader in READERS:
            _add(found, reader(item))
    else:
        _add(found, whole)
    if whole is not None and (found or whole.calls or whole.conversation_id or whole.scenario):
        messages = [structs.astuple(call) for call in whole.calls if call.what in MESSAGES]
        found[EVERYWHERE, ""] = {
            "calls in messages": messages,
            "conversation": whole.conversation_id,
            "scenario": whole.scenario,
        }
    return found


def _add(found: Facts, reading: SpanReading | None) -> None:
    if reading is None:
        return
    for call in reading.calls:
        if call.what not in MESSAGES:
            found[call.convention, "call"] = _of_call(call)
    if (agent := reading.agent) is not None:
        found[agent.convention, "agent"] = {"agent": agent.name}
    if (model := reading.model) is not None:
        found[model.convention, "model"] = {
            "model": [getattr(model, name) for name in MODEL],
            "tokens": [getattr(model, name) for name in TOKENS],
            "cost of a model call": model.cost_usd,
        }


def _of_call(call: CallReading) -> dict[str, object]:
    return {
        "tool name": call.name,
        "arguments": call.args,
        "result": call.result,
        "call id": call.call_id,
        "status": (call.status, call.error_type, call.error_message),
        "agent": call.agent,
        "cost of a call": call.cost_usd,
    }


def _changes(item: Item) -> Iterator[tuple[str, Item]]:
    """What stood where a value is another one now, and the span or record with it."""
    for name, attributes in _one_changed(item.attributes):
        yield f"`{_numberless(name)}`", structs.replace(item, attributes=attributes)
    if isinstance(item, LogRecord):
        yield from _changed_record(item)
        return
    yield "the span's name", structs.replace(item, name="another")
    other = SpanStatus.UNSET if item.status is SpanStatus.ERROR else SpanStatus.ERROR
    yield "the span's status", structs.replace(item, status=other)
    for at, event in enumerate(item.events):
        named = f"event `{event.attributes.get('event.name') or event.name}`"
        others = (*item.events[:at], *item.events[at + 1 :])
        yield named, structs.replace(item, events=others)
        for name, attributes in _one_changed(event.attributes):
            changed = structs.replace(event, attributes=attributes)
            events = (*item.events[:at], changed, *item.events[at + 1 :])
            yield f"{named}: `{_numberless(name)}`", structs.replace(item, events=events)


def _changed_record(record: LogRecord) -> Iterator[tuple[str, Item]]:
    yield "the event's name", structs.replace(record, event_name="another")
    place = f"body of `{_event(record)}`"
    if isinstance(record.body, dict):
        for name, body in _one_changed(record.body):
            yield f"{place}: `{name}`", structs.replace(record, body=body)
    else:
        for other in _others(record.body):
            yield place, structs.replace(record, body=other)


def _one_changed(values: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, value in values.items():
        for other in _others(value):
            yield name, {**values, name: other}


def _event(record: LogRecord) -> str:
    return str(record.attributes.get("event.name") or record.event_name)


def _others(value: Any) -> Iterator[Any]:
    """The value emptied, and with one of the values inside it changed; text that holds a structure is one."""
    structure = value
    if isinstance(value, str):
        try:
            structure = json.loads(value)
        except ValueError:
            structure = None
    if not isinstance(structure, dict | list):
        yield _other(value)
        return
    for other in (type(structure)(), *islice(_changed_inside(structure), LEAVES)):
        yield json.dumps(other) if isinstance(value, str) else other


def _changed_inside(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from ({**value, key: other} for other in _changed_inside(inner))
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from ([*value[:at], other, *value[at + 1 :]] for other in _changed_inside(inner))
    else:
        yield _other(value)


def _other(value: Any) -> Any:
    """Another value of the same sort."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return "another" if value is None else f"{value}-another"
