# pyright: reportOptionalMemberAccess=false, reportOptionalSubscript=false, reportArgumentType=false

import json
from typing import Any

import pytest

from toolscore_otel.conventions import offers, read
from toolscore_otel.conventions.reading import Offer
from toolscore_otel.model import ToolSchema

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}}
OTHER = {"type": "object", "required": ["id"]}
CHAT = {"gen_ai.operation.name": "chat"}
TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"}


def offered(make_span, attributes):
    """What is offered on a span, by tool."""
    reading = read(make_span(attributes))
    if reading is None or reading.offer is None:
        return None
    return {name: schema.schema for name, schema in (reading.offer.tools or {}).items()}


LISTS: list[Any] = [
    [{"type": "function", "name": "search", "parameters": SCHEMA}],
    [{"type": "function", "function": {"name": "search", "parameters": SCHEMA}}],
    [{"name": "search", "input_schema": SCHEMA}],
    [{"name": "search", "inputSchema": SCHEMA}],
    [{"name": "search", "inputSchema": {"jsonSchema": SCHEMA}}],
    [{"name": "search", "parameters": json.dumps(SCHEMA)}],
    [json.dumps({"name": "search", "parameters": SCHEMA})],
    [{"functionDeclarations": [{"name": "search", "parametersJsonSchema": SCHEMA}]}],
    [{"function_declarations": [{"name": "search", "parameters": SCHEMA}]}],
    {"function_tools": [{"name": "search", "parameters_json_schema": SCHEMA}], "output_tools": []},
    {"name": "search", "parameters": SCHEMA},
]


@pytest.mark.parametrize("written", LISTS)
@pytest.mark.parametrize("as_text", [json.dumps, repr, lambda value: value])
def test_a_list_of_tools_is_read_however_it_is_written(written, as_text, make_span):
    attributes = {**CHAT, "gen_ai.tool.definitions": as_text(written)}
    assert offered(make_span, attributes) == {"search": SCHEMA}


@pytest.mark.parametrize(
    "key",
    [
        "gen_ai.tool.definitions",
        "gen_ai.request.tools",
        "model_request_parameters",
        "ai.prompt.tools",
        "llm.openai.tools",
    ],
)
def test_lists_stand_under_names_of_several_vendors(key, make_span):
    assert offered(make_span, {**CHAT, key: json.dumps(LISTS[0])}) == {"search": SCHEMA}


def test_tools_written_one_attribute_per_value(make_span):
    openinference = {
        "openinference.span.kind": "LLM",
        "llm.tools.0.tool.json_schema": json.dumps(LISTS[1][0]),
        "llm.tools.1.tool.name": "pay",
        "llm.tools.1.tool.json_schema": json.dumps(OTHER),
        "llm.tools.2.tool.name": "bare",
        "llm.tools.3.tool.json_schema": json.dumps({"properties": {}}),
    }
    assert offered(make_span, openinference) == {"search": SCHEMA, "pay": OTHER}
    traceloop = {
        "gen_ai.system": "x",
        "gen_ai.request.model": "m",
        "gen_ai.usage.input_tokens": 3,
        "llm.request.functions.0.name": "search",
        "llm.request.functions.0.parameters": json.dumps(SCHEMA),
        "llm.request.functions.1.name": "pay",
        "llm.request.functions.1.input_schema": json.dumps(OTHER),
    }
    assert offered(make_span, traceloop) == {"search": SCHEMA, "pay": OTHER}


@pytest.mark.parametrize("key", ["gen_ai.tool.json_schema", "spring.ai.tool.definition.schema"])
def test_a_tool_span_may_tell_the_schema_of_its_own_tool(key, make_span):
    assert offered(make_span, {**TOOL, key: json.dumps(SCHEMA)}) == {"search": SCHEMA}
    assert offered(make_span, {**TOOL, key: SCHEMA}) == {"search": SCHEMA}
    assert offered(make_span, {**TOOL, key: "text"}) is None
    assert offered(make_span, {"gen_ai.operation.name": "execute_tool", key: SCHEMA}) is None


