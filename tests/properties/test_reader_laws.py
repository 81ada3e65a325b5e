"""Whatever stands on a span, a reader reads it or says nothing."""

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from toolscore_otel.conventions import (
    READERS,
    attributes as names,
    coding_agents,
    content,
    is_log_of_interest,
    is_of_interest,
    prompt_names,
    read,
    read_log,
)
from toolscore_otel.conventions.dialects import DIALECTS, readers_of
from toolscore_otel.conventions.logs import event_of
from toolscore_otel.conventions.messages import message
from toolscore_otel.conventions.turns import Turn, listed, readings
from toolscore_otel.model import (
    ContentState,
    InstrumentationScope,
    LogRecord,
    Payload,
    Span,
    SpanEvent,
    SpanKind,
    SpanStatus,
)


def texts_in(value: object) -> set[str]:
    """All text of a constant: the names and values that readers look at."""
    if isinstance(value, str):
        return {value}
    if isinstance(value, tuple | frozenset):
        return {text for item in value for text in texts_in(item)}
    return set()


VOCABULARY = sorted(
    {
        text
        for name, value in (vars(names) | vars(coding_agents)).items()
        if name.isupper()
        for text in texts_in(value)
    }
    | {"TOOL", "AGENT", "LLM", "tool", "agent", "task", "workflow", "tool_call", "kwargs", "args"}
)
NAMES = sorted({*names.SPAN_NAMES, *(name for dialect in DIALECTS for name in dialect.names)})
SCOPES = [
    "",
    "gcp.vertex.agent",
    "logfire.openai_agents",
    "opencode",
    "opentelemetry.instrumentation.mcp",
    *(
        f"openinference.instrumentation.{framework}"
        for framework in (
            "langchain",
            "google_adk",
            "llama_index",
            "smolagents",
            "openai_agents",
            "haystack",
        )
    ),
]

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(VOCABULARY),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                ["kwargs", "args", "output", "response", "data", "type", "text", "error"]
            ),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=6,
)
recorded = st.one_of(
    values, values.map(str), values.map(repr), st.sampled_from(["{", '{"a": [', "{'a"])
)
fields = st.dictionaries(st.sampled_from(VOCABULARY), recorded, max_size=8)
spans = st.builds(
    Span,
    trace_id=st.just("a" * 32),
    span_id=st.just("b" * 16),
    name=st.one_of(st.sampled_from(NAMES), st.text(max_size=8)),
    kind=st.sampled_from(SpanKind),
    start_ns=st.one_of(st.none(), st.integers(0, 2)),
    end_ns=st.one_of(st.none(), st.integers(0, 2)),
    attributes=fields,
    events=st.lists(
        st.builds(SpanEvent, st.sampled_from(VOCABULARY), st.none(), fields),
        max_size=2,
    ).map(tuple),
    status=st.sampled_from(SpanStatus),
    scope=st.builds(InstrumentationScope, st.sampled_from(SCOPES)),
)


@given(spans)
def test_a_reader_gives_a_reading_or_none(span: Span) -> None:
    for reader in READERS:
        reading = reader(span)
        assert reading is None or reading.calls or reading.agent or reading.model


@given(spans)
def test_what_is_of_no_interest_says_nothing(span: Span) -> None:
    said = [reader(span) for reader in READERS]
    if not is_of_interest(span.name, span.attributes):
        assert said == [None] * len(READERS)
        assert read(span) is None


@given(spans)
def test_a_reader_that_is_not_asked_has_nothing_to_say(span: Span) -> None:
    if is_of_interest(span.name, span.attributes):
        said = [reader for reader in READERS if reader(span) is not None]
        asked = readers_of(span.name, span.attributes)
        assert said == [reader for reader in asked if reader in said]


@given(spans)
def test_content_is_in_one_state_only(span: Span) -> None:
    reading = read(span)
    for call in reading.calls if reading else ():
        for payload in (call.args, call.result):
            has_text = payload.state in {ContentState.TRUNCATED, ContentState.UNPARSABLE}
            assert (
                has_text == (payload.text is not None) or payload.state is ContentState.UNPARSABLE
            )
            assert payload.value is None or payload.state is ContentState.OBSERVED


@given(spans)
def test_reading_twice_says_the_same(span: Span) -> None:
    assert repr(read(span)) == repr(read(span))


json_values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(),
    ),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=8,
)
objects = st.dictionaries(st.text(), json_values).filter(lambda value: "INVALID_JSON" not in value)


@given(objects)
def test_arguments_come_back_from_json_and_from_python(arguments: dict[str, Any]) -> None:
    expected = Payload(ContentState.OBSERVED, arguments)
    text = json.dumps(arguments)
    for recorded in (arguments, text, json.dumps(text), repr(arguments), ascii(arguments)):
        assert content.arguments(recorded) == expected


@given(objects, st.data())
def test_arguments_cut_anywhere_are_truncated(
    arguments: dict[str, Any], data: st.DataObject
) -> None:
    text = json.dumps(arguments)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    assert content.arguments(cut) == Payload(ContentState.TRUNCATED, text=cut)


@given(st.text())
def test_any_text_is_a_result_or_cut(text: str) -> None:
    payload = content.result(text)
    if payload.state is ContentState.TRUNCATED:
        assert payload.text == text


