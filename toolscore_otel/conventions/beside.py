"""What stands on a span or a log record beside arguments, results and messages: where a secret is as exposed as there.

Nothing is understood here of what it means; paths begin with where it stands (`attributes`, `events`, `links`, `body`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from toolscore_otel.conventions import attributes as names, prompt_names
from toolscore_otel.conventions.logs import event_of
from toolscore_otel.conventions.prompts import is_prompt, says_it_all
from toolscore_otel.model import Json, LogRecord, Span

_TOLD_WHY = (names.EXCEPTION_MESSAGE, names.EXCEPTION_STACKTRACE)


def errors(item: Span | LogRecord) -> Iterator[tuple[str, str]]:
    """Why something failed, each text with its path: status text, messages and stack traces of exceptions."""
    if isinstance(item, LogRecord):
        yield from _told_why(item.attributes)
        return
    if item.status_message:
        yield "status", item.status_message
    for event in item.events:
        if event.name in names.EXCEPTION_EVENTS:
            yield from _told_why(event.attributes)


def rest(item: Span | LogRecord, *, is_model: bool) -> dict[str, Json]:
    """All else that it holds.

    Args:
        item: whatever it is of.
        is_model: whether it is a model call: then what holds messages is left out.
    """
    if isinstance(item, LogRecord):
        event = event_of(item.event_name, item.attributes)
        attributes = _beside_prompts(event, item.attributes)
        return (
            {"attributes": attributes}
            if says_it_all(event)
            else {"body": item.body, "attributes": attributes}
        )
    return {
        "attributes": {
            name: value
            for name, value in item.attributes.items()
            if not (is_model and is_prompt(name))
        },
        "events": [
            {
                event.name: _beside_prompts(event.name, event.attributes)
                if is_model
                else _without_errors(event.attributes)
            }
            for event in item.events
        ],
        "links": [dict(link.attributes) for link in item.links],
    }


def _beside_prompts(event: str | None, attributes: Mapping[str, Json]) -> dict[str, Json]:
    left = _without_errors(attributes)
    if event in prompt_names.PROMPT_EVENTS:
        return {
            name: value
            for name, value in left.items()
            if name not in prompt_names.PROMPTS_OF_EVENTS
        }
    return left


def _told_why(attributes: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    for name in _TOLD_WHY:
        if isinstance(text := attributes.get(name), str):
            yield name, text


def _without_errors(attributes: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in attributes.items() if name not in _TOLD_WHY}
