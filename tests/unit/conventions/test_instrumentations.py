import pytest

from toolscore_otel.conventions.instrumentations import INSTRUMENTATIONS, known_instrumentation
from toolscore_otel.conventions.switches import EVIDENCE


@pytest.mark.parametrize(
    ("scope", "version", "name"),
    [
        ("pydantic-ai", "2.68.0", "Pydantic AI"),
        ("openinference.instrumentation.crewai._event_listener", "1.1", "OpenInference, CrewAI"),
        ("openinference.instrumentation.agno", "1.0", "OpenInference"),
        ("opentelemetry.instrumentation.genai.openai", "1.3b0", "OpenTelemetry, model clients"),
        ("gcp.vertex.agent", "2.13.0", "Google ADK"),
        ("gcp.vertex.agent", "", "Google ADK 1, ADK for Java"),
        ("opentelemetry.instrumentation.openai_agents", "0.62.4", "OpenLLMetry, agents"),
    ],
)
def test_an_instrumentation_is_known_by_its_scope(scope, version, name):
    known = known_instrumentation(scope, version)

    assert known is not None
    assert known.name == name


def test_two_that_write_under_one_scope_are_told_apart_by_its_version():
    official = known_instrumentation("opentelemetry.instrumentation.openai_agents", "")

    assert official is not None
    assert official.name.startswith("OpenTelemetry")


@pytest.mark.parametrize("scope", ["", "my.app", "pydantic-ai-more"])
def test_of_others_nothing_is_known(scope):
    assert known_instrumentation(scope, "1.0") is None


def test_a_switch_is_found_by_what_it_records():
    (known,) = [one for one in INSTRUMENTATIONS if one.name == "Claude Code, spans"]

    assert [one.turn for one in known.switches_for("result")] == ["OTEL_LOG_TOOL_CONTENT=1"]
    assert known.switches_for("agent") == ()


@pytest.mark.parametrize("known", INSTRUMENTATIONS, ids=lambda known: known.name)
def test_the_table_speaks_of_evidence_only_and_contradicts_nothing(known):
    records = {word for switch in known.switches for word in switch.records}

    assert records | set(known.never) <= set(EVIDENCE)
    assert all(switch.turn for switch in known.switches)


def test_every_entry_is_reached_by_some_scope_of_its_own():
    for known in INSTRUMENTATIONS:
        scope, version = known.scopes[0].replace("*", "x"), known.version.replace("*", "9")
        assert known_instrumentation(scope, version) is known
