"""Messages that were written as one attribute per value: `llm.output_messages.0.message.tool_calls.1.tool_call.id`.

A number in a name is a place in a list. Places may be missing (OpenInference's pydantic-ai counts the parts of a message,
so the first call may have number 1), and a message may say nothing but its role.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toolscore_otel.conventions.fields import an_object
from toolscore_otel.model import Json

_DEEPEST = 16
"""Names of more parts than this are cut off there: no convention comes near it."""


class Flattened(Sequence[Json]):
    """A list of messages, each put together when it is looked at.

    Args:
        attributes: of a span.
        prefix: how the names begin, up to the number of the message.
    """

    def __init__(self, attributes: Mapping[str, Json], prefix: str) -> None:
        self._attributes = attributes
        length = len(prefix)
        names: dict[str, list[tuple[str, str]]] = {}
        for name in [name for name in attributes if name.startswith(prefix)]:
            number, _, rest = name[length:].partition(".")
            names.setdefault(number, []).append((name, rest))
        numbers = sorted((n for n in names if n.isdecimal() and len(n) <= _DEEPEST), key=int)
        self._messages = [names[number] for number in numbers]

    def __len__(self) -> int:
        return len(self._messages)

    def __getitem__(self, place: int | slice) -> Json:
        if isinstance(place, slice):
            return [self._message(names) for names in self._messages[place]]
        return self._message(self._messages[place])

    def _message(self, names: Sequence[tuple[str, str]]) -> Json:
        whole: dict[str, Json] = {}
        for name, rest in names:
            if not rest:
                continue
            *path, last = rest.split(".", _DEEPEST)
            inner = whole
            for step in path:
                inner = _inside(inner, step)
            inner[last] = self._attributes[name]
        return _with_lists(whole)


def _inside(whole: dict[str, Json], step: str) -> dict[str, Json]:
    """The object under a key, also where a value of its own stands there."""
    inner = an_object(whole.get(step))
    if inner is None:
        inner = whole[step] = {}
    return inner


def _with_lists(value: Json) -> Json:
    """Objects whose keys are all numbers as lists."""
    found = an_object(value)
    if found is None:
        return value
    inner = {key: _with_lists(each) for key, each in found.items()}
    if inner and all(key.isdecimal() and len(key) <= _DEEPEST for key in inner):
        return [inner[key] for key in sorted(inner, key=int)]
    return inner
