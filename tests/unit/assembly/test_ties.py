"""What ties traces that tell of calls under one id."""

import pytest

from toolscore_otel.assembly.ties import NO_LINKS, Told, is_made_up, ties
from toolscore_otel.model import Source, ToolCall

MADE_UP = "call_" + "Q7xT2mVb9KcL4sWnR8dYf3Za"


@pytest.mark.parametrize(
    "call_id",
    [
        MADE_UP,
        "call_" + "00f9e470266d2d70b55268",
        "toolu_" + "01A09q90qw90lq917835lq9z",
        "toolu_bdrk_" + "01Xk9JpQ2rT7vLm4Ws8Yd3Zb",
        "toolu_vrtx_" + "01Xk9JpQ2rT7vLm4Ws8Yd3Zb",
        "tooluse_" + "k3X_9QmRTd-Z2vLw8sYbNa",
        "call_00_" + "p9XkQ2rT7vLm4Ws8Yd3ZbNaH",
        "chatcmpl-tool-" + "9f2c4e6a8b1d3f5a7c9e0b2d4f6a8c1e",
        "adk-" + "3f1c9a52-7d4e-4b68-9c0a-1e2f3a4b5c6d",
        "call_" + "3f1c9a52-7d4e-4b68-9c0a-1e2f3a4b5c6d",
        "3f1c9a52-7d4e-4b68-9c0a-1e2f3a4b5c6d",
        "pyd_ai_" + "9f2c4e6a8b1d3f5a7c9e0b2d4f6a8c1e",
        "call_" + "QxTmVbKcLsWnRdYfZaHjGpEu",
        "D681PevKs",  # Mistral
        "call_" + "x9v3c0ap",  # Ollama
        "function-call-" + "1234567890123456789",  # Gemini, as OpenAI
    ],
)
def test_ids_of_providers_are_made_up(call_id):
    assert is_made_up(call_id)


@pytest.mark.parametrize(
    "call_id",
    [
        "",
        "c0",
        "call_1",
        "call_5a7f",
        "call_000000000000000000000001",
        "call_20260101120000000001",
        "call_search_in_the_shop_for_order_17",
        "call_searchintheshopfororders",
        "functions.search:0",
        "toolCall1",
        "call_search12",
        "call_a1a1a1a1",
        "call_00000012",
        "Search001",
        "orderOf12",
        "function-call-1",
        "run-7/step-12/call-4-of-the-search-tool",
        "3f1c9a52-7d4e-1b68-9c0a-1e2f3a4b5c6d",
        "order_" + "Q7xT2mVb9KcL4sWnR8dYf3Za",
    ],
)
def test_ids_that_count_or_are_short_are_not(call_id):
    assert not is_made_up(call_id)


def told(trace="a", *, talk=None, links=NO_LINKS, by="response", **fields):
    defaults = {"tool": "t", "recorded_name": "t", "service": "us", "trace_id": trace}
    call = ToolCall(**{**defaults, "sources": (Source(by, "x", trace),), **fields})
    return Told(call, talk, links)


def may_be_one(one, other, call_id=MADE_UP):
    by = {("a", "k"): one, ("b", "k"): other}
    return ties(by, call_id)(*by)


ASKED = told(by="request")


def test_a_made_up_id_ties_by_itself():
    assert may_be_one(ASKED, told("b"))
    assert not may_be_one(ASKED, told("b"), "call_1")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (told(talk="x"), told("b", talk="x")),
        (told(links={"b"}), told("b")),
        (told(), told("b", links={"a"})),
    ],
)
def test_a_conversation_and_a_link_tie_any_id(one, other):
    assert may_be_one(one, other, "call_1")


def test_one_that_names_no_conversation_may_be_of_any():
    assert may_be_one(told(by="request", talk="x"), told("b"))


@pytest.mark.parametrize(
    "other",
    [
        told("b", service="them"),
        told("b", service=None),
        told("b", recorded_name=""),
        told("b", talk="y"),
        told("b", by="request"),
    ],
)
def test_a_made_up_id_ties_nothing_that_speaks_against_it(other):
    assert not may_be_one(told(by="request", talk="x"), other)
