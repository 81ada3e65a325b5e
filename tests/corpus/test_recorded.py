"""The same scenarios by several producers, in every mode of content capture: nothing is said that is not so.

What ran in each scenario is written out by hand. What a mode hides, or a producer does not record, may be missing; what is
said has to be right. How much is said stands in `SAID`.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, NamedTuple

import pytest
from inline_snapshot import snapshot

from tests.corpus.recordings import PRODUCERS, calls_in, recorded_files
from toolscore_otel.model import ContentState, Stage, Status, ToolCall


class Ran(NamedTuple):
    """A call of a scenario.

    Attributes:
        args: None for what was no JSON.
        ends: `ok`, `error`, `never` for what was asked for and did not run, `either` where a failure came back as data.
        result: None where it failed.
        position: which turn of the model asked for it, and where there: the end of its call id.
        of: the scenario that its call id names; empty for its own.
        agent: around it, where the producer tells of agents.
    """

    tool: str
    args: Any
    ends: str
    result: Any = None
    position: str = "0_0"
    of: str = ""
    agent: str = "support_agent"


PARIS = {"city": "Paris"}
RAIN = "rainy, 14C in Paris"
REFUND = {"order_id": "A-17", "amount": 42.0}
FILTERS = {"filters": {"status": ["open", "held"], "total": {"gte": 10}}, "limit": 3}
ORDERS = [
    {"id": "A-17", "total": 42.0, "tags": ["x", None]},
    {"id": "A-18", "total": 10, "tags": []},
]
ASKED = {"input": "SCENARIO:single weather please"}
EACCES = {"ok": False, "error": "EACCES", "path": "/etc/x"}

SCENARIOS = {
    "single": [Ran("get_weather", PARIS, "ok", RAIN)],
    "noargs": [Ran("list_orders", {}, "ok", [])],
    "parallel": [
        Ran("get_weather", PARIS, "ok", RAIN),
        Ran("get_weather", {"city": "Oslo"}, "ok", "rainy, 14C in Oslo", "0_1"),
    ],
    "chain": [
        Ran("get_weather", PARIS, "ok", RAIN),
        Ran("convert_temperature", {"celsius": 18.5, "to": "F"}, "ok", 65.3, "1_0"),
    ],
    "error": [Ran("refund_order", REFUND, "error")],
    "retry": [
        Ran("flaky_lookup", {"key": "k1"}, "error"),
        Ran("flaky_lookup", {"key": "k1"}, "ok", "value-of-k1", "1_0"),
    ],
    "unknown": [Ran("no_such_tool", {"x": 1}, "never")],
    "badargs": [Ran("get_weather", None, "never")],
    "soft_error": [Ran("soft_fail", {"path": "/etc/x"}, "either", EACCES)],
    "struct": [Ran("search_orders", FILTERS, "ok", ORDERS)],
    "delegate": [
        Ran("ask_weather_agent", ASKED, "ok", "Done.", agent="main_agent"),
        Ran("get_weather", PARIS, "ok", RAIN, of="single", agent="weather_agent"),
    ],
}

MAY_SAY = {
    Status.OK: {"ok", "either"},
    Status.ERROR: {"error", "never", "either"},
    Status.UNKNOWN: {"ok", "error", "never", "either"},
}

HANDLED = "langchain_handled"
"""Its tool fails, its framework makes a result of that, and nothing on its span says so."""

AGENTS = {"mcp": "demo"}
"""The agent around, where the producer's has another name."""


def ran_in(producer: str, scenario: str) -> list[Ran]:
    if producer == "pydantic_evals_online":
        return []  # a span of an agent without anything in it
    ran = SCENARIOS[scenario]
    if producer == HANDLED:
        return [one._replace(ends="either") for one in ran]
    return [one._replace(agent=AGENTS.get(producer, one.agent)) for one in ran]


def plain(value: Any) -> Any:
    """A result as it was meant: the lone text block of Strands unpacked, JSON in text decoded."""
    if isinstance(value, list) and len(value) == 1 and list(value[0]) == ["text"]:
        value = value[0]["text"]
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def said_of(call: ToolCall, ran: Ran, scenario: str) -> dict[str, bool]:
    """What a rebuilt call says, and whether it is so."""
    said: dict[str, bool] = {}
    if call.args_state is ContentState.OBSERVED and ran.args is not None:
        said["args"] = call.args == ran.args
    if call.result_state is ContentState.OBSERVED and ran.result is not None:
        said["result"] = plain(call.result) == ran.result
    if call.status is not Status.UNKNOWN:
        said["status"] = ran.ends in MAY_SAY[call.status]
    if call.agent is not None:
        said["agent"] = call.agent == ran.agent
    if call.call_id is not None:
        said["id"] = call.call_id.partition("_")[2] == f"{ran.of or scenario}_{ran.position}"
    return said


def the_one(call: ToolCall, ran: list[Ran], scenario: str) -> Ran | None:
    """Which of those that ran it tells of: nothing that it says is otherwise, or as little as can be."""
    named = [one for one in ran if one.tool == call.tool]
    return min(
        named,
        key=lambda one: list(said_of(call, one, scenario).values()).count(False),
        default=None,
    )


