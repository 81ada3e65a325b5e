"""Sessions of a server: over restarts, reloads and many traces."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.server.pipeline_made import Made, agent, state_in, tool
from toolscore_otel.contracts import Contract
from toolscore_otel.errors import ConfigError
from toolscore_otel.model import ClosedBy
from toolscore_otel.secrets.samples import make_sample
from toolscore_otel.server.building import _rules
from toolscore_otel.server.config import Affinity, ServerConfig
from toolscore_otel.server.config.keys import Sessions
from toolscore_otel.server.loading import load_contracts
from toolscore_otel.testing.made import SECOND

DAY_S = 24 * 3600
TALK = {"gen_ai__conversation__id": "talk"}
FIRST_ASK = {"tool": "pay", "unless": {"before": {"tool": "ask"}}}
OF_SESSION: dict[str, Any] = {
    "contract": "desk",
    "language": 1,
    "scope": "session",
    "limit": [{"tool": "search", "max": 2}],
    "forbid": [FIRST_ASK],
    "require": ["log"],
}


def trace(number: int) -> str:
    return f"{number:032x}"


def pause(made: Made) -> None:
    made.clock.advance(100)
    made.pipeline.tick()


def test_a_session_is_judged_on_after_a_restart(tmp_path: Path) -> None:
    made = Made(OF_SESSION, state=state_in(tmp_path))
    made.take(agent(1, trace=trace(1), **TALK), tool(2, trace=trace(1), **TALK))
    pause(made)
    made.take(tool(1, trace=trace(2), **TALK))
    pause(made)
    made.state.close()
    again = Made(OF_SESSION, state=state_in(tmp_path), clock=made.clock)
    assert again.said() == []
    again.take(tool(1, trace=trace(3), **TALK))
    pause(again)
    assert again.said() == [("limit.1", "fail", 1)]
    again.clock.advance(DAY_S)
    again.pipeline.tick()
    assert again.said()[1:] == [("require.1", "fail", 1)]
    again.state.close()


def test_what_was_said_of_a_session_is_not_said_again_after_a_restart(tmp_path: Path) -> None:
    made = Made(OF_SESSION, state=state_in(tmp_path))
    made.take(tool(5, "pay", trace=trace(1), **TALK))
    pause(made)
    assert made.said() == [("forbid.1", "fail", 1)]
    made.take(tool(1, "ask", trace=trace(2), **TALK))
    pause(made)
    said = made.said()
    made.state.close()
    again = Made(OF_SESSION, state=state_in(tmp_path), clock=made.clock)
    pause(again)
    assert again.said() == said
    again.state.close()


def test_traces_of_a_session_that_is_over_are_not_brought_back(tmp_path: Path) -> None:
    state = state_in(tmp_path)
    made = Made(OF_SESSION, state=state)
    made.take(agent(1, trace=trace(1), **TALK))
    pause(made)
    assert state.traces_to_replay() == [trace(1)]
    made.clock.advance(DAY_S)
    made.pipeline.tick()
    assert state.traces_to_replay() == []
    made.take(agent(1, trace=trace(2), **TALK))
    assert state.traces_to_replay() == [trace(1), trace(2)]
    state.close()


def test_a_session_goes_on_by_the_rules_that_it_began_with(tmp_path: Path) -> None:
    made = Made(OF_SESSION)
    made.take(tool(1, trace=trace(1), **TALK), tool(2, trace=trace(1), **TALK))
    other = {**OF_SESSION, "limit": [{"tool": "search", "max": 0}]}
    made.pipeline.reload([Contract.from_dict(other)])
    made.take(tool(1, trace=trace(2), **TALK))
    assert made.said() == [("limit.1", "fail", 1)]
    assert [finding.count for finding in made.findings()] == [3]
    new = {"gen_ai__conversation__id": "new"}
    made.take(tool(1, trace=trace(3), **new))
    assert made.said()[1:] == [("limit.1", "fail", 1)]


def test_a_rule_that_raises_on_a_session_is_counted_after_a_reload_too() -> None:
    made = Made(OF_SESSION)
    made.take(tool(1, trace=trace(1), **TALK))
    made.pipeline.reload([Contract.from_dict(OF_SESSION)])
    session = next(iter(made.pipeline._judging.engine.sessions._open.values()))
    for slot in session._running[0]._all_slots():
        slot._state = None  # type: ignore[assignment]
    made.take(tool(1, trace=trace(2), **TALK))
    assert sum(made.pipeline.rule_errors().values()) > 0


def test_shutting_down_without_a_state_ends_sessions() -> None:
    made = Made(OF_SESSION)
    made.take(agent(1, trace=trace(1), **TALK))
    made.pipeline.close()
    assert ("require.1", "fail", 1) in made.said()
    assert ClosedBy.SHUTDOWN in {d.closed_by for _, d in made.state.pending(0, 10)}


def test_attributes_that_a_contract_asks_for_are_known_after_a_restart(tmp_path: Path) -> None:
    contract = {
        "contract": "desk",
        "language": 1,
        "applies_to": {"attributes": {"tier": "gold"}},
        "limit": [{"tool": "search", "max": 1}],
    }
    made = Made(contract, state=state_in(tmp_path))
    made.take(tool(1, tier="gold"), tool(2, tier="tin"), tool(3))
    made.state.close()
    again = Made(contract, state=state_in(tmp_path), clock=made.clock)
    again.take(tool(4, tier="gold"))
    assert again.said() == [("limit.1", "fail", 1)]
    again.state.close()


@pytest.mark.parametrize(
    "keys",
    [
        {"limit": [{"tool": "a", "max": 1, "per": "session"}]},
        {"budget": [{"of": "session", "tokens": 1}]},
    ],
)
def test_routing_by_trace_does_not_do_for_a_rule_about_sessions(
    keys: dict[str, Any], tmp_path: Path
) -> None:
    file = tmp_path / "c.yaml"
    file.write_text(json.dumps({"contract": "c", "language": 1, **keys}))
    config = ServerConfig(contracts=[str(file)], affinity=Affinity.TRACE)
    with pytest.raises(ConfigError, match="has scope `session`"):
        load_contracts(config)


def test_the_configuration_says_when_a_session_is_over() -> None:
    made = _rules(ServerConfig(sessions=Sessions(idle="1h", max_age="2h")), (), b"key")
    limits = made.limits
    assert (limits.session_idle_ns, limits.session_max_age_ns) == (3600 * SECOND, 7200 * SECOND)
    assert limits.session_calls == 65_536


def test_a_secret_in_an_attribute_that_is_asked_for_is_not_on_disk(tmp_path: Path) -> None:
    token = make_sample("npm_token", 1)
    contract = {
        "contract": "desk",
        "language": 1,
        "applies_to": {"attributes": {"tier": {"$any": True}}},
        "limit": [{"tool": "search", "max": 0}],
    }
    made = Made(contract, state=state_in(tmp_path))
    made.take(tool(1, tier=token))
    made.state.close()
    assert all(token.encode() not in file.read_bytes() for file in tmp_path.iterdir())
    again = Made(contract, state=state_in(tmp_path), clock=made.clock)
    again.take(tool(2, tier=token))
    (_, last) = again.findings()
    assert last.count == 2
    again.state.close()
