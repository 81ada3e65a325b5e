"""MLflow's own attributes: every value is JSON text."""

import json

import pytest

from toolscore_otel.conventions import prompts
from toolscore_otel.conventions.reading import AgentReading
from toolscore_otel.model import ContentState, Gap, Payload, Stage, Status

TOOL = {"mlflow.spanType": '"TOOL"'}
ASKED = {"mlflow.spanInputs": '{"q": 1}'}
TRACED = {"mlflow.spanFunctionName": '"search"'}
ASKS = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"q": 1}'}}


def model(heard, said, form, **others):
    return {
        "mlflow.spanType": '"CHAT_MODEL"',
        "mlflow.spanInputs": json.dumps(heard),
        "mlflow.spanOutputs": json.dumps(said),
        "mlflow.message.format": json.dumps(form),
    } | {f"mlflow.{name}": json.dumps(value) for name, value in others.items()}


def test_a_tool_is_named_by_its_span(read_call):
    call = read_call(TOOL | ASKED | {"mlflow.spanOutputs": '"found"'}, name="search", status="ok")
    assert (call.convention, call.name, call.call_id) == ("mlflow", "search", None)
    assert (call.args.value, call.result.value, call.status) == ({"q": 1}, "found", Status.OK)


def test_a_failed_tool_has_no_answer(read_call):
    raised = ("exception", {"exception.type": "Down", "exception.message": "503"})
    call = read_call(TOOL | ASKED, name="search", status="error", events=(raised,))
    assert (call.result, call.status) == (Payload(), Status.ERROR)
    assert (call.error_type, call.error_message) == ("Down", "503")


@pytest.mark.parametrize(("state", "status"), [("success", Status.OK), ("error", Status.ERROR)])
def test_langchain_answers_with_a_message(read_call, state, status):
    answer = {"content": "503", "type": "tool", "tool_call_id": "c1", "status": state}
    metadata = {"metadata": '{"lc_agent_name": "desk"}'}
    call = read_call(
        TOOL | ASKED | metadata | {"mlflow.spanOutputs": json.dumps(answer)}, name="search"
    )
    assert (call.call_id, call.agent, call.result.value) == ("c1", "desk", 503)
    assert call.status is status


def test_langchain_names_the_call_that_failed(read_call):
    call = read_call(TOOL | {"tool_call_id": '"c1"'}, name="search", status="error")
    assert call.call_id == "c1"


def test_an_agents_call_that_waits_for_approval_looks_like_one_that_answered_nothing(read_call):
    nothing = {"mlflow.spanOutputs": "null"}
    call = read_call(TOOL | ASKED | nothing, name="search", status="ok")
    assert (call.status, call.result) == (Status.UNKNOWN, Payload())
    assert (call.stage, call.gaps) == (Stage.REQUESTED, (Gap.MAY_HAVE_WAITED,))
    traced = read_call(TOOL | ASKED | TRACED | nothing, name="search", status="ok")
    assert (traced.status, traced.result.state) == (Status.OK, ContentState.OBSERVED)


def test_crewai_wraps_arguments_and_answer(read_call):
    wrapped = {
        "mlflow.spanInputs": '{"tool_name": "search", "tool_args": {"q": 1}}',
        "mlflow.spanOutputs": '{"result": "found"}',
    }
    call = read_call(TOOL | wrapped, name="search")
    assert (call.args.value, call.result.value) == ({"q": 1}, "found")


def test_the_name_of_a_traced_function_may_be_dotted(read_call):
    assert read_call(TOOL | TRACED, name="shop.search").name == "shop.search"


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("MCPToolset.list_tools", {}),
        ("Images", {}),
        ("PromptBuilder", {"haystack.component.type": "PromptBuilder"}),
        ("tool_Bash", {"tool_id": '"c1"'}),
        ("search", {"mlflow.spanInputs": '{"agent_action": {"tool": "search"}}'}),
        ("", {}),
    ],
    ids=["method", "images", "component", "transcript", "older crewai", "no name"],
)
def test_what_else_is_called_a_tool_is_none(read_span, name, others):
    assert read_span(TOOL | others, name=name) is None


@pytest.mark.parametrize("kind", ['"RETRIEVER"', '"LLM"', '"CHAIN"', '""', 7, "[]"])
def test_spans_of_other_types_say_nothing(read_span, kind):
    assert read_span({"mlflow.spanType": kind}, name="search") is None


