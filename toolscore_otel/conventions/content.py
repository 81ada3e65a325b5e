"""Recorded arguments and results -> `Payload`: observed, cut, no JSON, or nothing at all.

Instrumentations record structures as they are, as JSON text, as JSON text inside JSON text, or as a Python literal; a
length limit may have cut the text; a placeholder may stand where content was. Everything here takes time in proportion
to the text, and raises nothing on any value.

What JSON cannot say, or no program reads (NaN, half an emoji, thousands of digits), costs itself alone (`unreadable`). Nesting
beyond the interpreter's limit is `unparsable`.
"""

from __future__ import annotations

from typing import Final

import msgspec

from toolscore_otel.conventions import literals, unreadable
from toolscore_otel.conventions.cut import Cut, CutValue, ends_inside, salvaged, says_it_was_cut
from toolscore_otel.conventions.fields import a_list, an_object, text
from toolscore_otel.matchers.cut import looks_structured
from toolscore_otel.model import NOT_OBSERVED, ContentState, Json, Payload

_PLACEHOLDERS = frozenset(
    {
        "HIDDEN:non-empty",  # Koog
        "HIDDEN:empty",
        "__REDACTED__",  # OpenInference
        "<REDACTED>",  # Claude Code
        "[REDACTED]",
        "<elided>",
    }
)
_LONGER = max(map(len, _PLACEHOLDERS)) + 1  # than any of them: no long text is hashed
_OBSERVED = ContentState.OBSERVED
_SCRUBBED = "[Scrubbed due to "  # logfire, with the reason after it
_PLACEHOLDER_FIELDS = (
    *(f'"{placeholder}"' for placeholder in sorted(_PLACEHOLDERS)),
    f'"{_SCRUBBED}',
)
_IN_PLACEHOLDERS = (("D", "REDACTED"), ("H", "HIDDEN:"), ("<", "<elided>"), ("S", _SCRUBBED))
"""One of these is in each of them, and in next to no other text; before it a rare letter of it, which is looked for faster."""
_BROKEN_BY_THE_MODEL = (
    "INVALID_JSON"  # pydantic-ai wraps text that is no JSON in an object with this key
)

_STRUCTURES = (("{", "}"), ("[", "]"))
"""How they begin and end."""
_NESTED_TEXTS = 3  # JSON text in JSON text: no producer was seen to go deeper


class _NoJson:
    """The type of `NO_JSON`."""


NO_JSON: Final = _NoJson()
"""What `decoded` says of text that holds no JSON value."""


def is_hidden(value: Json) -> bool:
    """Whether a placeholder stands where content was."""
    return isinstance(value, str) and (
        value[:_LONGER] in _PLACEHOLDERS or value.startswith(_SCRUBBED)
    )


def has_placeholder(value: Json) -> bool:
    """Whether a placeholder stands for all of a value, or for a field in its text."""
    if not isinstance(value, str):
        return False
    for letter, part in _IN_PLACEHOLDERS:
        if letter in value and part in value:
            return is_hidden(value) or any(field in value for field in _PLACEHOLDER_FIELDS)
    return False


def observed(value: Json) -> Payload:
    """A value that was read, as it was recorded: what in it is unreadable is said to be."""
    told, is_mended = unreadable.mended(value)
    return Payload(_OBSERVED, told, is_mended=is_mended)


def cut_off(value: Cut) -> Payload:
    """A value of which only the beginning was recorded, or that is no JSON."""
    is_cut = isinstance(value, CutValue) or ends_inside(value.text)
    state = ContentState.TRUNCATED if is_cut else ContentState.UNPARSABLE
    return Payload(state, text=value.text)


def undecoded(recorded: str) -> Payload:
    """Text from which no value could be read: cut where it ends inside a structure, else unparsable."""
    cut = ends_inside(recorded)
    return Payload(ContentState.TRUNCATED if cut else ContentState.UNPARSABLE, text=recorded)


def arguments(value: Json) -> Payload:
    """What a tool was called with.

    Absent, null and hidden arguments are not observed, never an empty object. Text that is no JSON stays text, in the
    state that says so. A list, number or text is kept where it is really what was recorded.

    Args:
        value: of an attribute or a field, as recorded; None where it is absent.
    """
    if value is None:
        return NOT_OBSERVED
    if isinstance(value, str):
        return _arguments_in(value)
    return cut_off(value) if isinstance(value, Cut) else _argument_value(value)


def result(value: Json) -> Payload:
    """What a tool answered.

    Text that is JSON is decoded, a lone text block of a content list is unwrapped, any other text is the result itself; it was
    cut where it says so at its end.

    Args:
        value: of an attribute or a field, as recorded; None where it is absent.
    """
    if value is None:
        return NOT_OBSERVED
    if isinstance(value, str):
        return _result_in(value)
    if isinstance(value, Cut):
        return cut_off(value)
    block = _only_text(value)
    return observed(value) if block is None else _result_in(block)


def decoded(recorded: str) -> Json | _NoJson:
    """The JSON value that a text holds, also where it is text in text; `NO_JSON` where it holds none."""
    return _unfolded(_json_or_mended(recorded))


