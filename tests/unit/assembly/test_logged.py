"""Model calls that the log of a coding agent tells, and its spans too."""

from __future__ import annotations

import pytest
from msgspec import structs

from toolscore_otel.assembly import Assembler
from toolscore_otel.assembly.assembler import TWIN
from toolscore_otel.assembly.elsewhere import SAME_MOMENT_NS
from toolscore_otel.model import ClosedBy, Gap

TRACE, CONVERSATION = "a" * 32, "b" * 32
CLAUDE, CODEX = "com.anthropic.claude_code", "codex"
BEGIN = 10 * SAME_MOMENT_NS


@pytest.fixture
def told():
    """Input tokens by trace, the same in both orders."""

    def feed(*fed):
        found = []
        for order in (fed, fed[::-1]):
            assembler = Assembler()
            for place, reading in order:
                for twin in assembler.add(place, reading, 0).twins:
                    assembler.add(twin, TWIN, 0)
            assembler.close(ClosedBy.END_OF_INPUT)
            traces = {one: assembler.trajectory(one) for one in assembler.trace_ids()}
            found.append({one: t.tokens.input for one, t in traces.items() if t.tokens.input})
        assert found[0] == found[1]
        return found[0]

    return feed


def span(say, scope, number=10, span_id="m", **where):
    where = {"at": (BEGIN - 5, BEGIN), "scope": f"{scope}.spans"} | where
    return say.model(span_id, None, input_tokens=number, where=where)


def record(say, scope, number=10, *, trace_id=CONVERSATION, at=BEGIN, name="log:1"):
    where = {"at": (at, at), "scope": f"{scope}.log", "trace_id": trace_id}
    place, reading = say.model(name, None, input_tokens=number, where=where)
    return structs.replace(place, is_log=True), reading


def test_a_log_alone_tells_of_model_calls(say, told):
    logged = (record(say, CODEX), record(say, CODEX, name="log:2", at=BEGIN + 1))
    assert told(*logged) == {CONVERSATION: 20}
    assert told(span(say, CLAUDE)) == {TRACE: 10}


@pytest.mark.parametrize("trace_id", [TRACE, CONVERSATION])
@pytest.mark.parametrize(("scope", "is_span"), [(CLAUDE, True), (CODEX, False)])
def test_of_both_the_one_that_tells_more_is_counted(say, told, scope, is_span, trace_id):
    logged = record(say, scope, trace_id=trace_id, at=BEGIN + SAME_MOMENT_NS)
    assert told(span(say, scope), logged) == {TRACE if is_span else trace_id: 10}


@pytest.mark.parametrize(
    "other",
    [{"number": 11}, {"at": BEGIN + SAME_MOMENT_NS + 1}, {"scope": "com.anthropic.claude_code"}],
)
def test_other_tokens_another_moment_or_another_agent_are_another_call(say, told, other):
    logged = record(say, **({"scope": CODEX} | other))
    assert told(span(say, CODEX), logged) == {TRACE: 10, CONVERSATION: other.get("number", 10)}


def test_what_cannot_be_told_of_a_cache_is_said_and_has_no_price(say, rebuilt):
    used = {"model": "claude-sonnet-4-5", "input_tokens": 300, "cached_tokens": 100}
    unclear = rebuilt(say.model("m", None, **used, is_unclear=True))
    assert {Gap.TOKENS_UNCLEAR, Gap.COST_NOT_KNOWN} <= set(unclear.gaps)
    assert (unclear.cost_usd, unclear.tokens.input, unclear.tokens.cached) == (None, 300, 100)
    clear = rebuilt(say.model("m", None, **used, cache_write_tokens=50))
    assert Gap.TOKENS_UNCLEAR not in clear.gaps
    assert clear.tokens.cache_write == 50
    assert clear.cost_usd


@pytest.mark.parametrize("backwards", [False, True])
def test_the_conversation_that_an_untold_span_names_is_known_in_any_order(say, backwards):
    place, reading = span(say, CODEX)
    named = (place, structs.replace(reading, conversation_id="c1"))
    assembler = Assembler()
    fed = [named, record(say, CODEX)]
    for where, said in fed[::-1] if backwards else fed:
        for twin in assembler.add(where, said, 0).twins:
            assembler.add(twin, TWIN, 0)
    assembler.close(ClosedBy.END_OF_INPUT)
    found = assembler.trajectory(TRACE)
    assert (found.conversation_id, found.tokens.input) == ("c1", None)
