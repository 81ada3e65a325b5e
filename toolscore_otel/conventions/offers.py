"""The tools that a model was offered, with the JSON Schemas of their arguments.

They stand on model spans (each repeats all of them), on agent spans, and some frameworks write a tool's schema on the span of
its call. A text is read once, however many spans repeat it.

Source:
    OpenTelemetry GenAI semantic conventions v1.38 (`gen_ai.tool.definitions`); OpenInference `llm.tools`; Traceloop
    `llm.request.functions`; recorded telemetry of the vendors named in `attributes`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from hashlib import blake2b

import msgspec

from toolscore_otel.conventions import attributes as names, content
from toolscore_otel.conventions.fields import a_list, an_object, first, first_text, text
from toolscore_otel.conventions.reading import Offer, SpanReading
from toolscore_otel.model import Json, Span, ToolSchema

MOST_CHARACTERS = 1 << 18
"""A longer list of tools is not read."""

MOST_TOOLS = 512
"""Past so many tools of one list further ones are not looked at."""

MOST_KEPT = 64
"""Lists that are not read anew when they come again."""

_Written = tuple[tuple[str, str], ...]
"""A name, or nothing where the text holds it, and the text; of each list or tool."""

_FIRST_OI_TOOL = names.OI_TOOLS.format(0) + names.OI_TOOL_SCHEMA
_FIRST_TL_FUNCTION = names.TL_FUNCTIONS.format(0) + names.TL_FUNCTION_NAME
PLACES = frozenset({*names.TOOL_LISTS, *names.OWN_SCHEMAS, _FIRST_OI_TOOL, _FIRST_TL_FUNCTION})
"""A span with none of these attributes tells of no offer."""

_WRAPPERS = ("function", "tool", "function_declarations", "functionDeclarations", "function_tools")
_DEEPEST = 3


def read(span: Span, reading: SpanReading) -> Offer | None:
    """What a span says of the tools that were offered.

    Args:
        span: attributes flat, as recorded.
        reading: what else it says.

    Returns:
        None where it names no tool with a schema.
    """
    if PLACES.isdisjoint(span.attributes):
        return None
    written = _of_call(span, reading) if reading.calls and reading.model is None else ()
    if not written:
        written = _listed(span.attributes)
    if not written or sum(len(said) for _, said in written) > MOST_CHARACTERS:
        return None
    return _offer(written)


def _of_call(span: Span, reading: SpanReading) -> _Written:
    """The schema of the tool that a span itself calls."""
    name, schema = reading.calls[0].name, first(span.attributes, names.OWN_SCHEMAS)
    return ((name, said),) if name and (said := _as_text(schema)) else ()


def _listed(attributes: Mapping[str, Json]) -> _Written:
    for key in names.TOOL_LISTS:
        if said := _as_text(attributes.get(key)):
            return (("", said),)
    if _FIRST_OI_TOOL in attributes:
        return tuple(
            _flattened(attributes, names.OI_TOOLS, names.OI_TOOL_NAMES, (names.OI_TOOL_SCHEMA,))
        )
    if _FIRST_TL_FUNCTION in attributes:
        keys = (names.TL_FUNCTION_NAME,), names.TL_FUNCTION_SCHEMAS
        return tuple(_flattened(attributes, names.TL_FUNCTIONS, *keys))
    return ()


def _flattened(
    attributes: Mapping[str, Json], prefix: str, named: Iterable[str], schemas: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """Tools written as one attribute per value."""
    for number in range(MOST_TOOLS):
        here = prefix.format(number)
        schema = _as_text(first(attributes, (here + key for key in schemas)))
        name = first_text(attributes, tuple(here + key for key in named))
        if schema is None and name is None:
            return
        if schema is not None:
            yield name or "", schema


def _as_text(value: Json) -> str | None:
    """What is recorded, as text that can be told apart and remembered."""
    if isinstance(value, str):
        return value if value[:1] in ("{", "[") else None
    if not isinstance(value, dict | list):
        return None
    try:
        return msgspec.json.encode(value).decode()
    except (ValueError, TypeError, OverflowError, RecursionError):
        return None


@lru_cache(maxsize=MOST_KEPT)
def _offer(written: _Written) -> Offer | None:
    found: dict[str, ToolSchema | None] = {}
    for name, said in written:
        for tool, schema in _tools(content.unpacked(said), name, _DEEPEST):
            if len(found) >= MOST_TOOLS:
                break
            made = _schema(schema)
            if made is not None:
                found[tool] = made if found.get(tool, made) == made else None
    tools = {tool: schema for tool, schema in found.items() if schema is not None}
    if not tools:
        return None
    digest = blake2b(repr(written).encode(errors="replace"), digest_size=16).hexdigest()
    return Offer(digest, tools, sum(len(said) for _, said in written))


def _tools(value: Json, name: str, depth: int) -> Iterator[tuple[str, Json]]:
    """Names and schemas in a list of tools, a wrapper around one, a tool, or a bare schema of a tool with this name."""
    if (entries := a_list(value)) is not None:
        for entry in entries:
            inner = content.structure(entry) if isinstance(entry, str) else entry
            yield from _tools(inner, "", depth - 1) if depth else ()
        return
    tool = an_object(value)
    if tool is None:
        return
    for key in _WRAPPERS:
        if (inner := tool.get(key)) is not None and isinstance(inner, dict | list) and depth:
            yield from _tools(inner, name, depth - 1)
            return
    own = text(tool, "name") or name
    schema = first(tool, names.SCHEMA_KEYS)
    if schema is None and name and _is_schema(tool):
        own, schema = name, tool
    if own and schema is not None:
        yield own, schema


def _is_schema(value: Mapping[str, Json]) -> bool:
    return value.get("type") == "object" or "properties" in value


def _schema(value: Json) -> ToolSchema | None:
    found = an_object(content.structure(value))
    if found is not None and (inner := an_object(found.get("jsonSchema"))) is not None:
        found = inner  # the AI SDK's own wrapper
    if found is None:
        return None
    try:
        return ToolSchema(found)
    except RecursionError:
        return None
