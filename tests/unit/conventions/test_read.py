from typing import Any

import pytest
from msgspec import structs

from toolscore_otel.conventions import CONVENTIONS, READERS, is_of_interest, read
from toolscore_otel.conventions.merging import agreed, filled, merged
from toolscore_otel.conventions.reading import (
    AgentReading,
    CallReading,
    ModelReading,
    SpanReading,
)
from toolscore_otel.model import ContentState, Gap, Payload, Status

OBSERVED = ContentState.OBSERVED


def test_every_reader_has_a_convention_of_its_own():
    assert len(READERS) == len(CONVENTIONS) == len(set(CONVENTIONS))


def test_a_span_of_something_else_says_nothing(make_span):
    span = make_span({"http.request.method": "GET", "session.id": "s"}, name="GET /")
    assert read(span) is None
    assert not is_of_interest(span.name, span.attributes)


def test_a_span_that_only_names_its_conversation_or_scenario_is_read(make_span):
    span = make_span({"gen_ai.conversation.id": "c1", "toolscore.scenario": "refund"})
    assert read(span) == SpanReading(conversation_id="c1", scenario="refund")


def test_the_scenario_of_the_resource_counts_where_the_span_says_something(make_span):
    resource = {"agentevals.session_name": "refund"}
    reading = read(make_span({"gen_ai.operation.name": "chat"}, resource=resource))
    assert reading is not None
    assert reading.scenario == "refund"
    assert read(make_span({"a": 1}, resource=resource)) is None


@pytest.mark.parametrize("resource", [{}, {"session.id": "s"}])
@pytest.mark.parametrize("beside", [{}, {"session.id": "s"}])
def test_a_span_that_says_nothing_is_not_read_for_what_stands_beside_it(
    make_span, beside, resource
):
    span = make_span({"gen_ai.operation.name": "embeddings"} | beside, resource=resource)
    assert is_of_interest(span.name, span.attributes)
    assert read(span) is None


def test_two_dialects_on_one_span_are_one_call(make_span):
    reading = read(
        make_span(
            {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "search",
                "openinference.span.kind": "TOOL",
                "tool.name": "search",
                "tool.call_id": "c1",
                "input.value": '{"q": 1}',
            }
        )
    )
    assert reading is not None
    assert reading.calls == (
        CallReading(
            convention="genai",
            name="search",
            args=Payload(OBSERVED, {"q": 1}),
            call_id="c1",
            status=Status.OK,
        ),
    )


def call(**given: Any) -> SpanReading:
    return SpanReading(calls=(CallReading(convention=given.pop("convention", "x"), **given),))


def test_the_first_gives_and_the_second_fills():
    first = call(convention="a", name="search", args=Payload(OBSERVED, {"q": 1}))
    second = call(convention="b", name="other", args=Payload(OBSERVED, {}), call_id="c1")
    (both,) = merged(first, second).calls
    assert (both.convention, both.name, both.args.value, both.call_id) == (
        "a",
        "search",
        {"q": 1},
        "c1",
    )


def test_whole_arguments_go_before_cut_ones_and_cut_before_none():
    cut, whole = Payload(ContentState.TRUNCATED, text="{"), Payload(OBSERVED, {})
    assert merged(call(args=cut), call(args=whole)).calls[0].args == whole
    assert merged(call(args=whole), call(args=cut)).calls[0].args == whole
    assert merged(call(args=Payload()), call(args=cut)).calls[0].args == cut
    assert merged(call(args=cut), call(args=Payload())).calls[0].args == cut


def test_a_failure_seen_by_one_is_a_failure_and_a_doubt_stays_one():
    ok, error, unknown = (
        call(status=status) for status in (Status.OK, Status.ERROR, Status.UNKNOWN)
    )
    assert merged(ok, error).calls[0].status is Status.ERROR
    assert merged(error, ok).calls[0].status is Status.ERROR
    assert merged(unknown, ok).calls[0].status is Status.UNKNOWN


def test_a_name_that_one_has_is_not_missing():
    unnamed = call(gaps=(Gap.NAME_NOT_OBSERVED,))
    from_span = call(name="s", gaps=(Gap.NAME_FROM_SPAN, Gap.CONTENT_HIDDEN))
    named = call(name="search")
    assert merged(unnamed, named).calls[0].gaps == ()
    assert merged(named, from_span).calls[0].gaps == (Gap.CONTENT_HIDDEN,)
    assert merged(from_span, named).calls[0].gaps == (Gap.CONTENT_HIDDEN,)


def test_a_name_of_an_attribute_goes_before_that_of_the_span():
    from_span = call(name="s", gaps=(Gap.NAME_FROM_SPAN,))
    assert merged(from_span, call(name="search")).calls[0].name == "search"
    assert merged(call(name="search"), from_span).calls[0].name == "search"
    other = call(name="t", gaps=(Gap.NAME_FROM_SPAN,))
    assert merged(from_span, other).calls[0].name == "s"
    assert merged(from_span, other).calls[0].gaps == (Gap.NAME_FROM_SPAN,)


def test_agents_and_models_are_filled_too():
    first = SpanReading(
        agent=AgentReading(convention="a"), model=ModelReading(convention="a", input_tokens=1)
    )
    second = SpanReading(
        agent=AgentReading(convention="b", name="ops"),
        model=ModelReading(convention="b", input_tokens=2, output_tokens=3),
        conversation_id="c1",
    )
    assert merged(first, second) == SpanReading(
        agent=AgentReading(convention="a", name="ops"),
        model=ModelReading(convention="a", input_tokens=1, output_tokens=3),
        conversation_id="c1",
    )


def test_whether_tokens_are_clear_is_said_of_whoever_tells_of_the_cache():
    plain = ModelReading(convention="a", input_tokens=10)
    cached = ModelReading(convention="b", input_tokens=10, cached_tokens=4)
    unclear = structs.replace(cached, is_unclear=True)
    assert filled(plain, unclear) == structs.replace(unclear, convention="a")
    assert filled(cached, unclear) == cached
    assert filled(unclear, cached) == unclear
    assert filled(None, plain) == filled(plain, None) == plain
    assert filled(None, None) is None


def test_what_several_tell_differently_is_told_by_none():
    one = ModelReading(convention="a", model="m", provider="p", input_tokens=10, cached_tokens=0)
    other_cache = structs.replace(one, cached_tokens=4)
    assert agreed([one]) == agreed([one, one]) == one
    assert agreed([one, structs.replace(one, model="n")]) == structs.replace(one, model=None)
    unclear = structs.replace(one, cached_tokens=None, is_unclear=True)
    assert agreed([one, other_cache]) == agreed([other_cache, one]) == unclear
    is_unclear = structs.replace(one, is_unclear=True)
    assert agreed([one, is_unclear]) == is_unclear


def test_several_calls_are_not_mixed():
    two = SpanReading(calls=(CallReading(convention="a"), CallReading(convention="a")))
    assert merged(two, call()).calls == two.calls
    assert merged(SpanReading(), two).calls == two.calls


@pytest.mark.parametrize("name", ["execute_tool x", "claude_code.tool.execution", "running tool"])
def test_some_spans_are_known_by_their_name_alone(name):
    assert is_of_interest(name, ())


def test_the_conversation_of_the_resource_stands_apart_from_that_of_the_span(make_span):
    tool: dict[str, Any] = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "a"}
    for name in ("gen_ai.conversation.id", "session.id"):
        reading = read(make_span(tool, resource={name: "r1"}))
        assert reading is not None
        assert (reading.conversation_id, reading.session) == (None, "r1")
    assert read(make_span({"http.method": "GET"}, resource={"session.id": "r1"})) is None
