"""The fixture of the plugin."""

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

from toolscore_otel import Contract
from toolscore_otel.testing import plugin

CONTRACT = Contract.from_dict({"contract": "c", "language": 1, "forbid": ["rm"]})

toolscore = plugin.toolscore


@pytest.fixture(autouse=True)
def _own_provider(monkeypatch):
    """A provider that is nobody else's."""
    provider = TracerProvider(shutdown_on_exit=False)
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    yield
    provider.shutdown()


def call_tool(toolscore, tool="rm"):
    toolscore.provider.get_tracer("app").start_span(f"execute_tool {tool}").end()


def test_calls_of_the_test_are_captured(toolscore):
    call_tool(toolscore)
    assert [call.tool for call in toolscore.calls] == ["rm"]


def test_the_scenario_is_the_name_of_the_test(toolscore):
    call_tool(toolscore)
    assert {span.attributes["toolscore.scenario"] for span in toolscore.spans} == {
        "test_the_scenario_is_the_name_of_the_test"
    }


def test_what_was_captured_is_held_against_a_contract(toolscore):
    call_tool(toolscore, "search")
    toolscore.assert_contract(CONTRACT)
    call_tool(toolscore)
    with pytest.raises(AssertionError, match="`c` does not hold: 1 finding"):
        toolscore.assert_contract(CONTRACT)
    assert [found.rule for found in toolscore.report(CONTRACT).findings] == ["forbid.1"]


def test_nothing_is_captured_before_and_after(toolscore):
    assert toolscore.spans == ()
    switch = plugin._switches[toolscore.provider]
    switch.to = None
    call_tool(toolscore)
    assert toolscore.spans == ()


def test_where_no_provider_is_set_one_is(monkeypatch):
    made: list[object] = []
    monkeypatch.setattr(trace, "get_tracer_provider", object)
    monkeypatch.setattr(trace, "set_tracer_provider", made.append)
    provider = plugin._provider()
    assert made == [provider]
    provider.shutdown()
