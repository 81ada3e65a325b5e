"""Which token counts are parts of which."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from toolscore_otel.conventions.counts import Cached, Counts, counts, filled, flat, with_counts
from toolscore_otel.conventions.reading import ModelReading
from toolscore_otel.conventions.usage_names import GENAI, PROVIDERS_OWN

CALL = ModelReading(convention="genai")
WITHIN, BESIDE, BY_TOTAL, UNKNOWN = Cached.WITHIN, Cached.BESIDE, Cached.BY_TOTAL, Cached.UNKNOWN


@pytest.mark.parametrize(
    ("found", "how", "whole", "unclear"),
    [
        # what is known of the producer
        ({"input": 1200, "cached": 900}, WITHIN, 1200, False),
        ({"input": 300, "cached": 200, "cache_write": 50}, BESIDE, 550, False),
        # a part is no greater than its whole, whatever is known
        ({"input": 300, "cached": 900}, WITHIN, 1200, False),
        ({"input": 300, "cache_write": 900}, UNKNOWN, 1200, False),
        # one of the two may be within
        ({"input": 300, "cached": 200, "cache_write": 200}, WITHIN, 300, True),
        # totals
        ({"input": 300, "output": 5, "cached": 200, "total": 505}, UNKNOWN, 500, False),
        ({"input": 300, "output": 5, "cached": 200, "total": 505}, BY_TOTAL, 500, False),
        ({"input": 300, "output": 5, "cached": 200, "total": 305}, BY_TOTAL, 300, False),
        ({"input": 300, "output": 5, "cached": 200, "total": 305}, UNKNOWN, 300, True),
        ({"input": 300, "output": 5, "cached": 200, "total": 505}, WITHIN, 300, False),
        ({"input": 300, "cached": 200}, BY_TOTAL, 300, True),
        # nothing to decide
        ({"input": 300, "cached": 0, "cache_write": 0}, UNKNOWN, 300, False),
        ({"input": 300}, UNKNOWN, 300, False),
        ({"cached": 900}, UNKNOWN, None, False),
    ],
)
def test_tokens_of_the_cache_are_part_of_the_input(found, how, whole, unclear):
    call = with_counts(CALL, Counts(**found), how)
    assert (call.input_tokens, call.is_unclear) == (whole, unclear)
    assert call.cached_tokens == found.get("cached")
    assert call.cache_write_tokens == found.get("cache_write")


@pytest.mark.parametrize(
    ("asked", "answered", "thought", "total", "whole"),
    [
        (10, 20, 30, 60, (10, 50)),
        (10, 50, 30, 60, (10, 50)),
        (10, 50, 30, None, (10, 50)),
        (10, 20, 30, None, (10, 50)),
        (10, None, 30, 40, (10, None)),
        (None, 20, 30, 60, (None, 20)),
        (0, 0, None, 0, (None, None)),
        (0, None, None, None, (None, None)),
        (0, 5, None, 5, (0, 5)),
        (7, 0, 0, 7, (7, 0)),
    ],
)
def test_what_was_not_counted_is_not_nothing_and_thought_counts_once(
    asked, answered, thought, total, whole
):
    found = Counts(input=asked, output=answered, reasoning=thought, total=total)
    call = with_counts(CALL, found, WITHIN)
    assert (call.input_tokens, call.output_tokens) == whole
    assert call.reasoning_tokens == thought


def test_a_name_under_which_thought_is_always_apart_says_so():
    attributes = {
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": 50,
        "gen_ai.usage.experimental.reasoning_tokens": 30,
    }
    assert with_counts(CALL, counts(attributes, GENAI), WITHIN).output_tokens == 80
    attributes["gen_ai.usage.reasoning_tokens"] = 30
    assert with_counts(CALL, counts(attributes, GENAI), WITHIN).output_tokens == 50


def test_an_object_is_read_by_dotted_keys_and_no_deeper_than_asked():
    used = {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 4, "x": {"y": {"z": 1}}}}
    assert counts(flat(used), PROVIDERS_OWN) == Counts(input=9, cached=4)
    assert flat({"a": {"b": {"c": {"d": 1}}}}) == {"a.b.c": {"d": 1}}


def test_parts_that_one_place_lacks_are_taken_from_another():
    first = Counts(input=9, cached=1)
    other = Counts(input=8, cached=2, cache_write=3, reasoning=4, apart=True)
    assert filled(first, other) == Counts(input=9, cached=1, cache_write=3, reasoning=4, apart=True)
    assert filled(other, first) == other


@given(
    st.builds(
        Counts,
        **{
            name: st.none() | st.integers(0, 50)
            for name in ("input", "output", "cached", "cache_write", "reasoning", "total")
        },
    ),
    st.sampled_from(Cached),
)
def test_the_whole_is_never_less_than_what_was_written_nor_than_its_largest_part(found, how):
    call = with_counts(CALL, found, how)
    if call.input_tokens is not None:
        assert call.input_tokens >= max(found.input or 0, found.cached or 0, found.cache_write or 0)
    if call.output_tokens is not None and call.input_tokens is not None:
        assert call.output_tokens >= max(found.output or 0, found.reasoning or 0)