MEGABYTES = 2_000_000


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ('{"a": "' + "x" * MEGABYTES, ContentState.TRUNCATED),
        ('{"a": "' + '\\"' * (MEGABYTES // 2), ContentState.TRUNCATED),
        ("{'a': '" + "\\'" * (MEGABYTES // 2), ContentState.TRUNCATED),
        ("{'a': '" + "\\'" * (MEGABYTES // 2) + "'}", ContentState.OBSERVED),
        ('{"a": "' + "x" * MEGABYTES + '"}', ContentState.OBSERVED),
        ("[" * MEGABYTES, ContentState.TRUNCATED),
        ("[" * (MEGABYTES // 2) + "]" * (MEGABYTES // 2), ContentState.UNPARSABLE),
        ("{" + "'a', " * (MEGABYTES // 5) + "}", ContentState.UNPARSABLE),
        ("x" * MEGABYTES, ContentState.UNPARSABLE),
        (" " * MEGABYTES, ContentState.UNPARSABLE),
        ("{" + " " * MEGABYTES, ContentState.TRUNCATED),
        ("[-" + "9" * MEGABYTES + "]", ContentState.OBSERVED),
        ("[" + "NaN, " * (MEGABYTES // 5) + "1]", ContentState.OBSERVED),
        ('{"a": "' + r"\ud83d" * (MEGABYTES // 6) + '"}', ContentState.OBSERVED),
        ("[" + "nan, " * (MEGABYTES // 5) + "]", ContentState.UNPARSABLE),
        ("(truncated " * (MEGABYTES // 11) + ")", ContentState.UNPARSABLE),
        ("['', " + "-9" * MEGABYTES, ContentState.TRUNCATED),
    ],
    ids=lambda value: value[:8] if isinstance(value, str) else None,
)
def test_megabytes_take_time_in_proportion(text: str, state: ContentState) -> None:
    # Anything that grows faster than the text would not end here.
    assert content.arguments(text).state is state
    assert content.result(text).state in {ContentState.OBSERVED, ContentState.TRUNCATED}


WORDS_OF_MESSAGES = [
    *(
        "role",
        "assistant",
        "tool",
        "user",
        "model",
        "type",
        "content",
        "parts",
        "contents",
        "message",
    ),
    *("tool_call", "tool_calls", "tool_use", "tool_result", "tool_call_response", "function_call"),
    *("functionCall", "functionResponse", "toolUse", "toolResult", "tool_call_result", "origin"),
    *("function", "name", "arguments", "input", "id", "call_id", "ref", "output", "value"),
    *(
        "is_error",
        "status",
        "error",
        "success",
        "error-text",
        "text",
        "data",
        "kwargs",
        "reasoning",
    ),
]
message_scalars = st.one_of(
    st.sampled_from(WORDS_OF_MESSAGES), st.none(), st.booleans(), st.integers(), st.text(max_size=4)
)
message_values = st.recursive(
    message_scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(WORDS_OF_MESSAGES), inner, max_size=4),
    ),
    max_leaves=12,
)
anything = st.one_of(message_values, message_values.map(json.dumps), message_values.map(repr))


@given(anything)
def test_a_message_is_read_or_says_nothing(recorded: Any) -> None:
    said = message(recorded)
    assert all(asked.name or asked.call_id for asked in said.asked)


@given(st.one_of(anything, st.lists(anything, max_size=4)), st.lists(anything, max_size=3))
def test_a_turn_is_read_or_says_nothing(history: Any, output: list[Any]) -> None:
    turn = Turn(listed(history), [message(said) for said in output])
    for call in readings("genai", turn):
        assert call.what in {"request", "response"}
        assert call.name is not None or call.fills


@given(st.lists(st.sampled_from(["ask", "answer", "user"]), max_size=8))
def test_of_any_history_only_the_end_is_read(kinds: list[str]) -> None:
    def made(number: int, kind: str) -> dict[str, Any]:
        if kind == "ask":
            call = {"id": str(number), "function": {"name": "search", "arguments": "{}"}}
            return {"role": "assistant", "tool_calls": [call]}
        if kind == "user":
            return {"role": "user", "content": "x"}
        return {"role": "tool", "tool_call_id": str(number - 1), "content": "x"}

    history = [made(number, kind) for number, kind in enumerate(kinds)]
    whole = readings("genai", Turn(history))
    again = readings("genai", Turn([{"role": "user", "content": "Go."}, *history]))
    assert whole == again
    last = max((n for n, kind in enumerate(kinds) if kind == "ask"), default=-1)
    assert len(whole) == kinds[last + 1 :].count("answer")


logs = st.builds(
    LogRecord,
    trace_id=st.sampled_from([None, "a" * 32]),
    span_id=st.sampled_from([None, "b" * 16]),
    event_name=st.one_of(st.none(), st.sampled_from(VOCABULARY)),
    time_ns=st.one_of(st.none(), st.integers(0, 2)),
    body=st.one_of(recorded, anything),
    attributes=fields,
    scope=st.builds(
        InstrumentationScope, st.sampled_from([*SCOPES, coding_agents.CLAUDE_LOG_SCOPE])
    ),
)


def is_message(record: LogRecord) -> bool:
    return event_of(record.event_name, record.attributes) in prompt_names.AGENTS_EVENTS


@given(logs)
def test_a_log_record_is_read_or_says_nothing(record: LogRecord) -> None:
    reading = read_log(record)
    assert reading is None or reading.calls or reading.spoken or is_message(record)
    if not is_log_of_interest(record.event_name, record.attributes):
        assert reading is None


@pytest.mark.parametrize("depth", [10, 20_000])
def test_messages_may_be_nested_as_deeply_as_they_like(depth: int) -> None:
    for opening, closing in (('{"message": ', "}"), ('{"content": ', "}"), ("[", "]")):
        message(opening * depth + "1" + closing * depth)
