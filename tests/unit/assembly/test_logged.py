"""Model calls that the log of a coding agent tells, and its spans too: the span stands, and has what the log alone tells."""

from __future__ import annotations

from itertools import permutations

import pytest
from msgspec import structs

from toolscore_otel.assembly import Assembler, Limits
from toolscore_otel.assembly.elsewhere import SAME_MOMENT_NS
from toolscore_otel.model import Gap

TRACE, CONVERSATION = "a" * 32, "b" * 32
CLAUDE, CODEX = "com.anthropic.claude_code", "codex"
BEGIN = 10 * SAME_MOMENT_NS


@pytest.fixture
def told():
    """Input tokens by trace, the same in all orders and when all comes again."""

    def feed(*fed):
        found = []
        for order in permutations(fed):
            assembler = taken_in(*order)
            once = tokens(assembler)
            taken_in(*order, assembler=assembler)
            found += [once, tokens(assembler)]
        assert all(one == found[0] for one in found)
        return found[0]

    return feed


def taken_in(*fed, assembler=None):
    assembler = Assembler() if assembler is None else assembler
    for place, reading in fed:
        for elsewhere, told in assembler.add(place, reading, 0).twins:
            assembler.add(elsewhere, told, 0)
    return assembler


def tokens(assembler):
    traces = {one: assembler.trajectory(one) for one in assembler.trace_ids()}
    return {one: t.tokens.input for one, t in traces.items() if t.tokens.input}


def span(say, scope, *messages, number=10, span_id="m", at=BEGIN, **said):
    where = {"at": (at - 5, at), "scope": f"{scope}.spans"}
    return say.model(span_id, None, *messages, input_tokens=number, where=where, **said)


def record(say, scope, number=10, *, trace_id=CONVERSATION, at=BEGIN, name="log:1", **said):
    where = {"at": (at, at), "scope": f"{scope}.log", "trace_id": trace_id}
    place, reading = say.model(name, None, input_tokens=number, where=where, **said)
    return structs.replace(place, is_log=True), reading


def models(*fed):
    """What stands of the model calls, by place id: the same in all orders and when all comes again."""
    found = []
    for order in permutations(fed):
        assembler = taken_in(*order)
        for _ in range(2):
            traces = [assembler.trace(trace_id) for trace_id in assembler.trace_ids()]
            nodes = [node for trace in traces for node in trace.nodes.values()]
            found.append({node.place.id: node.model for node in nodes if node.model})
            taken_in(*order, assembler=assembler)
    assert all(one == found[0] for one in found)
    return found[0]


def test_a_log_alone_tells_of_model_calls(say, told):
    logged = (record(say, CODEX), record(say, CODEX, name="log:2", at=BEGIN + 1))
    assert told(*logged) == {CONVERSATION: 20}
    assert told(span(say, CLAUDE)) == {TRACE: 10}


@pytest.mark.parametrize("trace_id", [TRACE, CONVERSATION])
@pytest.mark.parametrize("scope", [CLAUDE, CODEX])
def test_of_both_the_span_is_counted(say, told, scope, trace_id):
    logged = record(say, scope, trace_id=trace_id, at=BEGIN + SAME_MOMENT_NS)
    assert told(span(say, scope), logged) == {TRACE: 10}


@pytest.mark.parametrize("trace_id", [TRACE, CONVERSATION])
def test_the_span_has_what_its_log_record_alone_tells(say, trace_id):
    told = {
        "model": "gpt-5.5",
        "provider": "openai",
        "cached_tokens": 4,
        "cache_write_tokens": 0,
        "reasoning_tokens": 1,
        "cost_usd": 0.5,
    }
    logged = record(say, CODEX, trace_id=trace_id, output_tokens=2, **told)
    one = span(say, CODEX, say.request(call_id="c1"), output_tokens=2, reasoning_tokens=2)
    model = one[1].model
    assert models(one, logged) == {"m": structs.replace(model, **(told | {"reasoning_tokens": 2}))}


def test_a_span_that_comes_again_with_more_in_it_is_filled_too(say):
    first, more = span(say, CODEX), span(say, CODEX, say.request(call_id="c1"))
    logged = record(say, CODEX, model="gpt-5.5")
    assert models(first, more, logged)["m"].model == "gpt-5.5"
    assembler = taken_in(first, logged, more)
    assert len(assembler.trajectory(TRACE).calls) == 1
    assert assembler.counters["spans"] == 3


def test_what_several_records_that_may_be_meant_tell_differently_is_not_known(say):
    """Two model calls of the same tokens in the same moment: nothing shows which record is whose."""
    both = {"number": 1000, "provider": "openai"}
    spans = [span(say, CODEX, span_id=one, number=1000) for one in ("m", "n")]
    same = {"model": "gpt-5.5", "cached_tokens": 0}
    one, other = (record(say, CODEX, name=name, **both, **same) for name in ("log:1", "log:2"))
    assert {m.model for m in models(*spans, one, other).values()} == {"gpt-5.5"}
    cached = record(say, CODEX, name="log:2", **both, model="gpt-5.5", cached_tokens=900)
    found = models(*spans, one, cached)
    assert [(m.model, m.cached_tokens, m.is_unclear) for m in found.values()] == [
        ("gpt-5.5", None, True),
        ("gpt-5.5", None, True),
    ]
    mini = record(say, CODEX, name="log:2", **both, model="gpt-5.5-mini", cached_tokens=0)
    found = models(*spans, one, mini)
    assert {(m.model, m.cached_tokens, m.is_unclear) for m in found.values()} == {(None, 0, False)}


def test_what_a_log_record_tells_of_a_span_past_the_cap_is_left_out(say):
    assembler = Assembler(Limits(spans_per_trajectory=1))
    taken_in(say.tool("t"), span(say, CODEX), record(say, CODEX), assembler=assembler)
    assert tokens(assembler) == {}


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
def test_the_conversation_that_an_untold_record_names_is_known_in_any_order(say, backwards):
    place, reading = record(say, CODEX)
    named = (place, structs.replace(reading, conversation_id="c1"))
    fed = [named, span(say, CODEX)]
    found = taken_in(*(fed[::-1] if backwards else fed)).trajectory(CONVERSATION)
    assert (found.conversation_id, found.tokens.input) == ("c1", None)


def test_without_tokens_nothing_ties_a_record_to_a_span(say):
    told = [span(say, CODEX), record(say, CODEX, model="gpt-5.5")]
    bare = [
        (place, structs.replace(r, model=structs.replace(r.model, input_tokens=None)))
        for place, r in told
    ]
    assert models(*told)["m"].model == "gpt-5.5"
    assert models(*bare)["m"].model is None
