"""Where in a document a rule's keys stand."""

import pytest

from toolscore_otel.contracts.notes import Notes
from toolscore_otel.contracts.source import read_text


@pytest.mark.parametrize(
    ("expected", "base", "steps"),
    [
        (("forbid", 0), ("forbid", 0), ()),
        (("forbid", 0, "args", "a"), ("forbid", 0), ("args", "a")),
        (("forbid", 1), ("forbid", 1), ("tool",)),
        (("loop", "same_call", "n"), ("loop", "same_call"), ("n",)),
        (("loop", "window"), ("loop", "same_call"), ("window",)),
        (("allow_only", 1, "tol"), ("allow_only",), ("tools", 1, "tol")),
        (("allow_only",), ("allow_only",), ("tools", 7)),
        (("gone", 3), ("gone", 3), ("x",)),
    ],
)
def test_a_key_stands_in_the_rule_or_beside_it_or_is_one_that_only_the_long_form_has(
    expected, base, steps
):
    text = """
forbid: [{tool: x, args: {a: 1}}, y]
loop: {same_call: {n: 3}, window: 4}
allow_only: [a, {tol: b}]
"""
    (document,) = read_text(text, "c.yaml")
    assert expected == Notes(document).place_of(base, steps)
