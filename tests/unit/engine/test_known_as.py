import pytest

from toolscore_otel.assembly import CallChange
from toolscore_otel.engine.known_as import now_known_as
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
    assert now_known_as([(before, after)], []).get("s1") == words


def test_a_call_that_is_part_of_another_names_it():
    other = call("c1", sources=(Source("span", "x", "s2"), Source("span", "x", "s1")))
    changes = [CallChange("s1", None), CallChange(None, other)]
    assert now_known_as([(call("s1"), None)], changes) == {"s1": "now known as `c1`"}