def _unfolded(value: Json | _NoJson) -> Json | _NoJson:
    for _ in range(_NESTED_TEXTS):
        if not isinstance(value, str) or value[:1] not in {"{", "[", '"'}:
            return value
        inner = _json_or_mended(value)
        if isinstance(inner, _NoJson):
            return value
        value = inner
    return value


def structure(value: Json) -> Json:
    """The object or list that a value is, or that its text holds; else None.

    For wrappers: the value is looked into, and stays as it is where this gives nothing.
    """
    if isinstance(value, str):
        if value.lstrip()[:1] not in {"{", "["}:
            return None
        value = decoded(value)
    return value if isinstance(value, dict | list) else None  # pyright: ignore[reportUnknownVariableType]


def unpacked(value: Json) -> Json:
    """As `structure`, also where the text is quoted once more, or a Python literal."""
    if not isinstance(value, str):
        return structure(value)
    if value.lstrip()[:1] == '"':
        return structure(decoded(value))
    found = structure(value)
    if found is None and not isinstance(literal := _literal(value), _NoJson):
        return structure(literal)
    return found


def unpacked_or_cut(value: Json) -> Json:
    """As `unpacked`, also of a text that was cut, where what is found may have gone on (`cut`)."""
    found = unpacked(value)
    return salvaged(value) if found is None else found


def lone_text(value: Json) -> Json:
    """The text of the only block of a list of `{"text": ...}`, as Bedrock and Strands write answers; else the value."""
    blocks = a_list(structure(value))
    if blocks is None or len(blocks) != 1:
        return value
    block = an_object(blocks[0])
    return value if block is None or list(block) != ["text"] else block["text"]


def fields(value: Json) -> dict[str, Json]:
    """The fields of the object that a value is, or that its text holds; empty where it is none."""
    return an_object(structure(value)) or {}


def _arguments_in(recorded: str) -> Payload:
    value = _json(recorded)
    if (found := an_object(value)) is not None:  # most
        broken = _broken_by_the_model(found) if _BROKEN_BY_THE_MODEL in found else None
        return broken or Payload(_OBSERVED, found)
    if is_hidden(recorded):
        return NOT_OBSERVED
    value = _unfolded(_mended(recorded) if isinstance(value, _NoJson) else value)
    if value is None:
        return NOT_OBSERVED
    if not isinstance(value, _NoJson):
        return _argument_value(value)
    literal = _literal(recorded)
    return undecoded(recorded) if isinstance(literal, _NoJson) else observed(literal)


def _argument_value(value: Json) -> Payload:
    found = an_object(value)
    broken = None if found is None else _broken_by_the_model(found)
    return observed(value) if broken is None else broken


def _broken_by_the_model(found: dict[str, Json]) -> Payload | None:
    broken = text(found, _BROKEN_BY_THE_MODEL) if len(found) == 1 else None
    return None if broken is None else undecoded(broken)


def _result_in(recorded: str) -> Payload:
    value = _json(recorded)
    if isinstance(value, _NoJson):
        if is_hidden(recorded):
            return NOT_OBSERVED
        value = _mended(recorded)
    elif not isinstance(value, str) and _only_text(value) is None:  # most that are JSON
        return Payload(_OBSERVED, value)
    value = _unfolded(value)
    if isinstance(value, _NoJson):
        value = _literal(recorded)
    if isinstance(value, _NoJson):
        return _plain_result(recorded)
    block = _only_text(value)
    if block is None:
        return observed(value)
    inner = decoded(block)
    return _plain_result(block) if isinstance(inner, _NoJson) else observed(inner)


def _plain_result(recorded: str) -> Payload:
    if (looks_structured(recorded) and ends_inside(recorded)) or says_it_was_cut(recorded):
        return Payload(ContentState.TRUNCATED, text=recorded)
    return observed(recorded)


def _json(recorded: str) -> Json | _NoJson:
    try:
        return msgspec.json.decode(recorded)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return NO_JSON


def _mended(recorded: str) -> Json | _NoJson:
    """The object or list in a text in which something is unreadable."""
    if (recorded.lstrip()[:1], recorded.rstrip()[-1:]) not in _STRUCTURES:
        return NO_JSON
    try:
        return unreadable.decode(recorded)
    except (RecursionError, ValueError):
        return NO_JSON


def _json_or_mended(recorded: str) -> Json | _NoJson:
    value = _json(recorded)
    return _mended(recorded) if isinstance(value, _NoJson) else value


def _literal(recorded: str) -> Json | _NoJson:
    if recorded.lstrip()[:1] not in {"{", "["}:
        return NO_JSON
    try:
        return literals.decode(recorded)
    except ValueError:
        return NO_JSON


def _only_text(value: Json) -> str | None:
    """The text of `{"type": "text", "text": ...}`, alone or as the only block of a list."""
    blocks = a_list(value)
    block = an_object(blocks[0] if blocks and len(blocks) == 1 else value)
    if block is None or block.get("type") != "text" or not isinstance(block.get("text"), str):
        return None
    says_more = any(
        field is not None for key, field in block.items() if key not in {"type", "text"}
    )
    return None if says_more else block["text"]