def held(producer: str) -> tuple[dict[str, dict[str, Counter[str]]], list[str]]:
    """How much is said in each mode, of calls that were seen to run and of those that were only asked for; what is wrong."""
    told: dict[str, dict[str, Counter[str]]] = {}
    wrong: list[str] = []
    for (scenario, mode), paths in recorded_files(producer).items():
        counts = told.setdefault(mode, {stage.value: Counter() for stage in Stage})
        left = {stage: list(ran_in(producer, scenario)) for stage in Stage}
        for call in calls_in(paths):
            ran = the_one(call, left[call.stage], scenario)
            if ran is None:
                wrong.append(f"{scenario}.{mode}: {call.tool} is one too many")
                continue
            left[call.stage].remove(ran)
            said = said_of(call, ran, scenario)
            wrong += [f"{scenario}.{mode}: {what} of {call}" for what, so in said.items() if not so]
            counts[call.stage.value].update(("calls", *said))
    return told, wrong


@pytest.mark.parametrize("producer", PRODUCERS)
def test_no_statement_is_wrong(producer: str) -> None:
    assert held(producer)[1] == []


def test_of_each_scenario_is_said_what_its_mode_shows() -> None:
    told = {
        f"{producer} {mode}": " / ".join(
            ", ".join(f"{number} {what}" for what, number in sorted(count.items()))
            for count in counts.values()
        )
        for producer in PRODUCERS
        for mode, counts in held(producer)[0].items()
    }
    assert told == snapshot(
        {
            "anthropic span_and_event": "12 args, 13 calls, 13 id / 12 args, 13 calls, 13 id, 9 result",
            "anthropic event_only": "3 args, 3 calls, 3 id / 3 args, 3 calls, 3 id, 2 result",
            "anthropic no_content": " / ",
            "anthropic span_only": "3 args, 3 calls, 3 id / 3 args, 3 calls, 3 id, 2 result",
            "langchain span_and_event": "1 agent, 1 args, 1 calls, 1 id / 10 agent, 10 args, 10 calls, 10 id, 8 result, 10 status",
            "langchain event_only": " / 3 agent, 3 args, 3 calls, 3 id, 2 result, 3 status",
            "langchain no_content": " / 3 agent, 3 calls, 3 id, 3 status",
            "langchain span_only": " / 3 agent, 3 args, 3 calls, 3 id, 2 result, 3 status",
            "langchain_delegate span_and_event": " / 2 agent, 2 args, 2 calls, 2 id, 2 result, 2 status",
            "langchain_handled span_and_event": " / 1 agent, 1 args, 1 calls, 1 id, 1 status",
            "mcp default": " / 9 agent, 9 calls, 9 status",
            "openai_agents span_and_event": "1 agent, 1 args, 1 calls, 1 id / 12 agent, 11 args, 12 calls, 12 id, 9 result, 12 status",
            "openai_agents event_only": " / 3 agent, 3 args, 3 calls, 3 id, 2 result, 3 status",
            "openai_agents no_content": " / 3 agent, 3 calls, 3 status",
            "openai_agents span_only": " / 3 agent, 3 args, 3 calls, 3 id, 2 result, 3 status",
            "openai_agents_as_tool span_and_event": " / 2 agent, 2 args, 2 calls, 2 id, 2 result, 2 status",
            "openai_chat span_and_event": "12 args, 13 calls, 13 id / 12 args, 13 calls, 13 id, 9 result",
            "openai_chat event_only": "3 args, 3 calls, 3 id / 3 args, 3 calls, 3 id, 2 result",
            "openai_chat no_content": " / ",
            "openai_chat span_only": "3 args, 3 calls, 3 id / 3 args, 3 calls, 3 id, 2 result",
            "openai_responses span_and_event": "12 args, 13 calls, 13 id / 12 args, 13 calls, 13 id, 9 result",
            "openai_v2_legacy true": "12 args, 13 calls, 13 id / 12 args, 13 calls, 13 id, 9 result",
            "openai_v2_legacy false": "3 calls, 3 id / 3 calls, 3 id",
            "pydantic_evals_online default": " / ",
            "pydantic_v5 span_only": "2 agent, 1 args, 2 calls, 2 id, 1 status / 10 agent, 10 args, 10 calls, 10 id, 8 result, 10 status",
            "pydantic_v5 no_content": " / 3 agent, 3 calls, 3 id, 3 status",
            "strands_latest default": "2 agent, 1 args, 2 calls, 2 id, 2 status / 11 agent, 11 args, 11 calls, 11 id, 9 result, 11 status",
        }
    )


def test_what_ran_last_is_told_last() -> None:
    for producer in PRODUCERS:
        for (scenario, mode), paths in recorded_files(producer).items():
            if scenario not in {"chain", "retry"}:
                continue
            ids = [call.call_id for call in calls_in(paths) if call.stage is Stage.EXECUTED]
            assert ids == sorted(ids, key=str), (producer, scenario, mode)
