"""Whatever stands on a span, a reader reads it or says nothing."""

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from toolscore_otel.conventions import READERS, attributes as names, content, is_of_interest, read
from toolscore_otel.model import (
    ContentState,
    InstrumentationScope,
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
    {text for name, value in vars(names).items() if name.isupper() for text in texts_in(value)}
    | {"TOOL", "AGENT", "LLM", "tool", "agent", "task", "workflow", "tool_call", "kwargs", "args"}
)
SCOPES = [
    "",
    "gcp.vertex.agent",
    "logfire.openai_agents",
    "opencode",
    "opentelemetry.instrumentation.mcp",
    *(
        f"openinference.instrumentation.{framework}"
        for framework in ("langchain", "google_adk", "llama_index", "smolagents", "openai_agents")
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
    name=st.one_of(st.sampled_from(names.SPAN_NAMES), st.text(max_size=8)),
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
        ("[-" + "9" * MEGABYTES + "]", ContentState.UNPARSABLE),
        ("['', " + "-9" * MEGABYTES, ContentState.TRUNCATED),
    ],
    ids=lambda value: value[:8] if isinstance(value, str) else None,
)
def test_megabytes_take_time_in_proportion(text: str, state: ContentState) -> None:
    # Anything that grows faster than the text would not end here.
    assert content.arguments(text).state is state
    assert content.result(text).state in {ContentState.OBSERVED, ContentState.TRUNCATED}
