"""Laws of what becomes of a secret (`redact`, `hash`, `drop`, `flag`), over any JSON with secrets strewn in, JSON in JSON too."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import given, strategies as st

from tests.properties.test_secrets_laws import HYPERSCAN, samples, texts, values
from toolscore_otel.contracts import Contract
from toolscore_otel.emit.redaction import Redaction
from toolscore_otel.model import Resource
from toolscore_otel.secrets import Cleaner, Fingerprints, Measure, Scanner, redact_text
from toolscore_otel.secrets.cleaner import Action

KEY = b"key"
ODD = st.sampled_from([float("nan"), float("inf"), "\ud83d", 2**70, "é", {"\udc00": "\ud83d"}])
"""What JSON as Python writes it may hold, and no strict reader takes."""

told = st.recursive(
    st.one_of(values, ODD),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.dictionaries(st.sampled_from(["password", "k", "\ud83d"]), inner, max_size=2),
        inner.map(json.dumps),
    ),
    max_leaves=4,
)
names = st.one_of(st.text(max_size=5), st.sampled_from(["password", "gen_ai.tool.call.arguments"]))
actions: st.SearchStrategy[Action] = st.sampled_from(["redact", "hash", "drop"])


def cleaner(*given_actions: Action, scanner: Scanner = HYPERSCAN) -> Cleaner:
    return Cleaner([Measure(scanner, action) for action in given_actions], Fingerprints(KEY))


def shape(value: Any) -> Any:
    if isinstance(value, dict):
        return [shape(one) for one in value.values()]
    return [shape(one) for one in value] if isinstance(value, list) else type(value)


@given(names, told, actions)
def test_nothing_is_left_and_doing_it_again_changes_nothing(name, value, action):
    once = cleaner(action).value(name, value)
    assert HYPERSCAN.scan_json({name: once}) == ()
    assert cleaner(action).value(name, once) is once


@given(names, told, actions)
def test_a_value_keeps_its_shape_or_goes_as_a_whole(name, value, action):
    once = cleaner(action).value(name, value)
    if action == "drop" and once is not value:
        assert once is None
    else:
        assert shape(once) == shape(value)


@given(names, told, actions)
def test_what_holds_no_secret_stays_the_same_object(name, value, action):
    if not HYPERSCAN.scan_json({name: value}):
        assert cleaner(action).value(name, value) is value


@given(names, told, st.lists(actions, min_size=2, max_size=3))
def test_several_measures_leave_nothing_either(name, value, several):
    both = cleaner(*several)
    once = both.value(name, value)
    assert HYPERSCAN.scan_json({name: once}) == ()
    assert both.value(name, once) is once


@given(told)
def test_hashing_marks_what_redacting_marks(value):
    """However deep it stands: but for the fingerprints, both leave the same text."""
    text = json.dumps(value)
    redacted = redact_text(text, HYPERSCAN)
    hashed = redact_text(text, HYPERSCAN, fingerprints=Fingerprints(KEY))
    assert re.sub(r"(\[REDACTED:\w+)\.[0-9a-f]{16}\]", r"\1]", hashed) == redacted


@given(told)
def test_json_stays_json_when_hashed_and_again_when_hashed_under_another_key(value):
    for key in (KEY, b"another"):
        hashed = redact_text(json.dumps(value), HYPERSCAN, fingerprints=Fingerprints(key))
        json.loads(hashed)
        assert redact_text(hashed, HYPERSCAN, fingerprints=Fingerprints(b"more")) == hashed


@given(samples, st.integers(0, 3))
def test_a_secret_has_one_fingerprint_at_any_depth_of_json(secret, depth):
    marks = []
    for levels in (0, depth):
        text = secret
        for _ in range(levels):
            text = json.dumps({"k": text})
        hashed = redact_text(text, HYPERSCAN, fingerprints=Fingerprints(KEY))
        marks.append(re.findall(r"\[REDACTED:[^\]]*\]", hashed))
    assert marks[0] == marks[1] != []


@given(texts, actions)
def test_names_are_marked_once(name, action):
    once = cleaner(action).name(name)
    assert cleaner(action).name(once) is once


@given(
    st.lists(st.sampled_from(["k1", "k2", " ", '"', "\\", "b", "\n"]), max_size=14).map("".join),
    actions,
)
def test_kinds_of_the_users_own_go_as_well_however_they_run_together(text, action):
    own = cleaner(action, scanner=Scanner(patterns=[("tail", r"k\d\b")]))
    once = own.value("a", [text, json.dumps({"b": text})])
    assert own.value("a", once) is once


def test_flag_takes_nothing_out():
    clause = {"action": "flag"}
    contract = Contract.from_dict({"contract": "c", "language": 1, "secrets": clause})
    assert Redaction([contract], KEY).cleaner(Resource(), None) is None
