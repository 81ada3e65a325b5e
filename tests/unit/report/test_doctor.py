"""A diagnosis on a terminal of 80 columns, and as JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from inline_snapshot import snapshot
from msgspec import structs
from rich.cells import cell_len

from tests.unit.engine.conftest import agent, contract, make_span, model, tool
from tests.unit.report.conftest import Shown
from toolscore_otel.contracts import Contract
from toolscore_otel.engine.checkable import Missing
from toolscore_otel.engine.diagnosis import diagnose
from toolscore_otel.engine.observed import Origin
from toolscore_otel.model import Gap, Span
from toolscore_otel.report.doctor_advice import turns
from toolscore_otel.report.doctor_console import print_diagnosis
from toolscore_otel.report.doctor_json import diagnosis_object
from toolscore_otel.report.doctor_words import FACTS, GAPS
from toolscore_otel.report.terminal import plain
from toolscore_otel.secrets import Scanner, redact_text
from toolscore_otel.secrets.samples import make_sample

__all__ = ["agent", "contract", "model", "tool"]  # fixtures

GENAI = "opentelemetry.instrumentation.genai.openai_agents"


@pytest.fixture
def spans(agent, tool, model) -> list[Span]:
    """Two instrumentations of one service, and one that is not known."""
    more = {"service": "shop", "trace": "t1"}
    return [
        agent("a", scope=GENAI, **more),
        tool("x", "refund", parent="a", scope=GENAI, **more),
        tool("y", "lookup", parent="a", scope=GENAI, at=30, failed=True, **more),
        model(
            "m", tokens=9, parent="a", scope="opentelemetry.instrumentation.genai.openai", **more
        ),
        tool("z", "search", args={"q": 1}, result="y", took=None, trace="t2", scope="my.app"),
    ]


RULES = {
    "forbid": ["delete_user", {"tool": "refund", "args": {"amount": {"$gt": 9}}}],
    "require": [{"id": "a-lookup-first", "tool": "lookup"}],
    "loop": {"same_call": 3},
    "budget": [{"of": "trace", "cost_usd": 1}, {"of": "call", "latency_ms": 9}],
}


def clean(text: str) -> str:
    return plain(redact_text(text, Scanner()))


def show(shown: Shown, spans: list[Span], *contracts: Contract) -> str:
    """What is printed of these spans."""
    diagnosis = diagnose(spans, contracts)
    print_diagnosis(diagnosis, contracts, shown.console, clean, spans=len(spans), logs=0)
    return shown.text


def data(spans: list[Span], *contracts: Contract) -> dict[str, Any]:
    return diagnosis_object(diagnose(spans, contracts), contracts, Scanner(), spans=5, logs=2)


def test_every_gap_and_every_fact_has_its_words():
    assert set(GAPS) == set(Gap)
    assert max(map(len, FACTS.values())) < 13


def test_a_diagnosis_is_a_block_for_each_instrumentation(shown, spans):
    assert show(shown, spans) == snapshot("""\
5 spans, 0 log records, 2 traces
3 tool calls, of which 3 seen to run (100%)

Service shop

  opentelemetry.instrumentation.genai.openai_agents
  OpenTelemetry, OpenAI Agents, convention genai
  2 calls, 2 seen to run, 1 agent span
    tool name    ████████████ 2 of 2      agent        ████████████ 2 of 2
    arguments    ············ 0 of 2      call id      ············ 0 of 2
    result       ············ 0 of 1      conversation ············ 0 of 2
    status       ████████████ 2 of 2      tool cost    ············ 0 of 2
    times        ████████████ 2 of 2
    for arguments and result:
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY (`true` is no
    help)
    never recorded by it: call id
    Model calls have spans only where opentelemetry-instrumentation-genai-openai
    is installed, too.

  opentelemetry.instrumentation.genai.openai
  OpenTelemetry, model clients, convention genai
  1 model span
    tokens       ████████████ 1 of 1
    model cost   ············ 0 of 1

Service without a name

  my.app
  convention genai
  1 call, 1 seen to run
    tool name    ████████████ 1 of 1      agent        ············ 0 of 1
    arguments    ████████████ 1 of 1      call id      ············ 0 of 1
    result       ████████████ 1 of 1      conversation ············ 0 of 1
    status       ············ 0 of 1      tool cost    ············ 0 of 1
    times        ············ 0 of 1
    status, times, agent, call id and conversation: nothing is known here of
    this instrumentation; its documentation may say how to record more.

Gaps
  agent_not_observed       1  No agent around the call is named.
  args_not_observed        2  What the tool was called with was not recorded.
  cost_not_known           1  A model call has neither a cost nor a known price.
  fragment                 1  Tool spans stand alone: the spans around them are
                              not here.
  no_call_id               3  Neither span nor message has the model's id of the
                              call.
  result_not_observed      2  What the tool gave back was not recorded.
  span_not_ended           1  The span had not ended when it was sent.
  status_not_observed      1  Nothing says whether the call failed.
  times_not_observed       1  Begin or end of the call is not known.\
