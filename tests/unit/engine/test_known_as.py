import pytest

from toolscore_otel.assembly import CallChange
from toolscore_otel.engine.known_as import KnownAs
from toolscore_otel.model import Source, ToolCall


def call(key, **fields):
    return ToolCall(tool="t", key=key, span_id=key, **fields)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (call("s1"), call("s1"), None),
        (call("s1"), call("c1"), "now known as `c1`"),
        (
            call("s1"),
            call("s1", agent="desk", invocation_id="a"),
            "now known as a call of agent `desk`",
        ),
        (call("s1"), call("s1", invocation_id="a"), None),
        (call("s1"), None, "now known to be part of another call"),
    ],
)
def test_a_call_that_is_known_otherwise_says_how(before, after, words):
    known = KnownAs([])
    known.note(before, CallChange(before.key, after))
    assert known.of("s1") == words


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (call("c1"), "now known as `c1`"),
        (call("s1", trace_id="u"), "now known as a call of trace `u`"),
        (call("s1", conversation_id="talk"), "now known as a call of conversation `talk`"),
        (call("s1", service="shop"), "now known as a call of service `shop`"),
    ],
)
def test_a_call_that_stands_elsewhere_says_where(now, words):
    known = KnownAs([])
    known.note(call("s1"), CallChange("s1", None, now=now))
    assert known.of("s1") == words


def test_a_call_that_is_part_of_another_names_it():
    other = call("c1", sources=(Source("span", "x", "s2"), Source("span", "x", "s1")))
    changes = [CallChange("s1", None), CallChange(None, other)]
    known = KnownAs(changes)
    known.note(call("s1"), changes[0])
    assert known.of("s1") == "now known as `c1`"


def test_each_call_that_is_part_of_another_names_that_one():
    others = [call(key, sources=(Source("span", "x", key[1:]),)) for key in ("cs1", "cs2")]
    known = KnownAs([CallChange(None, other) for other in others])
    for key in ("s1", "s2"):
        known.note(call(key), CallChange(key, None))
    assert [known.of(key) for key in ("s1", "s2")] == [
        "now known as `cs1`",
        "now known as `cs2`",
    ]


def test_a_call_that_did_not_change_is_known_as_before():
    assert KnownAs([]).of("s1") is None
