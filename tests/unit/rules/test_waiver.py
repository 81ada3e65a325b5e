"""A rule with waivers, on one trajectory."""

from datetime import date
from typing import Any

import pytest
from msgspec import structs

from toolscore_otel.errors import Location
from toolscore_otel.matchers import JudgedCall, MatcherError, Selector
from toolscore_otel.rules import Compiled
from toolscore_otel.rules.forbid import Forbid
from toolscore_otel.rules.limit import Limit
from toolscore_otel.rules.require import Require
from toolscore_otel.rules.waiver import Waiver, excused, waived


def waiver(selector: Any, until: str = "1970-01-01") -> Waiver:
    return Waiver(
        rule="r",
        owner="o",
        until=date.fromisoformat(until),
        where=Location("c.yaml", 1),
        selector=Selector.of(selector, default_stage="any"),
    )


def compiled_of(record: Any) -> Compiled:
    compiled: Compiled = record.compile()
    return compiled


class Held:
    """A record with one waiver, to be watched."""

    def __init__(self, record: Any, selector: Any) -> None:
        self._record = record
        self._waivers = [waiver(selector)]

    def compile(self) -> Compiled:
        held = excused(self._record, self._waivers, compiled_of)
        return waived(self._record.compile(), held, self._waivers)


def shadows(watched: Any) -> dict[str, bool]:
    return {verdict.call.key: verdict.shadow for verdict in watched.stands.values()}


def test_a_waived_rule_says_of_itself_what_it_says_without_waivers_and_that_it_has_some():
    record = Forbid(tool="x", id="r")
    compiled = Held(record, {"agent": "j"}).compile()
    assert (compiled.record, compiled.waived, compiled.tools) == (record, True, frozenset("x"))
    assert (compiled.uses_agent, record.compile().uses_agent) == (True, False)


def test_a_waiver_that_turns_out_not_to_hold_takes_a_finding_out_of_shadow(watch, made):
    call = made("x", agent="j")
    watched = watch(Held(Forbid(tool="x"), {"agent": "j"}), call)
    assert shadows(watched) == {call.key: True}
    watched.replace(call, agent="k")
    assert shadows(watched) == {call.key: False}
    watched.drop(call.key)
    assert watched.silent


def test_what_is_known_better_of_a_call_is_said_anew(watch, made):
    call = made("x", gaps=())
    watched = watch(Held(Forbid(tool="x"), "x"), call)
    renewed = structs.replace(call, conversation_id="c")
    watched.state.renew(JudgedCall(renewed))
    watched.note(watched.state.changes())
    (verdict,) = watched.fails
    assert (verdict.call.conversation_id, verdict.shadow) == ("c", True)


def test_closing_closes_both(watch, made):
    watched = watch(Held(Limit(tool="x", max=0), {"args": {"a": 1}}), made("x", {"a": 1}))
    assert [verdict.shadow for verdict in watched.close().fails] == [True]


def test_a_rule_in_which_no_call_is_judged_cannot_be_excused():
    with pytest.raises(MatcherError, match="judge or count single calls"):
        excused(Require(tool="x"), ["y"], compiled_of)


def test_own_excuses_stay_in_front():
    compiled = excused(Forbid(tool="x", unless="a"), ["b"], compiled_of)
    both = excused(compiled.record, [{"before": "c"}], compiled_of)
    assert [getattr(one.record, "unless") for one in (compiled, both)] == [  # noqa: B009
        ["a", "b"],
        ["a", "b", {"before": "c"}],
    ]