""")


def test_with_a_contract_each_rule_is_answered(shown, spans, contract):
    text = show(shown, spans, contract(**RULES))

    assert text[text.index("Contract c") :] == snapshot("""\
Contract c: 1 of 6 rules can be checked, 3 in part
  ✓ forbid.1        yes     no call of it here; 3 of 3 others
  ✗ forbid.2        no      0 of 1 call
      arguments not observed, or cut, of 1 call
  ~ a-lookup-first  partly  1 of 2 traces
      all calls of the trace not observed, of 1 trace
  ~ loop.same_call  partly  1 of 3 calls
      arguments not observed, or cut, of 2 calls
  ✗ budget.1        no      0 of 2 traces
      cost not observed, of 2 traces
  ~ budget.2        partly  2 of 3 calls
      latency not observed, of 1 call
  To check more
    arguments from OpenTelemetry, OpenAI Agents, for forbid.2, loop.same_call:
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY (`true` is no
      help)
    all calls of the trace: parts of the trace are missing, or calls were asked
    for and not seen to run, for a-lookup-first
    cost: no cost was recorded; give `cost_usd` in the contract's `tools`, for
    budget.1
    latency: begin or end was not recorded, for budget.2\
""")


def test_what_can_be_checked_wholly_asks_for_no_switch(shown, spans, contract):
    assert show(shown, spans, contract(forbid=["delete_user"])).endswith(
        "Contract c: 1 of 1 rule can be checked\n"
        "  ✓ forbid.1  yes     no call of it here; 3 of 3 others"
    )


def test_what_nothing_can_be_switched_for_is_said_once_for_both_ends(shown, tool, contract):
    mcp = {"mcp.method.name": "tools/call", "gen_ai.tool.name": "search"}
    client = make_span("x", mcp, service="app", scope="mcp-python-sdk")
    server = make_span("y", mcp, parent="x", at=1, took=5, service="tools", scope="mcp-python-sdk")
    text = show(shown, [client, server], contract(loop={"same_call": 3}))

    assert text.count("arguments: MCP Python SDK never records this, for loop.same_call") == 1


def test_one_that_only_adds_to_the_calls_of_another_is_said_to(shown, tool):
    mcp = {"mcp.method.name": "tools/call", "gen_ai.tool.name": "search"}
    inner = make_span("y", mcp, parent="x", at=1, took=5, scope="mcp-python-sdk")
    text = show(shown, [tool("x", scope="lib"), inner])

    assert "  1 call, 1 seen to run; mcp-python-sdk tells of 1 of them, too\n" in text
    assert "  1 call of which another instrumentation tells more\n" in text


def test_an_instrumentation_that_shows_model_calls_only_has_one_column(shown, model):
    text = show(shown, [model("m", tokens=9)])

    assert "\n    tokens       ████████████ 1 of 1\n    model cost   " in text


def test_what_only_the_rule_itself_could_not_check_is_said_in_its_words(shown, tool, contract):
    hidden = tool("x", args={"amount": "[REDACTED]"})
    text = show(shown, [hidden], contract(forbid=[{"tool": "search", "args": {"amount": 9}}]))

    assert "~ forbid.1  partly  1 of 1 call\n      whether this call of `search`" in text


def test_without_any_call_a_rule_is_open(shown, agent, contract):
    text = show(shown, [agent("a")], contract(loop={"same_call": 3}))

    assert "? loop.same_call  open    no call was recorded that would tell" in text


def test_model_calls_without_any_tool_call_are_no_sign_of_health(shown, model):
    text = show(shown, [model("m", scope="litellm")])

    assert "No tool call. If the agent has tools, content capture is off" in text
    assert "for arguments and result: litellm.turn_off_message_logging=False" in text


def test_sampling_is_said_for_all_and_for_each(shown, tool):
    sampled = structs.replace(tool("x", scope="lib"), trace_state="ot=th:8")

    assert show(shown, [sampled]).count("1 span or record says so by ot=th, which kept 0.5") == 2


def test_sampling_without_a_share_is_said_without_one(shown, tool):
    spans = [
        structs.replace(tool(span_id), attributes={**tool("x").attributes, "tailsampling.policy": "p"})
        for span_id in ("x", "y")
    ]  # fmt: skip

    assert "2 spans or records say so by tailsampling.policy. Whatever" in show(shown, spans)


def test_cut_and_broken_arguments_are_said(shown):
    known = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "x"}
    cut = make_span("x", {**known, "gen_ai.tool.call.arguments": '{"a": "b'})
    broken = make_span("y", {**known, "gen_ai.tool.call.arguments": "a=b"}, at=20)

    text = show(shown, [cut, broken])
    assert "    arguments: 1 cut off at the end\n    arguments: 1 no JSON\n" in text


def test_a_bar_is_neither_empty_nor_full_where_its_fact_is_neither(shown, tool):
    spans = [tool(f"s{n}", at=20 * n, args={} if n else None) for n in range(99)]

    assert "arguments    ███████████▌ 98 of 99" in show(shown, spans)


def test_names_that_telemetry_gives_show_no_secret_and_steer_no_terminal(shown, tool, contract):
    secret = make_sample("github_token_classic", 3)
    span = tool("x", service=f"a\x1b[31m {secret}", scope=f"lib {secret}")
    rules = contract(loop={"same_call": 3})

    for text in (show(shown, [span], rules), json.dumps(data([span], rules))):
        assert secret not in text
        assert "\x1b" not in text


@pytest.mark.parametrize("width", [60, 80, 200])
def test_no_line_is_wider_than_the_terminal(shown, spans, contract, width):
    shown.console.width = width
    show(shown, spans, contract(**RULES))

    assert max(cell_len(line) for line in shown.lines) <= width


def test_as_json_it_has_all_that_is_printed(spans, contract):
    built = data(spans, contract(**RULES))

    assert list(built) == [
        *("spans", "logs", "traces", "coverage", "gaps", "sampled"),
        *("instrumentations", "contracts"),
    ]
    assert json.loads(json.dumps(built["instrumentations"][0])) == snapshot(
        {
            "service": "shop",
            "scope": "opentelemetry.instrumentation.genai.openai_agents",
            "version": "",
            "name": "OpenTelemetry, OpenAI Agents",
            "conventions": ["genai"],
            "calls": {
                "requested": 2,
                "executed": 2,
                "of_other_kinds": {},
                "told_better_by_others": 0,
            },
            "agents": 1,
            "models": 0,
            "beside": {},
            "facts": {
                "name": {
                    "of": 2,
                    "observed": 2,
                    "truncated": 0,
                    "unparsable": 0,
                    "not_observed": 0,
                },
                "arguments": {
                    "of": 2,
                    "observed": 0,
                    "truncated": 0,
                    "unparsable": 0,
                    "not_observed": 2,
                },
                "result": {
                    "of": 1,
                    "observed": 0,
                    "truncated": 0,
                    "unparsable": 0,
                    "not_observed": 1,
                },
                "status": {
                    "of": 2,
                    "observed": 2,
                    "truncated": 0,
                    "unparsable": 0,
                    "not_observed": 0,
                },
                "times": {
                    "of": 2,
                    "observed": 2,
                    "truncated": 0,
                    "unparsable": 0,
                    "not_observed": 0,
                },
                "agent": {
                    "of": 2,
                    "observed": 2,
                    "truncated": 0,
                    "unparsable": 0,
                    "not_observed": 0,
                },
                "call_id": {
                    "of": 2,
                    "observed": 0,
                    "truncated": 0,
                    "unparsable": 0,
                    "not_observed": 2,
                },
                "conversation": {
                    "of": 2,
                    "observed": 0,
                    "truncated": 0,
                    "unparsable": 0,
                    "not_observed": 2,
                },
                "cost": {
                    "of": 2,
                    "observed": 0,
                    "truncated": 0,
                    "unparsable": 0,
                    "not_observed": 2,
                },
            },
            "gaps": {"args_not_observed": 2, "no_call_id": 2, "result_not_observed": 2},
            "sampled": None,
            "switches": [
                {
                    "records": ["arguments", "result"],
                    "turn": "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY",
                    "remark": "`true` is no help",
                }
            ],
            "never": ["call_id"],
            "note": "Model calls have spans only where opentelemetry-instrumentation-genai-openai is installed, too.",
        }
    )
    assert json.loads(json.dumps(built["contracts"][0]["rules"][1])) == snapshot(
        {
            "rule": "forbid.2",
            "checkable": "no",
            "unit": "call",
            "of": 1,
            "can": 0,
            "tried": True,
            "missing": [
                {
                    "evidence": "arguments",
                    "count": 1,
                    "unit": "call",
                    "switches": [
                        {
                            "scope": "opentelemetry.instrumentation.genai.openai_agents",
                            "version": "",
                            "name": "OpenTelemetry, OpenAI Agents",
                            "turn": "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY",
                            "remark": "`true` is no help",
                            "never": False,
                        }
                    ],
                }
            ],
            "unchecked": 1,
            "said": "whether this call of `refund` is a forbidden one cannot be checked: arguments not observed (switch on content capture of the instrumentation to record arguments)",
        }
    )
    assert built["gaps"].keys() == built["coverage"]["gaps"].keys()


def test_what_is_not_known_is_null_in_json(tool):
    (one,) = data([tool("x")])["instrumentations"]

    assert (one["service"], one["name"], one["note"], one["sampled"]) == (None,) * 4


def test_what_never_records_arguments_of_tools_may_record_messages():
    origin = Origin(None, "opentelemetry.instrumentation.crewai.instrumentation", "")
    told = {
        word: [turn.never for turn in turns(Missing(word, 1, "trace", (origin,)))]
        for word in ("arguments", "messages")
    }
    assert told == {"arguments": [True], "messages": [False]}
