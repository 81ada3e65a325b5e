import pytest

from toolscore_otel.matchers import canonical
from toolscore_otel.matchers.redacted import is_placeholder, may_hold_placeholder


@pytest.mark.parametrize(
    "text",
    [
        "[REDACTED]",
        "[REDACTED:password]",
        "<REDACTED>",
        "__REDACTED__",
        "HIDDEN:non-empty",
        "[MaxDepth]",
        "****",
        "[unreadable: NaN]",
        "[unreadable: -Infinity]",
        "[unreadable: huge number]",
    ],
)
def test_a_placeholder_is_seen_from_afar(text):
    assert is_placeholder(text)
    assert may_hold_placeholder(canonical({"a": [1, {"b": text}]}))


@pytest.mark.parametrize(
    "text", ["", "x [REDACTED]", "**", "HIDDEN", "REDACTED", "[unreadable: x]"]
)
def test_other_texts_are_none(text):
    assert not is_placeholder(text)
    assert not may_hold_placeholder(canonical({"a": [1, {"b": text}]}))