def test_an_agent_span_may_list_tools(make_span):
    attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.tool.definitions": json.dumps(LISTS[0]),
    }
    assert offered(make_span, attributes) == {"search": SCHEMA}


@pytest.mark.parametrize(
    "written",
    [
        "text",
        "[",
        "[]",
        "3",
        7,
        [3, None, "x"],
        [{"name": "search"}],
        [{"parameters": SCHEMA}],
        [{"name": "search", "parameters": "text"}],
        [{"name": "search", "parameters": [1]}],
        [{"name": "search", "parameters": {"x": "\ud800"}}],
        [[[[[{"name": "search", "parameters": SCHEMA}]]]]],
        [{"name": "a", "parameters": SCHEMA}, {"name": "a", "parameters": OTHER}],
        ["x" * (1 << 18)],
    ],
)
def test_what_names_no_tool_with_a_schema_is_no_offer(written, make_span):
    assert offered(make_span, {**CHAT, "gen_ai.tool.definitions": written}) is None


def test_a_tool_that_is_listed_twice_with_one_schema_is_one(make_span):
    written = json.dumps([*LISTS[0], *LISTS[1]])
    assert offered(make_span, {**CHAT, "gen_ai.tool.definitions": written}) == {"search": SCHEMA}


def test_a_span_that_says_nothing_else_offers_nothing(make_span):
    attributes = {"gen_ai.conversation.id": "c", "gen_ai.tool.definitions": json.dumps(LISTS[0])}
    assert offered(make_span, attributes) is None


def test_too_many_tools_are_not_all_looked_at(make_span, monkeypatch):
    monkeypatch.setattr(offers, "MOST_TOOLS", 2)
    tools = [{"name": f"cap {n}", "parameters": SCHEMA} for n in range(3)]
    found = offered(make_span, {**CHAT, "gen_ai.tool.definitions": json.dumps(tools)})
    assert list(found) == ["cap 0", "cap 1"]
    flat = {f"llm.tools.{n}.tool.json_schema": json.dumps(tools[n]) for n in range(3)}
    found = offered(make_span, {"openinference.span.kind": "LLM", **flat})
    assert list(found) == ["cap 0", "cap 1"]


def test_a_schema_that_is_nested_too_deep_is_none(make_span, monkeypatch):
    def too_deep(_):
        raise RecursionError

    monkeypatch.setattr(offers, "ToolSchema", too_deep)
    written = json.dumps([{"name": "deep", "parameters": SCHEMA}])
    assert offered(make_span, {**CHAT, "gen_ai.tool.definitions": written}) is None


def test_numbers_of_any_size_may_stand_in_a_schema(make_span):
    written = f"[{{'name': 'big', 'parameters': {{'maximum': {10**40}}}}}]"
    found = offered(make_span, {**CHAT, "gen_ai.tool.definitions": written})
    assert found == {"big": {"maximum": 10**40}}
    assert ToolSchema(found["big"]) == ToolSchema({"maximum": 10**40})


def test_the_same_text_is_read_once(make_span):
    span = make_span({**CHAT, "gen_ai.tool.definitions": json.dumps(LISTS[0])})
    one, other = (reading and reading.offer for reading in (read(span), read(span)))
    assert isinstance(one, Offer)
    assert one is other
    assert one.size == len(json.dumps(LISTS[0]))
    assert repr(one) == f"Offer({one.digest})"
    assert len({one, other}) == 1


def test_schemas_that_say_the_same_are_equal():
    one, other = ToolSchema({"a": 1, "b": 2}), ToolSchema({"b": 2, "a": 1})
    assert one == other
    assert len({one, other}) == 1
    assert one != ToolSchema({"a": 1})
    assert one != {"a": 1, "b": 2}
    assert ToolSchema(None, digest="x").digest == "x"
