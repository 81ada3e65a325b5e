from __future__ import annotations

import pytest
from msgspec import structs

from toolscore_otel.assembly.facts import Facts
from toolscore_otel.model import ContentState, Gap, Payload, ToolCall


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"name": "search"}, {"name": "search"}),
        ({"name": "search"}, {"name": None}),
        ({"name": "mcp__shop__search"}, {"name": "search"}),
        ({"call_id": "x"}, {"call_id": None}),
        ({"args": {"q": 1}}, {}),
        ({"args": {"q": 1}}, {"args": {"q": 1.0}}),
    ],
)
def test_what_one_of_them_lacks_is_no_difference(say, one, other):
    a, b = Facts(say.call(**one)), Facts(say.call(**other))
    assert a.agree(b)
    assert b.agree(a)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"name": "search"}, {"name": "Search"}),
        ({"name": "mcp__shop__search"}, {"name": "refund"}),
        ({"name": "mcp__shop__search"}, {"name": "mcp__web__search"}),
        ({"call_id": "x"}, {"call_id": "y"}),
        ({"args": {"q": 1}}, {"args": {"q": 2}}),
        ({"args": {}}, {"args": {"q": 1}}),
    ],
)
def test_what_both_know_must_be_the_same(say, one, other):
    a, b = Facts(say.call(**one)), Facts(say.call(**other))
    assert not a.agree(b)
    assert not b.agree(a)


def test_together_they_know_what_either_knows(say):
    both = Facts(say.call(None, call_id="x")).with_(Facts(say.call("search", args={"q": 1})))
    assert both.agree(Facts(say.call("search", call_id="x", args={"q": 1})))
    assert not both.agree(Facts(say.call("search", call_id="y")))
    assert not both.agree(Facts(say.call("refund")))
    assert not both.agree(Facts(say.call("search", args={})))


def test_under_one_call_id_no_arguments_agree_with_any(say):
    empty, given, other = (
        Facts(say.call(call_id="x", args=args)) for args in ({}, {"q": 1}, {"q": 2})
    )
    assert empty.agree(given)
    assert given.agree(empty)
    for both in (empty.with_(given), given.with_(empty)):
        assert not both.agree(other)
    assert not empty.agree(Facts(say.call(call_id="y", args={"q": 1})))
    assert not empty.agree(Facts(say.call("refund", call_id="x", args={"q": 1})))


def test_no_arguments_on_a_span_give_way_to_those_of_the_message_that_asked(say, only_call_of):
    for told, asked in (({}, {"q": 1}), ({"q": 1}, {}), ({}, {})):
        call = only_call_of(
            say.model("m", None, say.request(call_id="x", args=asked)),
            say.tool("t", None, call_id="x", args=told),
        )
        assert call.args == (told or asked)


def test_nothing_known_agrees_with_everything(say):
    assert Facts().agree(Facts(say.call("search", call_id="x", args={})))


def test_a_null_that_a_framework_filled_in_is_no_other_argument(say, only_call_of):
    call = only_call_of(
        say.model("m", None, say.request(call_id="x", args={"id": 1})),
        say.tool("t", None, call_id="x", args={"id": 1, "note": None}),
    )
    assert call.args == {"id": 1, "note": None}


def test_arguments_that_were_mended_agree_with_any(say):
    mended = structs.replace(
        say.call("search"), args=Payload(ContentState.OBSERVED, {"q": "x"}, is_mended=True)
    )
    assert Facts(mended).agree(Facts(say.call("search", args={"q": None})))
    whole = ToolCall(tool="search", args={"q": "x"})
    told = structs.replace(whole, gaps=(Gap.VALUES_UNREADABLE,))
    other = Facts(say.call("search", args={"q": 1}))
    assert Facts.of_call(told).agree(other)
    assert not Facts.of_call(whole).agree(other)
