"""Laws of scanning and redaction, over any JSON with secrets strewn in."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import assume, given, strategies as st

from toolscore_otel.secrets import KINDS, Fingerprints, Scanner, redact_json, redact_text
from toolscore_otel.secrets.document import leaves, leaves_at, leaves_called_at
from toolscore_otel.secrets.samples import make_sample

HYPERSCAN = Scanner(engine="hyperscan")
RE2 = Scanner(engine="re2")
FORMED = (
    "github_token_classic",
    "aws_access_key_id",
    "slack_webhook",
    "private_key_pem",
    "jwt",
    "npm_token",
)

samples = st.builds(make_sample, st.sampled_from(KINDS), st.integers(0, 50))
pieces = st.one_of(
    st.text(max_size=8),
    samples,
    st.sampled_from(
        [
            "password",
            "api_token",
            ": ",
            "=",
            '"',
            "'",
            "\\",
            "\n",
            "[REDACTED:jwt]",
            "-----",
            "@",
            "://a:",
            "+",
            "%253D",
            "\x1b[0m",
            "mysql",
            "-pa1B2c3D4",
            "curl -u a:",
            "one two three four",
            "731946",
        ]
    ),
)
texts = st.lists(pieces, max_size=5).map("".join)


def nested(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    keys = st.one_of(
        st.text(max_size=5),
        samples,
        st.sampled_from(["password", "apiKey", "name", "value", "command", "args"]),
    )
    return st.one_of(
        st.lists(children, max_size=3),
        st.dictionaries(keys, children, max_size=3),
        children.map(json.dumps),
    )


values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), texts), nested, max_leaves=6
)


@given(texts)
def test_both_engines_find_the_same_in_any_text(text):
    assert HYPERSCAN.scan_text(text) == RE2.scan_text(text)


@given(values)
def test_both_engines_find_the_same_in_any_value(value):
    assert HYPERSCAN.scan_json(value) == RE2.scan_json(value)


@given(texts)
def test_redacting_a_text_twice_changes_nothing_more(text):
    once = redact_text(text, HYPERSCAN)
    assert redact_text(once, HYPERSCAN) == once


@given(values)
def test_a_redacted_value_has_no_secret_left(value):
    assert HYPERSCAN.scan_json(redact_json(value, HYPERSCAN)) == ()


@given(values)
def test_json_text_stays_json_when_redacted(value):
    json.loads(redact_text(json.dumps(value), HYPERSCAN))


@given(
    st.sampled_from(FORMED), st.integers(0, 100), st.text(alphabet=" \n\t,;()[]{}é「", max_size=9)
)
def test_a_secret_is_found_at_any_depth_of_json(kind, seed, around):
    text = around + make_sample(kind, seed) + around
    for depth in range(4):
        assert [kind] == [hit.kind for hit in HYPERSCAN.scan_text(text)], depth
        text = json.dumps({"k": text})


@given(values)
def test_hits_lie_in_order_and_apart_and_hold_no_secret(value):
    text = json.dumps(value)
    hits = HYPERSCAN.scan_text(text, fingerprints=Fingerprints(b"k"))
    edges = [edge for hit in hits for edge in (hit.start, hit.end)]
    assert edges == sorted(edges)
    assert not any(
        len(secret) > 24 and secret in repr(hits)
        for secret in (text[h.start : h.end] for h in hits)
    )


@given(values, st.integers(0, 400))
def test_a_cut_text_never_fails(value, length):
    text = json.dumps(value)[:length]
    redacted = redact_text(text, HYPERSCAN, cut=True)
    assert HYPERSCAN.scan_text(redacted, cut=True) == ()


@given(values, st.lists(st.integers(0, 500), max_size=6))
def test_strings_at_some_places_are_those_that_a_walk_through_all_passes(value, points):
    """The quick way to a string and the slow one tell the same of it."""
    text = json.dumps(value)
    every = {leaf.start: leaf for leaf in leaves(text, None, lambda _start, _raw: True, None)}
    found = list(leaves_at(text, sorted(points), ["\\"]))
    for leaf in found:
        slow = every[leaf.start]
        assert (*leaf.where(text), leaf.raw) == (slow.path, slow.is_key, slow.raw)
    assert {start for start, leaf in every.items() if "\\" in leaf.raw} <= {
        leaf.start for leaf in found
    }


@given(values, st.lists(st.integers(0, 500), max_size=6))
def test_a_name_that_is_told_at_a_glance_is_the_one_that_a_walk_tells(value, points):
    text = json.dumps({"root": value})
    every = {leaf.start: leaf.name for leaf in leaves(text, None, lambda _start, _raw: True, None)}
    found = leaves_called_at(text, sorted(points), ["\\"]) or []
    assert [leaf.name for leaf in found] == [every[leaf.start] for leaf in found]


@given(
    st.lists(st.sampled_from(["\\n", r"\"", r"\\", r"\u0061", r"\ud83d\ude00", "a", "0", "n"])),
    st.integers(0, 9),
    st.integers(1, 9),
)
def test_a_piece_of_a_string_stands_where_its_characters_do(parts, start, length):
    text = f'"{"".join(parts)}"'
    (leaf,) = leaves(text, None, lambda _start, _raw: True, None)
    value = leaf.text
    first, last = leaf.place(start, start + length, value)
    assume(start + length <= len(value))
    assert json.loads(f'"{text[first:last]}"') == value[start : start + length]
    assert json.loads(f'"{text[leaf.start : first]}"') == value[:start]


@given(st.lists(st.one_of(st.floats(allow_nan=False), st.integers()), max_size=9), samples)
def test_redaction_leaves_every_number_as_it_was_written(numbers, secret):
    text = json.dumps({"a": numbers, "b": secret, "c": numbers})
    redacted = redact_text(text, HYPERSCAN)
    for key in ("a", "c"):
        assert json.dumps(json.loads(redacted)[key]) == json.dumps(numbers)
    assert redacted.startswith(json.dumps({"a": numbers})[:-1])


@given(st.text(), st.sampled_from(KINDS), st.integers(0, 50), st.text())
def test_scanning_never_fails(before, kind, seed, after):
    text = f"{before}{make_sample(kind, seed)}{after}"
    for one in (text, json.dumps({text: [text]}), f"%{text}%3D", text.encode().hex()):
        redact_text(one, RE2, cut=True)