@pytest.mark.parametrize(
    ("span", "others", "agent"),
    [
        ("desk", {}, "desk"),
        ("AgentRunner.run", {}, None),
        ("Agent.run", {"name": '"desk"'}, "desk"),
        ("", {}, None),
    ],
)
def test_an_agent_is_named_by_an_attribute_or_by_its_span(read_span, span, others, agent):
    reading = read_span({"mlflow.spanType": '"AGENT"'} | others, name=span)
    assert reading.agent == AgentReading(convention="mlflow", name=agent)


def test_the_chain_that_bears_the_name_of_a_langchain_agent_is_its_run(read_span):
    chain = {"mlflow.spanType": '"CHAIN"', "metadata": '{"lc_agent_name": "desk"}'}
    assert read_span(chain, name="desk").agent.name == "desk"
    assert read_span(chain, name="model") is None


def test_a_model_call_tells_tokens_and_cost(read_span):
    used = {"input_tokens": 9, "cache_read_input_tokens": 4, "output_tokens": 2, "total_tokens": 11}
    names = {"llm.model": "gpt-4o", "llm.provider": "openai", "chat.tokenUsage": used}
    told = read_span(model({}, {}, "openai", **names, **{"llm.cost": {"total_cost": 0.5}})).model
    assert (told.model, told.provider, told.cost_usd) == ("gpt-4o", "openai", 0.5)
    assert (told.input_tokens, told.cached_tokens, told.output_tokens) == (9, 4, 2)


def test_a_text_completion_is_a_model_call_where_it_tells_tokens(read_span):
    spent = {"mlflow.spanType": '"LLM"', "mlflow.chat.tokenUsage": '{"input_tokens": 9}'}
    assert read_span(spent).model.input_tokens == 9


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("openai", {"choices": [{"message": {"role": "assistant", "tool_calls": [ASKS]}}]}),
        (
            "openai",
            {
                "output": [
                    {
                        "type": "function_call",
                        "id": "fc_1",
                        "call_id": "c1",
                        "name": "search",
                        "arguments": '{"q": 1}',
                    }
                ]
            },
        ),
        (
            "anthropic",
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "c1", "name": "search", "input": {"q": 1}}],
            },
        ),
        ("openai-agent", [{"role": "assistant", "content": None, "tool_calls": [ASKS]}]),
        (
            "pydantic_ai",
            {
                "parts": [
                    {
                        "tool_name": "search",
                        "args": '{"q": 1}',
                        "tool_call_id": "c1",
                        "part_kind": "tool-call",
                    }
                ]
            },
        ),
    ],
)
def test_an_answer_asks_for_tools(read_call, form, said):
    call = read_call(model({}, said, form))
    assert (call.what, call.name, call.call_id, call.args.value) == (
        "request", "search", "c1", {"q": 1},
    )  # fmt: skip


@pytest.mark.parametrize("form", ["openai", "langchain", "openai-agent"])
def test_a_request_tells_the_answers_that_are_new(read_call, form):
    history = [
        {"role": "user", "content": "Go.", "tool_call_id": None},
        {"role": "assistant", "content": None, "tool_calls": [ASKS]},
        {"role": "tool", "tool_call_id": "c1", "content": "found"},
    ]
    call = read_call(model(history if form == "openai-agent" else {"messages": history}, "", form))
    assert (call.what, call.name, call.call_id, call.result.value) == (
        "response", "search", "c1", "found",
    )  # fmt: skip


def test_messages_in_a_form_that_is_not_known_are_not_read(read_span):
    said = {"choices": [{"message": {"role": "assistant", "tool_calls": [ASKS]}}]}
    assert read_span(model({}, said, "smolagents")).calls == ()


def test_nothing_in_a_history_of_pydantic_ai_is_read(read_span):
    history = {"messages": [{"role": "tool", "tool_call_id": "c1", "content": "found"}]}
    assert read_span(model(history, {}, "pydantic_ai")).calls == ()


def test_the_tools_on_offer_are_read(read_span):
    tools = [{"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}]
    offer = read_span(model({}, {}, "openai", **{"chat.tools": tools})).offer
    assert list(offer.tools) == ["search"]


def test_the_messages_are_looked_through_for_secrets(make_span):
    heard = {"messages": [{"role": "user", "content": "Go."}]}
    pieces = dict(prompts.of_span(make_span(model(heard, "Gone.", "openai"))))
    assert pieces["mlflow.spanInputs.messages.0"] == '{"role": "user", "content": "Go."}'
