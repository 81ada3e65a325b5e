"""Laws of matching: what is known less never turns an answer, and nothing raises but what it says."""

import json
from contextlib import suppress

from hypothesis import assume, given, strategies as st

from toolscore_otel.matchers import (
    UNKNOWN,
    Answer,
    JudgedCall,
    MatcherError,
    Selector,
    canonical,
    negate,
    observed,
    parse,
)
from toolscore_otel.matchers.equality import equal
from toolscore_otel.matchers.parse import OPERATORS
from toolscore_otel.model import ContentState, Payload, ToolCall

YES, NO, UNSURE = Answer.YES, Answer.NO, Answer.UNKNOWN

WORDS = st.text('ab*1é\\"[', max_size=4) | st.sampled_from(
    ["[REDACTED]", "***", "HIDDEN:non-empty", "2025-01-31T12:00:00Z", "2024-01-31T13:00:00.5+01:00"]
)
NUMBERS = st.integers(-20, 20) | st.sampled_from([0.5, -1.5, 1e3, 2**70, 1.0, -0.0])
SCALARS = st.none() | st.booleans() | NUMBERS | WORDS
KEYS = st.sampled_from(["a", "b", "aa", "0"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
PATHS = st.sampled_from(["a", "b", "aa", "a.b", "a.0", "a.*", "*", "*.a", "0", "1.a"])
PATTERNS = st.sampled_from(
    [
        "a",
        "^a",
        "a$",
        "^a*b",
        r"\ba",
        r"a\b",
        ".*",
        "^1|b",
        "(?i)A",
        r"^\d+$",
        r"a\z",
        "^ab?",
        r"1.*\b",
    ]
)
GLOBS = st.text("ab*?[]!1", max_size=5)
TIMES = st.sampled_from(["2025-01-31T12:00:00Z", "2024-12-31T00:00:00-05:00"])
COUNTS = st.integers(0, 4)


def _compared(bounds: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.sampled_from(["$gt", "$ge", "$lt", "$le"]).flatmap(
        lambda key: bounds.map(lambda bound: {key: bound})
    )


LEAVES = st.one_of(
    SCALARS,
    st.just({"$any": True}),
    st.booleans().map(lambda there: {"$exists": there}),
    st.sampled_from(["string", "number", "integer", "boolean", "object", "array", "null"]).map(
        lambda name: {"$type": name}
    ),
    PATTERNS.map(lambda pattern: {"$regex": pattern}),
    PATTERNS.map(lambda pattern: {"$fullmatch": pattern}),
    GLOBS.map(lambda pattern: {"$glob": pattern}),
    WORDS.map(lambda word: {"$casefold": word}),
    st.lists(VALUES, min_size=1, max_size=3).map(lambda choices: {"$one_of": choices}),
    _compared(NUMBERS | TIMES),
    st.tuples(st.integers(-9, 0), st.integers(0, 9)).map(lambda ends: {"$between": list(ends)}),
    NUMBERS.map(lambda number: {"$approx": {"value": number, "rel": 0.5}}),
    COUNTS.map(lambda count: {"$len": count}),
    _compared(COUNTS).map(lambda inner: {"$len": inner}),
    TIMES.map(lambda time: {"$datetime": time}),
    _compared(TIMES).map(lambda inner: {"$datetime": inner}),
    st.sampled_from(
        [
            True,
            {"type": "object", "required": ["a"]},
            {"properties": {"a": {"type": "string"}, "b": {"minimum": 1}}},
            {"items": {"type": "integer"}, "maxItems": 2},
            {"properties": {"a": {"anyOf": [{"type": "null"}, {"enum": ["a", 1]}]}}},
            {"not": {"properties": {"a": {"type": "string"}}}},
            {"additionalProperties": {"maxLength": 2}},
        ]
    ).map(lambda schema: {"$schema": schema}),
)
MATCHERS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.dictionaries(PATHS, inner, max_size=3),
        st.lists(inner, max_size=3),
        st.dictionaries(KEYS, inner, max_size=3).map(lambda fields: {"$exact": fields}),
        inner.map(lambda one: {"$not": one}),
        inner.map(lambda one: {"$contains": one}),
        st.lists(inner, min_size=1, max_size=3).map(lambda many: {"$all": many}),
        st.lists(inner, min_size=1, max_size=3).map(lambda many: {"$or": many}),
    ),
    max_leaves=6,
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from([*OPERATORS, "$x", "a"]), inner)
    ),
    max_leaves=10,
)


def _cut(value: object, share: float, *, ascii_only: bool) -> object:
    text = json.dumps(value, ensure_ascii=ascii_only)
    return observed(Payload(ContentState.TRUNCATED, text=text[: int(len(text) * share)]))


@given(MATCHERS, VALUES, st.floats(0, 1, exclude_max=True), st.booleans())
def test_a_cut_text_is_unknown_or_answers_as_the_whole_does(data, value, share, ascii_only):
    matcher = parse(data)
    whole, cut = matcher.match(value), matcher.match(_cut(value, share, ascii_only=ascii_only))
    assert cut in (UNSURE, whole)


@given(MATCHERS, st.dictionaries(KEYS, VALUES, min_size=1), st.data())
def test_a_value_that_was_not_observed_never_turns_an_answer(data, value, draw):
    hole = draw.draw(st.sampled_from(sorted(value)))
    matcher = parse(data)
    for unseen in (UNKNOWN, "[REDACTED]"):
        assert matcher.match({**value, hole: unseen}) in (UNSURE, matcher.match(value))


@given(MATCHERS, VALUES, st.floats(0, 1, exclude_max=True))
def test_not_is_the_other_answer(data, value, share):
    for seen in (value, _cut(value, share, ascii_only=True), UNKNOWN):
        assert parse({"$not": data}).match(seen) is negate(parse(data).match(seen))


@given(JSON, JSON)
def test_parsing_raises_nothing_but_its_own_error(data, value):
    with suppress(MatcherError):
        matcher = parse(data)
        assert matcher.match(value) in Answer
        assert matcher.describe()


@given(st.dictionaries(st.sampled_from(["tool", "args", "agent", "kind", "x"]), JSON), JSON)
def test_a_selector_raises_nothing_but_its_own_error(source, args):
    with suppress(MatcherError):
        selector = Selector.of(source)
        assert selector.match(JudgedCall(ToolCall(tool="t", args=args))) in Answer


@given(VALUES, VALUES)
def test_two_values_are_equal_just_when_their_canonical_json_is(one, other):
    assume("[REDACTED]" not in str(one) and "***" not in str(one) and "HIDDEN" not in str(one))
    assert (equal(one, other) is YES) is (canonical(one) == canonical(other))


@given(JSON)
def test_canonical_json_knows_no_order_of_keys_and_no_kind_of_number(value):
    assert canonical(_turned(value)) == canonical(value)


def _turned(value: object) -> object:
    """The same JSON value in another spelling."""
    if isinstance(value, dict):
        return {key: _turned(value[key]) for key in reversed(value)}
    if isinstance(value, list):
        return tuple(map(_turned, value))
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and float(value) == value:
        return float(value)
    return value
